// What the start of a process costs: page faults and system calls until main(), in the first region, in the second, and
// at the end, and memory at most. A process that does nothing else runs under ptrace, and marks where each part ends.
//
//   start                    prints them
//   start FAULTS CALLS       and ends with status 1 if both regions together took more; 77: the system allows no ptrace
//   start child              runs the process alone
//
// Waits are not counted: how often a thread waits depends on which runs first, and ptrace changes that.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK 0x10000000 // so many more than the number of a part is the "file" that the child closes at its begin
#define STEPS 4

static const char* const names[STEPS] = {"load", "first region", "second region", "end"};

static double region(void) {
  double results[64];
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 64; i++) {
    double value = i;
    for (int k = 0; k < 600; k++) value = value * 1.0000001 + 1;
    results[i] = value;
  }
  return results[63];
}

static double child(void) {
  double sum = 0;
  for (int step = 1; step < STEPS; step++) {
    syscall(SYS_close, MARK + step);
    if (step < STEPS - 1) sum += region();
  }
  return sum;
}

static long memory_of(pid_t process) {
  char path[64], line[256];
  long kilobytes = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  FILE* file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "VmHWM: %ld", &kilobytes);
  if (file != NULL) fclose(file);
  return kilobytes;
}

static long faults_of(pid_t process) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE* file = fopen(path, "r");
  size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file != NULL) fclose(file);
  text[length] = 0;
  const char* at = strrchr(text, ')'); // the name may have spaces
  long faults = 0;
  if (at != NULL) sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %ld", &faults);
  return faults;
}

static int is_wait(long call) { return call == SYS_futex || call == SYS_sched_yield || call == SYS_restart_syscall; }

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "child") == 0) return child() < 0;
  pid_t process = fork();
  if (process == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
    execl("/proc/self/exe", argv[0], "child", (char*)NULL);
    _exit(127);
  }
  long calls[STEPS] = {0}, faults[STEPS + 1] = {0}, memory = 0;
  int step = 0, status, result = -1;
  if (waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) return 77;
  if (ptrace(PTRACE_SETOPTIONS, process, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
    return 77;
  ptrace(PTRACE_SYSCALL, process, NULL, NULL);
  for (pid_t thread; (thread = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) {
      if (thread == process) result = status;
      continue;
    }
    int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      struct __ptrace_syscall_info info;
      if (ptrace((enum __ptrace_request)PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) return 77;
      if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        if (info.entry.nr == SYS_close && info.entry.args[0] >= MARK && info.entry.args[0] < MARK + STEPS) {
          step = (int)(info.entry.args[0] - MARK);
          faults[step] = faults_of(process);
        } else if (info.entry.nr == SYS_exit_group) {
          faults[STEPS] = faults_of(process);
          memory = memory_of(process);
          calls[step]++;
        } else if (!is_wait((long)info.entry.nr)) {
          calls[step]++;
        }
      }
      signal = 0;
    } else if (signal == SIGTRAP || signal == SIGSTOP) {
      signal = 0; // a thread was made, or begins
    }
    ptrace(PTRACE_SYSCALL, thread, NULL, signal);
  }
  if (result != 0) {
    fprintf(stderr, "the process ended with status %x\n", result);
    return 1;
  }
  for (int each = 0; each < STEPS; each++)
    printf("%s: %ld faults, %ld calls\n", names[each], faults[each + 1] - faults[each], calls[each]);
  printf("memory: %ld KB\n", memory);
  long both_faults = faults[3] - faults[1], both_calls = calls[1] + calls[2];
  if (argc == 3 && (both_faults > atol(argv[1]) || both_calls > atol(argv[2]))) {
    fprintf(stderr, "the regions took %ld faults and %ld calls, not at most %s and %s\n", both_faults, both_calls,
            argv[1], argv[2]);
    return 1;
  }
  return 0;
}
