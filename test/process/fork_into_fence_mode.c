// The child of a fork() may find that membarrier(2) is forbidden, though its parent used it. Then each task that its
// creator takes back costs a lock, as in any process without membarrier: otherwise a thief and the creator could take
// the same one. That holds in the teams that the parent made and no longer needed, too. Seen by executing a stretch of
// the program instruction by instruction.
// REQUIRES: x86_64
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && %chomp-run %t
#include "support/children.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

/// For the calling thread, and so for the child that it makes.
static void forbid_membarrier(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) exit(77);
  CHECK_EQ(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), -1);
}

static volatile int steps, locked;

static void step(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  const uint8_t* instruction = (const uint8_t*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  steps = steps + 1;
  if (instruction[0] == 0xf0) locked = locked + 1; // the prefix "lock"
}

/// The trap flag: a signal after each instruction. The red zone of the stack is left alone.
#define STEPS_BEGIN()                                                                                                  \
  __asm__ volatile("sub $128,%%rsp; pushfq; orq $0x100,(%%rsp); popfq; add $128,%%rsp" ::: "memory", "cc")
#define STEPS_END()                                                                                                    \
  __asm__ volatile("sub $128,%%rsp; pushfq; andq $~0x100,(%%rsp); popfq; add $128,%%rsp" ::: "memory", "cc")

enum { kTasks = 20 };

/// How many locked instructions there are in making and running kTasks tasks, which no other thread takes.
static int locked_instructions(int threads) {
  int runs = 0, sitting = 0;
  steps = locked = 0;
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() != 0) { // occupied, so not requesting
      ATOMIC_ADD(sitting, 1);
      SPIN_UNTIL(ATOMIC_LOAD(runs) == 2 * kTasks);
    } else {
      SPIN_UNTIL(ATOMIC_LOAD(sitting) == threads - 1);
      for (int round = 0; round < 2; round++) { // the first makes the memory
        if (round == 1) STEPS_BEGIN();
        for (int i = 0; i < kTasks; i++) {
#pragma omp task shared(runs)
          __atomic_store_n(&runs, runs + 1, __ATOMIC_RELAXED);
        }
#pragma omp taskwait
        if (round == 1) STEPS_END();
      }
    }
  }
  CHECK_EQ(runs, 2 * kTasks);
  CHECK(steps > 10 * kTasks);
  return locked;
}

int main(void) {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) <= 0) return 77;
  struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
  CHECK_EQ(sigaction(SIGTRAP, &action, NULL), 0);
  if (locked_instructions(2) >= kTasks) return 77; // CHOMP_MEMBARRIER=0, or a scheduler that deals
  CHECK(locked_instructions(3) < kTasks);          // another team: the one of two is not needed now
  forbid_membarrier();
  pid_t child = fork_checked();
  if (child == 0) {
    CHECK(locked_instructions(2) >= kTasks); // its parent made such a team
    CHECK(locked_instructions(4) >= kTasks);
    exit(7);
  }
  expect_status(child, 7);
  return 0;
}
