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

// void chomp_switch_stack(void** save, void* load)
// Goes on where the call that stored `load` was made, on its stack; *save is what brings the caller back.
        .globl  chomp_switch_stack
        .hidden chomp_switch_stack
        .type   chomp_switch_stack, %function
        .p2align 4
chomp_switch_stack:
        .cfi_startproc
        sub     sp, sp, #176
        .cfi_def_cfa_offset 176
        stp     x19, x20, [sp, #0]
        stp     x21, x22, [sp, #16]
        stp     x23, x24, [sp, #32]
        stp     x25, x26, [sp, #48]
        stp     x27, x28, [sp, #64]
        stp     x29, x30, [sp, #80]
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        .cfi_offset w19, -176
        .cfi_offset w20, -168
        .cfi_offset w21, -160
        .cfi_offset w22, -152
        .cfi_offset w23, -144
        .cfi_offset w24, -136
        .cfi_offset w25, -128
        .cfi_offset w26, -120
        .cfi_offset w27, -112
        .cfi_offset w28, -104
        .cfi_offset w29, -96
        .cfi_offset w30, -88
        mrs     x9, fpcr
        str     x9, [sp, #160]
        mov     x9, sp
        str     x9, [x0]
        mov     sp, x1
        ldr     x9, [sp, #160]
        msr     fpcr, x9
        ldp     x19, x20, [sp, #0]
        ldp     x21, x22, [sp, #16]
        ldp     x23, x24, [sp, #32]
        ldp     x25, x26, [sp, #48]
        ldp     x27, x28, [sp, #64]
        ldp     x29, x30, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        add     sp, sp, #176
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   chomp_switch_stack, . - chomp_switch_stack

// void* chomp_prepare_stack(uintptr_t stack_high, void (*function)(void*), void* argument)
// What chomp_switch_stack() loads to call function(argument), which never returns, on the stack that ends there.
        .globl  chomp_prepare_stack
        .hidden chomp_prepare_stack
        .type   chomp_prepare_stack, %function
        .p2align 4
chomp_prepare_stack:
        .cfi_startproc
        sub     x0, x0, #176
        stp     x1, x2, [x0]            // x19, x20
        str     xzr, [x0, #80]          // x29
        adr     x9, begin_on_stack
        str     x9, [x0, #88]           // x30
        mrs     x9, fpcr
        str     x9, [x0, #160]
        ret
        .cfi_endproc
        .size   chomp_prepare_stack, . - chomp_prepare_stack

        .type   begin_on_stack, %function
        .p2align 4
begin_on_stack:
        .cfi_startproc
        .cfi_undefined x30
        mov     x0, x20
        blr     x19
        brk     #1
        .cfi_endproc
        .size   begin_on_stack, . - begin_on_stack
#endif
        .section .note.GNU-stack,"",%progbits
