// Saves and loads what a called function must keep on x86-64: six registers, the modes of both floating-point units,
// the stack, and the register of thread-local data.
#include <sys/auxv.h>
#include <asm/prctl.h>
#include <sys/syscall.h>

#include "tools/laboratory/virtual/context.h"

// chomp_switch_context(void** from, void* to, void* thread_block, long can_write): see switch_context().
// chomp_begin_context: the first return of a new context; rbx holds its function, r12 the argument.
asm(R"(
  .text
  .globl chomp_switch_context
  .hidden chomp_switch_context
  .type chomp_switch_context, @function
chomp_switch_context:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  testq %rcx, %rcx
  je 1f
  wrfsbase %rdx
  jmp 2f
1:
  movl $158, %eax      # arch_prctl
  movl $0x1002, %edi   # ARCH_SET_FS
  movq %rdx, %rsi
  syscall
2:
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size chomp_switch_context, . - chomp_switch_context

  .globl chomp_begin_context
  .hidden chomp_begin_context
  .type chomp_begin_context, @function
chomp_begin_context:
  movq %r12, %rdi
  call *%rbx
  ud2
  .size chomp_begin_context, . - chomp_begin_context
)");
extern "C" void chomp_switch_context(void** from, void* to, void* thread_block, long can_write);
extern "C" void chomp_begin_context();

namespace virtual_machine {

static_assert(SYS_arch_prctl == 158 && ARCH_SET_FS == 0x1002, "the numbers in the assembly above");

static long can_write_thread_block = 0;

void prepare_contexts() {
  constexpr unsigned long kFsgsbase = 2; // HWCAP2_FSGSBASE of Linux
  can_write_thread_block = (getauxval(AT_HWCAP2) & kFsgsbase) != 0;
}

void* own_thread_block() {
  void* block;
  asm("movq %%fs:0, %0" : "=r"(block)); // the first word of a thread block is its own address (x86-64 psABI)
  return block;
}

void switch_context(Context* from, const Context* to) {
  chomp_switch_context(&from->stack, to->stack, to->thread_block, can_write_thread_block);
}

Context new_context(void* memory, size_t bytes, void (*entry)(void*), void* argument, void* thread_block) {
  auto top = (reinterpret_cast<uintptr_t>(memory) + bytes) & ~uintptr_t{15};
  auto* words = reinterpret_cast<uint64_t*>(top) - 10; // what chomp_switch_context pops, from the bottom
  words[0] = 0x1f80 | uint64_t{0x37f} << 32;           // the modes that a process begins with
  words[1] = words[2] = words[3] = 0;                  // r15, r14, r13
  words[4] = reinterpret_cast<uint64_t>(argument);     // r12
  words[5] = reinterpret_cast<uint64_t>(entry);        // rbx
  words[6] = 0;                                        // rbp
  words[7] = reinterpret_cast<uint64_t>(chomp_begin_context);
  words[8] = words[9] = 0;
  return {words, thread_block};
}

} // namespace virtual_machine
