// A program that forbids membarrier(2) by a filter after its first region, when the runtime relies on it: it goes on,
// and nothing is said. If it forbids sched_setaffinity(2) too, the process ends with a line that names the setting with
// which it goes on. With that setting it does.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
// RUN: env OMP_NUM_THREADS=4 %for-schedulers %t
#include "support/children.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// Where there are more threads than CPUs, the first 10 ms of a sleep do without the fence.
enum { kLongerThanBriefUs = 30000 };

/// For all threads of the process. `also`: one more call that is forbidden.
static void forbid_membarrier(int also) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, also, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) exit(77);
  CHECK_EQ(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0), -1);
}

/// Threads fall asleep between regions, beside a task that is long, and with private tasks that others have to take;
/// before they do they need the fence.
static void regions(void) {
  for (int round = 0; round < 20; round++) {
    int count = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 8; i++) {
#pragma omp task
      {
        if (i == 0) usleep(round == 0 ? kLongerThanBriefUs : 1000);
        for (int j = 0; j < 20; j++)
#pragma omp task
          ATOMIC_ADD(count, 1);
      }
    }
    CHECK_EQ(count, 8 * 20);
    if (round % 4 == 0) usleep(1000);
  }
}

/// Starts this program again, with the setting; its status as of waitpid(), and what it said.
static int run_with(const char* setting, const char* mode, char* said, size_t room) {
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  pid_t child = fork_checked();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    setenv("CHOMP_MEMBARRIER", setting, 1);
    setenv("KMP_BLOCKTIME", "0", 1);
    execl("/proc/self/exe", "filtered", mode, (char*)0);
    CHECK(!"execl");
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], said + length, room - 1 - length)) > 0;) length += (size_t)got;
  said[length] = 0;
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  return status;
}

static int filtered(int also) {
  regions();
  forbid_membarrier(also);
  for (int i = 0; i < 3; i++) regions();
  return 0;
}

static void goes_on(const char* setting, const char* mode) {
  char said[4096];
  int status = run_with(setting, mode, said, sizeof said);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) exit(77);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  CHECK_EQ(strlen(said), 0);
}

int main(int argc, char** argv) {
  if (argc == 2) return filtered(strcmp(argv[1], "affinity") == 0 ? SYS_sched_setaffinity : SYS_membarrier);
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return 77; // not registered: it must fail
  if (errno != EPERM) return 77;
  goes_on("1", "membarrier");
  goes_on("0", "membarrier");
  goes_on("0", "affinity");
  if (omp_get_max_threads() == 1) return 0; // nobody fences
  char said[4096];
  int status = run_with("1", "affinity", said, sizeof said);
  CHECK(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
  CHECK(strstr(said, "set CHOMP_MEMBARRIER=0 to do without"));
  return 0;
}
