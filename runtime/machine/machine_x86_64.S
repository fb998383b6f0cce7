// What C++ cannot say, for x86-64: calling an outlined function with a number of arguments known only at run time (for
// teams/), and continuing on another stack (for stacks/stack.cpp).
#if defined(__x86_64__)
        .text

// void chomp_invoke_microtask_noted(…, const void** frame)
// Does the same as the next function, and stores its frame pointer in *frame.
        .globl  chomp_invoke_microtask_noted
        .hidden chomp_invoke_microtask_noted
        .type   chomp_invoke_microtask_noted, @function
        .p2align 4
chomp_invoke_microtask_noted:
        .cfi_startproc
        leaq    -8(%rsp), %rax
        movq    %rax, (%r9)
        jmp     chomp_invoke_microtask
        .cfi_endproc
        .size   chomp_invoke_microtask_noted, . - chomp_invoke_microtask_noted

// void chomp_invoke_microtask(Microtask function, int32_t* gtid, int32_t* tid, int argc, void** argv)
// Calls function(gtid, tid, argv[0], … argv[argc - 1]): two arguments and four of argv in registers, the rest on the
// stack.
        .globl  chomp_invoke_microtask
        .hidden chomp_invoke_microtask
        .type   chomp_invoke_microtask, @function
        .p2align 4
chomp_invoke_microtask:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdi, %r10              // function
        movq    %r8, %r11               // argv
        movslq  %ecx, %rax              // argc
        movq    %rsi, %rdi              // gtid
        movq    %rdx, %rsi              // tid
        cmpq    $4, %rax
        jle     2f
        leaq    -3(%rax), %rcx          // stack arguments, rounded up to keep 16-byte alignment
        andq    $-2, %rcx
        shlq    $3, %rcx
        subq    %rcx, %rsp
1:      movq    -8(%r11,%rax,8), %rcx   // argv[argc - 1] … argv[4] to their slots
        movq    %rcx, -40(%rsp,%rax,8)
        decq    %rax
        cmpq    $4, %rax
        jg      1b
2:      testq   %rax, %rax              // now at most 4: only what exists is read
        jz      3f
        movq    (%r11), %rdx
        cmpq    $2, %rax
        jl      3f
        movq    8(%r11), %rcx
        je      3f
        movq    16(%r11), %r8
        cmpq    $4, %rax
        jl      3f
        movq    24(%r11), %r9
3:      xorl    %eax, %eax              // no vector arguments
        callq   *%r10
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        retq
        .cfi_endproc
        .size   chomp_invoke_microtask, . - chomp_invoke_microtask

// void __morestack(void (*function)(void*), void* argument, uintptr_t stack_high)
// Calls function(argument) on the stack that ends at `stack_high`. gdb accepts a stack that jumps upwards only at a
// frame of this name.
        .globl  __morestack
        .hidden __morestack
        .type   __morestack, @function
        .p2align 4
__morestack:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        movq    %rsp, %rbp
        .cfi_def_cfa_register %rbp
        movq    %rdi, %rax
        movq    %rsi, %rdi
        movq    %rdx, %rsp
        callq   *%rax
        movq    %rbp, %rsp
        popq    %rbp
        .cfi_def_cfa %rsp, 8
        retq
        .cfi_endproc
        .size   __morestack, . - __morestack

// void chomp_switch_stack(void** save, void* load)
// Goes on where the call that stored `load` was made, on its stack; *save is what brings the caller back. What a call
// preserves is preserved, the control words of the floating-point units too: these are loaded where they differ, since
// that takes longer than all else. It ends with a jump, since the processor would predict a return to the caller.
        .globl  chomp_switch_stack
        .hidden chomp_switch_stack
        .type   chomp_switch_stack, @function
        .p2align 4
chomp_switch_stack:
        .cfi_startproc
        pushq   %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset %rbp, -16
        pushq   %rbx
        .cfi_def_cfa_offset 24
        .cfi_offset %rbx, -24
        pushq   %r12
        .cfi_def_cfa_offset 32
        .cfi_offset %r12, -32
        pushq   %r13
        .cfi_def_cfa_offset 40
        .cfi_offset %r13, -40
        pushq   %r14
        .cfi_def_cfa_offset 48
        .cfi_offset %r14, -48
        pushq   %r15
        .cfi_def_cfa_offset 56
        .cfi_offset %r15, -56
        subq    $8, %rsp
        .cfi_def_cfa_offset 64
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movl    (%rsp), %eax
        movzwl  4(%rsp), %ecx
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        xorl    (%rsp), %eax
        andl    $0xffc0, %eax           // without the flags of what has happened
        jne     5f
        cmpw    %cx, 4(%rsp)
        jne     5f
4:      addq    $8, %rsp
        .cfi_def_cfa_offset 56
        popq    %r15
        .cfi_def_cfa_offset 48
        popq    %r14
        .cfi_def_cfa_offset 40
        popq    %r13
        .cfi_def_cfa_offset 32
        popq    %r12
        .cfi_def_cfa_offset 24
        popq    %rbx
        .cfi_def_cfa_offset 16
        popq    %rbp
        .cfi_def_cfa_offset 8
        popq    %rcx
        .cfi_def_cfa_offset 0
        .cfi_register %rip, %rcx
        jmpq    *%rcx
5:      .cfi_def_cfa_offset 64
        .cfi_restore %rip
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        jmp     4b
        .cfi_endproc
        .size   chomp_switch_stack, . - chomp_switch_stack

// void* chomp_prepare_stack(uintptr_t stack_high, void (*function)(void*), void* argument)
// What chomp_switch_stack() loads to call function(argument), which never returns, on the stack that ends there.
        .globl  chomp_prepare_stack
        .hidden chomp_prepare_stack
        .type   chomp_prepare_stack, @function
        .p2align 4
chomp_prepare_stack:
        .cfi_startproc
        leaq    -80(%rdi), %rax
        stmxcsr (%rax)
        fnstcw  4(%rax)
        movq    %rsi, 32(%rax)          // %r12
        movq    %rdx, 40(%rax)          // %rbx
        movq    $0, 48(%rax)            // %rbp
        leaq    begin_on_stack(%rip), %rcx
        movq    %rcx, 56(%rax)
        retq
        .cfi_endproc
        .size   chomp_prepare_stack, . - chomp_prepare_stack

        .type   begin_on_stack, @function
        .p2align 4
begin_on_stack:
        .cfi_startproc
        .cfi_undefined %rip
        movq    %rbx, %rdi
        callq   *%r12
        ud2
        .cfi_endproc
        .size   begin_on_stack, . - begin_on_stack
#endif
        .section .note.GNU-stack,"",@progbits
