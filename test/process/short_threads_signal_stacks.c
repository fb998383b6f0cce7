// A thread's alternate signal stack: a short thread has one during and after its first region, none before, and what it
// installs itself stays. Threads that end do not pile up mappings, also when they end in a handler on that stack.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 4" %t
#include "support/regions.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

enum { kTogether = 33 };
static stack_t now(void) {
  stack_t stack;
  CHECK_EQ(sigaltstack(NULL, &stack), 0);
  return stack;
}

static void* usual(void* unused) {
  CHECK(now().ss_flags & SS_DISABLE);
  use_openmp(2);
  CHECK_EQ(now().ss_flags, 0);
  memset(now().ss_sp, 0x5a, now().ss_size); // its own alone
  return unused;
}

static void* own_before(void* unused) {
  stack_t own = {.ss_size = 65536, .ss_sp = malloc(65536)};
  CHECK_EQ(sigaltstack(&own, NULL), 0);
  use_openmp(2);
  CHECK(now().ss_sp == own.ss_sp && now().ss_size == own.ss_size);
  own.ss_flags = SS_DISABLE;
  CHECK_EQ(sigaltstack(&own, NULL), 0);
  free(own.ss_sp);
  return unused;
}

static void* own_after(void* unused) {
  use_openmp(2);
  static __thread char own_stack[65536];
  stack_t own = {.ss_size = sizeof own_stack, .ss_sp = own_stack};
  CHECK_EQ(sigaltstack(&own, NULL), 0);
  use_openmp(3);
  CHECK(now().ss_sp == own.ss_sp);
  return unused; // with its own stack installed
}

static void ends(int signal) {
  (void)signal;
  pthread_exit(NULL);
}

static void* in_handler(void* unused) {
  use_openmp(2);
  CHECK_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
  return unused;
}

static long mappings(void) {
  long lines = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  for (int c; (c = fgetc(maps)) != EOF;) lines += c == '\n';
  fclose(maps);
  return lines;
}

static void together(int count, void* (*what)(void*)) {
  pthread_t threads[kTogether];
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_create(&threads[i], NULL, what, NULL), 0);
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

int main(void) {
  struct sigaction action = {.sa_handler = ends, .sa_flags = SA_ONSTACK};
  CHECK_EQ(sigaction(SIGUSR1, &action, NULL), 0);
  void* (*all[])(void*) = {usual, own_before, own_after};
  for (int i = 0; i < 3; i++) together(kTogether, all[i]);
  long before = mappings();
  for (int round = 0; round < 200; round++) together(round % 10 ? 1 + round % 3 : kTogether, all[round % 3]);
  CHECK(mappings() <= before + 10 * kTogether); // other threads of the pool may have been needed; 2,000 would pile up
  together(2, in_handler); // the handler's stack is in use until the thread is gone, and stays behind
  together(3, usual);
  return 0;
}
