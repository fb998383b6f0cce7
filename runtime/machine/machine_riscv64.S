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

// void chomp_switch_stack(void** save, void* load)
// Goes on where the call that stored `load` was made, on its stack; *save is what brings the caller back.
        .globl  chomp_switch_stack
        .hidden chomp_switch_stack
        .type   chomp_switch_stack, %function
        .p2align 4
chomp_switch_stack:
        .cfi_startproc
        addi    sp, sp, -208
        .cfi_def_cfa_offset 208
        sd      ra, 0(sp)
        sd      s0, 8(sp)
        sd      s1, 16(sp)
        sd      s2, 24(sp)
        sd      s3, 32(sp)
        sd      s4, 40(sp)
        sd      s5, 48(sp)
        sd      s6, 56(sp)
        sd      s7, 64(sp)
        sd      s8, 72(sp)
        sd      s9, 80(sp)
        sd      s10, 88(sp)
        sd      s11, 96(sp)
        fsd     fs0, 104(sp)
        fsd     fs1, 112(sp)
        fsd     fs2, 120(sp)
        fsd     fs3, 128(sp)
        fsd     fs4, 136(sp)
        fsd     fs5, 144(sp)
        fsd     fs6, 152(sp)
        fsd     fs7, 160(sp)
        fsd     fs8, 168(sp)
        fsd     fs9, 176(sp)
        fsd     fs10, 184(sp)
        fsd     fs11, 192(sp)
        .cfi_offset ra, -208
        .cfi_offset s0, -200
        .cfi_offset s1, -192
        .cfi_offset s2, -184
        .cfi_offset s3, -176
        .cfi_offset s4, -168
        .cfi_offset s5, -160
        .cfi_offset s6, -152
        .cfi_offset s7, -144
        .cfi_offset s8, -136
        .cfi_offset s9, -128
        .cfi_offset s10, -120
        .cfi_offset s11, -112
        frcsr   t0
        sd      t0, 200(sp)
        sd      sp, 0(a0)
        mv      sp, a1
        ld      t0, 200(sp)
        fscsr   t0
        ld      ra, 0(sp)
        ld      s0, 8(sp)
        ld      s1, 16(sp)
        ld      s2, 24(sp)
        ld      s3, 32(sp)
        ld      s4, 40(sp)
        ld      s5, 48(sp)
        ld      s6, 56(sp)
        ld      s7, 64(sp)
        ld      s8, 72(sp)
        ld      s9, 80(sp)
        ld      s10, 88(sp)
        ld      s11, 96(sp)
        fld     fs0, 104(sp)
        fld     fs1, 112(sp)
        fld     fs2, 120(sp)
        fld     fs3, 128(sp)
        fld     fs4, 136(sp)
        fld     fs5, 144(sp)
        fld     fs6, 152(sp)
        fld     fs7, 160(sp)
        fld     fs8, 168(sp)
        fld     fs9, 176(sp)
        fld     fs10, 184(sp)
        fld     fs11, 192(sp)
        addi    sp, sp, 208
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
        addi    a0, a0, -208
        lla     t0, begin_on_stack
        sd      t0, 0(a0)
        sd      zero, 8(a0)             // s0
        sd      a1, 16(a0)              // s1
        sd      a2, 24(a0)              // s2
        frcsr   t0
        sd      t0, 200(a0)
        ret
        .cfi_endproc
        .size   chomp_prepare_stack, . - chomp_prepare_stack

        .type   begin_on_stack, %function
        .p2align 4
begin_on_stack:
        .cfi_startproc
        .cfi_undefined ra
        mv      a0, s2
        jalr    s1
        ebreak
        .cfi_endproc
        .size   begin_on_stack, . - begin_on_stack
#endif
        .section .note.GNU-stack,"",%progbits
