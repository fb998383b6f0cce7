// Programs for limit.test: what its argument says.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static void* sleeps_for_ever(void* unused) {
  for (;;) pause();
  return unused;
}

__attribute__((noinline)) static void spins_for_ever(void) {
  for (;;) __asm__ volatile("" ::: "memory");
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  pthread_t thread;
  if (strcmp(what, "sleeps") == 0) sleeps_for_ever(NULL);
  if (strcmp(what, "spins") == 0) {
    pthread_create(&thread, NULL, sleeps_for_ever, NULL);
    spins_for_ever();
  }
  if (strcmp(what, "ignores") == 0) {
    signal(SIGTERM, SIG_IGN);
    sleeps_for_ever(NULL);
  }
  if (strcmp(what, "crashes") == 0) raise(SIGSEGV);
  if (strcmp(what, "is-killed") == 0) raise(SIGKILL);
  return atoi(what);
}
