// A program for report.test: makes tasks, then ends in one of several ways.
#include "support/check.h"
#include "support/fib.h"
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#define CHOMP_WEAK
#include "chomp.h"

/// fib_tied(12) makes 464 tasks, fib_tied(10) 176.
static void work(int n) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib_tied(n);
  CHECK_EQ(result, n == 12 ? 144 : 55);
}

/// Eight tasks that end when all have begun: each of eight threads must take one.
static void share_out(void) {
  int begun = 0;
#pragma omp parallel num_threads(8)
#pragma omp single
  for (int i = 0; i < 8; i++)
#pragma omp task shared(begun)
  {
    ATOMIC_ADD(begun, 1);
    SPIN_UNTIL(ATOMIC_LOAD(begun) == 8);
  }
}

/// Tasks come to the other domains by steals or by revocation: until there was a steal.
static void must_steal(void) {
  chomp_counters_t counters = {.size = sizeof counters};
  int rounds = 0;
  for (; counters.stolen_tasks == 0; rounds++) {
    share_out();
    CHECK_EQ(chomp_read_total(&counters), 0);
  }
  printf("%d\n", rounds);
}

static void fork_children(void) {
  pid_t silent = fork();
  if (silent == 0) exit(0);
  CHECK_EQ(waitpid(silent, 0, 0), silent);
  pid_t child = fork();
  if (child == 0) {
    work(10);
    exit(0);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  printf("%d %d\n", silent, child);
}

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "return";
  if (strcmp(way, "steal") == 0) return must_steal(), 0;
  if (strcmp(way, "nothing") == 0) return 0;
  work(12);
  if (strcmp(way, "exit") == 0) exit(0);
  if (strcmp(way, "_exit") == 0) _exit(0);
  if (strcmp(way, "pthread_exit") == 0) pthread_exit(0);
  if (strcmp(way, "elsewhere") == 0) CHECK(chdir("/") == 0);
  if (strcmp(way, "fork") == 0) fork_children();
  return 0;
}
