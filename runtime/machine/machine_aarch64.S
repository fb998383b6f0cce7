// What C++ cannot say, for AArch64. See machine_x86_64.S.
#if defined(__aarch64__)
        .text

// void chomp_invoke_microtask_noted(…, const void** frame)
// Does the same as the next function, and stores its frame pointer in *frame.
        .globl  chomp_invoke_microtask_noted
        .hidden chomp_invoke_microtask_noted
        .type   chomp_invoke_microtask_noted, %function
        .p2align 4
chomp_invoke_microtask_noted:
        .cfi_startproc
        sub     x9, sp, #16
        str     x9, [x5]
        b       chomp_invoke_microtask
        .cfi_endproc
        .size   chomp_invoke_microtask_noted, . - chomp_invoke_microtask_noted

// void chomp_invoke_microtask(Microtask function, int32_t* gtid, int32_t* tid, int argc, void** argv)
// Two arguments and six of argv in registers, the rest on the stack.
        .globl  chomp_invoke_microtask
        .hidden chomp_invoke_microtask
        .type   chomp_invoke_microtask, %function
        .p2align 4
chomp_invoke_microtask:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset w30, -8
        .cfi_offset w29, -16
        mov     x29, sp
        .cfi_def_cfa w29, 16
        mov     x16, x0                 // function
        mov     x17, x4                 // argv
        sxtw    x9, w3                  // argc
        mov     x0, x1                  // gtid
        mov     x1, x2                  // tid
        cmp     x9, #6
        b.le    2f
        sub     x10, x9, #5             // stack arguments, rounded up to keep 16-byte alignment
        and     x10, x10, #-2
        sub     sp, sp, x10, lsl #3
1:      sub     x9, x9, #1              // argv[argc - 1] … argv[6] to their slots
        ldr     x11, [x17, x9, lsl #3]
        sub     x12, x9, #6
        str     x11, [sp, x12, lsl #3]
        cmp     x9, #6
        b.gt    1b
2:      cbz     x9, 3f                  // now at most 6: only what exists is read
        ldr     x2, [x17]
        cmp     x9, #2
        b.lt    3f
        ldr     x3, [x17, #8]
        b.eq    3f
        ldr     x4, [x17, #16]
        cmp     x9, #4
        b.lt    3f
        ldr     x5, [x17, #24]
        b.eq    3f
        ldr     x6, [x17, #32]
        cmp     x9, #6
        b.lt    3f
        ldr     x7, [x17, #40]
3:      blr     x16
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa sp, 0
        ret
        .cfi_endproc
        .size   chomp_invoke_microtask, . - chomp_invoke_microtask

// void __morestack(void (*function)(void*), void* argument, uintptr_t stack_high)
// Calls function(argument) on the stack that ends at `stack_high`.
        .globl  __morestack
        .hidden __morestack
        .type   __morestack, %function
        .p2align 4
__morestack:
        .cfi_startproc
        stp     x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset 16
        .cfi_offset w30, -8
        .cfi_offset w29, -16
        mov     x29, sp
        .cfi_def_cfa w29, 16
        mov     x9, x0
        mov     x0, x1
        mov     sp, x2
        blr     x9
        mov     sp, x29
        ldp     x29, x30, [sp], #16
        .cfi_def_cfa sp, 0
        ret
        .cfi_endproc
        .size   __morestack, . - __morestack
#endif
        .section .note.GNU-stack,"",%progbits
