// A task that overflows its stack dies of SIGSEGV, with one line that names what to set: on a thread of the team, on a
// stack segment, on the initial thread, on a thread of the program; by recursion and by one large frame. Any other
// fault is none of the runtime's business: silence, and the same death. A handler of the program's own is called,
// whether it was there before the first region or came later; then nothing is said but by the program.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && sh -c 'ulimit -s 8192; exec "$@"' - %chomp-run %t
#include "support/check.h"
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int recurse(int level) {
  volatile char frame[1000];
  frame[level % 1000] = (char)level;
  return level < 0 ? 0 : recurse(level + 1) + frame[(level + 1) % 1000];
}

static int large_frame(void) {
  volatile char frame[9 << 20]; // a MiB more than the stack: written from its low end
  for (size_t i = 0; i < sizeof frame; i += 256) frame[i] = 1;
  return frame[4242];
}

static volatile int result;

static void nest(int depth) {
  if (depth == 0) {
    result = recurse(0);
    return;
  }
#pragma omp task
  nest(depth - 1);
#pragma omp taskwait
  result++;
}

static void in_team(int thread, int (*work)(int)) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == thread) result = work(0);
}

static int call_large_frame(int level) { return level + large_frame(); }
static int fault(int level) { return *(volatile int*)16 + level; }
static int send_signal(int level) { return raise(SIGSEGV) + level; }

// A stack that the runtime knows nothing of, such as a coroutine has: below it, too, is a guard.
static int fault_elsewhere(int level) {
  char* guard = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return guard[100] + level;
}

static void* outside(void* argument) {
#pragma omp parallel num_threads(2)
  result = 1;
  result = recurse(0);
  return argument;
}

static void on_pool_thread(void) { in_team(1, recurse); }
static void large_on_pool_thread(void) { in_team(1, call_large_frame); }
static void on_initial_thread(void) { in_team(0, recurse); }
static void in_serial_region(void) {
#pragma omp parallel num_threads(1)
  result = recurse(0);
}
static void on_segment(void) {
#pragma omp parallel num_threads(1)
  nest(100000);
}
static void on_foreign_thread(void) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, outside, NULL), 0);
  pthread_join(thread, NULL);
}
static void null_pointer(void) { in_team(1, fault); }
static void guard_of_another(void) { in_team(1, fault_elsewhere); }
static void sent(void) { in_team(0, send_signal); }

static void own_handler(int signal) {
  CHECK_EQ(write(2, "mine\n", 5), 5);
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(signal, &usual, NULL);
}
static void install_own(void) {
  struct sigaction action = {.sa_handler = own_handler, .sa_flags = SA_ONSTACK};
  CHECK_EQ(sigaction(SIGSEGV, &action, NULL), 0);
}
static void handler_before(void) {
  install_own();
  null_pointer();
}
static void handler_later(void) {
#pragma omp parallel num_threads(2)
  result = 1;
  install_own();
  on_pool_thread(); // on the alternate stack that the thread has got meanwhile
}
static void switched_off(void) {
  setenv("CHOMP_OVERFLOW_MESSAGE", "0", 1);
  on_pool_thread();
}

static void expect(void (*die)(void), const char* words) {
  int pipes[2], status;
  char said[4096];
  size_t length = 0;
  CHECK_EQ(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    dup2(pipes[1], 2);
    close(pipes[0]);
    close(pipes[1]);
    die();
    _exit(0);
  }
  close(pipes[1]);
  for (ssize_t got; (got = read(pipes[0], said + length, sizeof said - 1 - length)) > 0;) length += (size_t)got;
  close(pipes[0]);
  said[length] = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  fprintf(stderr, "%s", said);
  CHECK(WIFSIGNALED(status));
  CHECK_EQ(WTERMSIG(status), SIGSEGV);
  if (words == NULL) {
    CHECK_EQ(length, 0);
    return;
  }
  CHECK(strstr(said, words));
  CHECK(strchr(said, '\n') == said + length - 1); // one line
}

int main(void) {
  unsetenv("CHOMP_STRESS"); // of the tests: the runtime would say that it does not know it
  expect(on_pool_thread, "Set OMP_STACKSIZE to more, for example OMP_STACKSIZE=3"); // 32M, or a little more
  expect(large_on_pool_thread, "OMP_STACKSIZE");
  expect(on_segment, "Set OMP_STACKSIZE to more, for example OMP_STACKSIZE=32M");
  expect(on_initial_thread, "ulimit -s 32768");
  expect(in_serial_region, "ulimit -s 32768");
  expect(on_foreign_thread, "pthread_attr_setstacksize");
  expect(null_pointer, NULL);
  expect(guard_of_another, NULL);
  expect(sent, NULL);
  expect(handler_before, "mine");
  expect(handler_later, "mine");
  expect(switched_off, NULL);
  return 0;
}
