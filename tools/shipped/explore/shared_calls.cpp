// Calls that share something which no access to memory shows: the sequence of rand(), the place in a file that is
// read, the numbers of open files, what the system says that is another thing each time. A point in front of each;
// where all orders are tried a step, so that two strands' calls come in both orders, or a reason why not all are.
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/library_calls.h"
#include "tools/shipped/explore/shared_calls.h"
#include "tools/shipped/explore/strand.h"

namespace explore {
namespace {

using virtual_machine::active;
using virtual_machine::not_all;
using virtual_machine::point;
using virtual_machine::Touch;

// They stand for what is shared.
char objects[static_cast<int>(Shared::kUntried) + 1];

} // namespace

void use_shared(Shared what, const char* name, const void* pc) {
  if (!active || !is_of_program(pc)) return;
  char why[120];
  switch (what) {
  case Shared::kChance: {
    snprintf(why, sizeof why, "%s()", name);
    return virtual_machine::takes_chance(why, pc);
  }
  case Shared::kUntried:
    snprintf(why, sizeof why, "it calls %s(), whose outcomes are not all tried", name);
    not_all(why);
    return point(pc, name);
  case Shared::kOutput: findings->odd_output = true; break;
  default: break;
  }
  bool prints = what == Shared::kOutput || what == Shared::kEnd;
  const void* object = prints ? static_cast<const void*>(stdout) : &objects[static_cast<int>(what)];
  point(pc, name, object, Touch::kUse);
  note_order(40 + static_cast<uint32_t>(what));
}

// What functions that are not thread-safe use, to be named where it is a race.
namespace {
struct State {
  uint64_t word;
  const char* name;
};
#define STATE(name, words) State state_##name = {0, words};
#define KEEPS(name, what, state, how)
#define CALL(name, what)
#include "tools/shipped/explore/shared_calls.def"
#undef STATE
State* const states[] = {
#define STATE(name, words) &state_##name,
#include "tools/shipped/explore/shared_calls.def"
#undef STATE
#undef KEEPS
#undef CALL
};
} // namespace

const char* library_state(const void* address) {
  for (const State* state : states)
    if (address == &state->word) return state->name;
  return nullptr;
}

// Each block lies where those before it leave room, so their order may decide what a program does with addresses.
void note_allocation(const void* pc) {
  static uint32_t last_strand = 0, last_epoch = 0;
  if (virtual_machine::note_not_all == nullptr || whose(pc) != Whose::kProgram) return;
  const Strand* now = running();
  if (last_strand != 0 && !happened_before(last_strand, last_epoch, now))
    not_all("two threads allocate: in which order their blocks get their addresses is not tried");
  last_strand = now->id;
  last_epoch = now->epoch;
}

// Code that is not compiled for it may have atomics that nobody sees. Libraries of the compiler and of the system are
// known; of others the names that they ask for tell.
void look_for_other_code() {
  static const char* const known[] = {"linux-vdso",  "ld-linux", "libc.so",   "libm.so",   "libpthread",
                                      "libdl.so",    "librt.so", "libgcc_s",  "libstdc++", "libgfortran",
                                      "libquadmath", "libomp.",  "libiomp5",  "libgomp",   "libchomp-explore",
                                      "libtsan",     "libc++.",  "libc++abi."};
  auto look = [](dl_phdr_info* module, size_t, void*) -> int {
    const char *slash = strrchr(module->dlpi_name, '/'), *name = slash != nullptr ? slash + 1 : module->dlpi_name;
    if (*name == 0) return 0; // the program itself
    for (const char* each : known)
      if (strncmp(name, each, strlen(each)) == 0) return 0;
    Names names = names_in(*module);
    constexpr char kCompiledForIt[] = "__tsan_";
    if (names.text == nullptr || memmem(names.text, names.bytes, kCompiledForIt, strlen(kCompiledForIt)) != nullptr)
      return 0;
    char why[120];
    snprintf(why, sizeof why, "%.60s is not compiled for it", name);
    not_all(why);
    return 0;
  };
  dl_iterate_phdr(look, nullptr);
}

namespace {

// Chance of a run's own, so that the run can be repeated.
uint64_t next_chance() {
  static uint64_t state = 0;
  if (state == 0) state = virtual_machine::settings.seed * 0xd1342543de82ef95 + 11;
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  return z ^ (z >> 29);
}

void fill(void* memory, size_t bytes, const char* name, const void* pc) {
  virtual_machine::takes_chance(name, pc);
  point(pc, name);
  auto* to = static_cast<unsigned char*>(memory);
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(next_chance());
}

} // namespace
} // namespace explore

using namespace explore;

EXPORT ssize_t getrandom(void* memory, size_t bytes, unsigned flags) {
  NEXT(getrandom);
  if (!active) return next(memory, bytes, flags);
  fill(memory, bytes, "getrandom()", HERE);
  return static_cast<ssize_t>(bytes);
}
EXPORT int getentropy(void* memory, size_t bytes) {
  NEXT(getentropy);
  if (!active) return next(memory, bytes);
  fill(memory, bytes, "getentropy()", HERE);
  return 0;
}
// std::random_device
EXPORT unsigned _ZNSt13random_device9_M_getvalEv(void* device) {
  NEXT(_ZNSt13random_device9_M_getvalEv);
  if (!active) return next(device);
  unsigned value;
  fill(&value, sizeof value, "std::random_device", HERE);
  return value;
}

// What is called instead of each: it keeps the registers that hold arguments, tells use_shared(), and goes on with the
// function itself, whatever its type is. Weak, so that another file may say more about a call.
enum class How : uint8_t { kNothing, kReads, kWrites };
struct SharedCall {
  const char* name;
  Shared what;
  How how;
  State* state;
  void* next;
};
extern "C" __attribute__((visibility("hidden"), used)) void* chomp_shared_call(SharedCall* call, const void* pc) {
  if (call->next == nullptr) call->next = next_function(call->name, pc);
  use_shared(call->what, call->name, pc);
  // Fortran's log_gamma() is a call of lgamma(), and knows no signgam.
  static const bool in_fortran = dlsym(RTLD_DEFAULT, "_gfortran_set_args") != nullptr;
  if (call->state == &state_sign && in_fortran) return call->next;
  if (call->how == How::kReads) reads(&call->state->word, sizeof call->state->word, pc);
  if (call->how == How::kWrites) writes(&call->state->word, sizeof call->state->word, pc);
  return call->next;
}

#define SHARED_CALL(name, what, how, state)                                                                            \
  extern "C" {                                                                                                         \
  __attribute__((visibility("hidden"), used)) SharedCall chomp_call_##name = {#name, Shared::what, How::how, state,    \
                                                                              nullptr};                                \
  }                                                                                                                    \
  asm(".pushsection .text\n.weak " #name "\n.type " #name ", @function\n.p2align 4\n" #name ":\n"                      \
      "  .cfi_startproc\n"                                                                                             \
      "  lea chomp_call_" #name "(%rip), %r11\n"                                                                       \
      "  jmp chomp_keep_registers\n"                                                                                   \
      "  .cfi_endproc\n.size " #name ", .-" #name "\n.popsection\n");
#define STATE(name, words)
#define KEEPS(name, what, state, how) SHARED_CALL(name, what, how, &state_##state)
#define CALL(name, what) SHARED_CALL(name, what, kNothing, nullptr)
#include "tools/shipped/explore/shared_calls.def"
#undef STATE
#undef KEEPS
#undef CALL

asm(R"(
.pushsection .text
.type chomp_keep_registers, @function
chomp_keep_registers:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  sub $192, %rsp
  mov %rdi, (%rsp)
  mov %rsi, 8(%rsp)
  mov %rdx, 16(%rsp)
  mov %rcx, 24(%rsp)
  mov %r8, 32(%rsp)
  mov %r9, 40(%rsp)
  mov %rax, 48(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  mov %r11, %rdi
  mov 8(%rbp), %rsi
  call chomp_shared_call
  mov %rax, %r11
  mov (%rsp), %rdi
  mov 8(%rsp), %rsi
  mov 16(%rsp), %rdx
  mov 24(%rsp), %rcx
  mov 32(%rsp), %r8
  mov 40(%rsp), %r9
  mov 48(%rsp), %rax
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_endproc
.size chomp_keep_registers, .-chomp_keep_registers
.popsection
)");
