// What C++ cannot say, for 64-bit RISC-V. See machine_x86_64.S.
#if defined(__riscv) && __riscv_xlen == 64
        .text

// void chomp_invoke_microtask_noted(…, const void** frame)
// Does the same as the next function, and stores its frame pointer in *frame.
        .globl  chomp_invoke_microtask_noted
        .hidden chomp_invoke_microtask_noted
        .type   chomp_invoke_microtask_noted, %function
        .p2align 4
chomp_invoke_microtask_noted:
        .cfi_startproc
        sd      sp, 0(a5)
        j       chomp_invoke_microtask
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
        addi    sp, sp, -16
        .cfi_def_cfa_offset 16
        sd      ra, 8(sp)
        sd      s0, 0(sp)
        .cfi_offset ra, -8
        .cfi_offset s0, -16
        addi    s0, sp, 16
        .cfi_def_cfa s0, 0
        mv      t0, a0                  // function
        mv      t1, a4                  // argv
        sext.w  t2, a3                  // argc
        mv      a0, a1                  // gtid
        mv      a1, a2                  // tid
        li      t3, 6
        ble     t2, t3, 2f
        addi    t4, t2, -5              // stack arguments, rounded up to keep 16-byte alignment
        andi    t4, t4, -2
        slli    t4, t4, 3
        sub     sp, sp, t4
1:      addi    t2, t2, -1              // argv[argc - 1] … argv[6] to their slots
        slli    t4, t2, 3
        add     t5, t1, t4
        ld      t5, 0(t5)
        add     t6, sp, t4
        sd      t5, -48(t6)
        bgt     t2, t3, 1b
2:      beqz    t2, 3f                  // now at most 6: only what exists is read
        ld      a2, 0(t1)
        li      t4, 2
        blt     t2, t4, 3f
        ld      a3, 8(t1)
        beq     t2, t4, 3f
        ld      a4, 16(t1)
        li      t4, 4
        blt     t2, t4, 3f
        ld      a5, 24(t1)
        beq     t2, t4, 3f
        ld      a6, 32(t1)
        blt     t2, t3, 3f
        ld      a7, 40(t1)
3:      jalr    t0
        addi    sp, s0, -16
        ld      ra, 8(sp)
        ld      s0, 0(sp)
        .cfi_def_cfa sp, 16
        addi    sp, sp, 16
        .cfi_def_cfa_offset 0
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
        addi    sp, sp, -16
        .cfi_def_cfa_offset 16
        sd      ra, 8(sp)
        sd      s0, 0(sp)
        .cfi_offset ra, -8
        .cfi_offset s0, -16
        addi    s0, sp, 16
        .cfi_def_cfa s0, 0
        mv      t0, a0
        mv      a0, a1
        mv      sp, a2
        jalr    t0
        addi    sp, s0, -16
        ld      ra, 8(sp)
        ld      s0, 0(sp)
        .cfi_def_cfa sp, 16
        addi    sp, sp, 16
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size   __morestack, . - __morestack
#endif
        .section .note.GNU-stack,"",%progbits
