// CHOMP_WATCHDOG=1: a program in which nothing moves says once what each thread waits for, and where in the source: a
// detach event that nobody fulfils and the task that depends on it, a lock that is never released, a barrier that one
// thread never reaches, a task that nobody resumes, though a spawned one polls; in a forked child too. A task that
// computes, sleeps for a time, or waits for the world outside is no such program. CHOMP_WATCHDOG_SIGNAL says it on
// request. The watchdog's thread keeps no process alive. ThreadSanitizer has a thread of its own that wakes up all the
// time: something always moves.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp -I%root -g -O1 %s -o %t && %chomp-run %t
// RUN: %if gomp %{ %gcc-openmp -I%root -g -O1 -DWITHOUT_DETACH %s -o %t.gcc && %chomp-run %t.gcc %}
#define CHOMP_WEAK
#include "abi/alpi.h"
#include "abi/chomp.h"
#include "support/check.h"
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_OF_DEPENDENCES = __LINE__ + 9, LINE_OF_LOCK = __LINE__ + 25, LINE_OF_BARRIER = __LINE__ + 37 };

#ifndef WITHOUT_DETACH
static void dependences(void) {
  omp_event_handle_t nobody_fulfills_it;
  int x = 0;
#pragma omp parallel
#pragma omp single
  { // the line of the tasks is the one of the directive
#pragma omp task detach(nobody_fulfills_it) depend(out : x)
    x = 1;
#pragma omp task depend(inout : x)
    x++;
#pragma omp taskwait
    x = 2;
  }
}
#endif

static void lock(void) {
  int inside = 0;
  static omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    omp_set_lock(&lock); // nobody unsets it
    inside++;
  }
}

static void barrier(void) {
  static sem_t never;
  int inside = 0;
  sem_init(&never, 0, 0);
#pragma omp parallel reduction(+ : inside)
  {
    if (omp_get_thread_num() == 1) sem_wait(&never);
#pragma omp barrier
    inside++;
  }
}

static void lock_in_a_task(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; i++) {
#pragma omp task
    omp_set_lock(&lock); // nobody unsets it
#pragma omp task if (0)
    omp_set_lock(&lock);
  }
}

static void poll_for_ever(void* unused) {
  (void)unused;
  for (;;) CHECK_EQ(alpi_task_waitfor_ns(50000, NULL), ALPI_SUCCESS);
}

static void never_ends(void* unused) { (void)unused; }

static void suspended(void) {
  CHECK_EQ(alpi_task_spawn(poll_for_ever, NULL, never_ends, NULL, "polls", NULL), ALPI_SUCCESS);
#pragma omp parallel
#pragma omp single
#pragma omp task
  chomp_task_suspend(chomp_task_self()); // nobody resumes it
}

static void in_a_task(void (*body)(void)) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    body();
#pragma omp taskwait
  }
}
static void compute(void) {
  for (double end = omp_get_wtime() + 3; omp_get_wtime() < end;) {
  }
}
static void sleep_for_a_time(void) { sleep(3); }
static void wait_for_the_world(void) { poll(NULL, 0, 3000); }

static int one_case(const char* name) {
#ifndef WITHOUT_DETACH
  if (strcmp(name, "dependences") == 0) dependences();
#endif
  if (strcmp(name, "lock") == 0) lock();
  if (strcmp(name, "task") == 0) lock_in_a_task();
  if (strcmp(name, "barrier") == 0) barrier();
  if (strcmp(name, "suspended") == 0) suspended();
  if (strcmp(name, "compute") == 0) in_a_task(compute);
  if (strcmp(name, "sleep") == 0) in_a_task(sleep_for_a_time);
  if (strcmp(name, "world") == 0) in_a_task(wait_for_the_world);
  if (strcmp(name, "fork") == 0) {
#pragma omp parallel
    fflush(stdout);
    if (fork() == 0) lock();
    wait(NULL);
  }
  if (strcmp(name, "exit") == 0) {
#pragma omp parallel
    fflush(stdout);
    pthread_exit(NULL);
  }
  return 0;
}

static char text[1 << 16];
static size_t length;

struct Child {
  pid_t id;
  int errors;
};

static struct Child start(const char* program, const char* name, const char* setting, const char* value) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  struct Child child = {fork(), ends[0]};
  if (child.id == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    setpgid(0, 0);
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv(setting, value, 1);
    execl(program, program, name, (char*)NULL);
    _exit(1);
  }
  close(ends[1]);
  length = 0;
  text[0] = 0;
  return child;
}

// Reads what there is; 0 at the end. `ms`: how long to wait for it; -1: without limit.
static int read_more(struct Child child, int ms) {
  struct pollfd ready = {child.errors, POLLIN, 0};
  if (poll(&ready, 1, ms) <= 0) return 1;
  ssize_t got = read(child.errors, text + length, sizeof text - 1 - length);
  if (got <= 0) return 0;
  length += (size_t)got;
  text[length] = 0;
  return 1;
}

static void end(struct Child child) {
  kill(-child.id, SIGKILL);
  waitpid(child.id, NULL, 0);
  close(child.errors);
}

static void expect(const char* what) {
  if (strstr(text, what) != NULL) return;
  fprintf(stderr, "missing: %s\nin:\n%s", what, text);
  CHECK(0);
}

static void expect_line(const char* format, int line) {
  char what[200];
  snprintf(what, sizeof what, format, line);
  expect(what);
}

static int count(const char* what) {
  int found = 0;
  for (const char* at = text; (at = strstr(at, what)) != NULL; at++) found++;
  return found;
}

// Runs a case until the report has ended, by the words of its last line, and so many seconds longer.
static void report_of(const char* program, const char* name, const char* last_words, int longer) {
  struct Child child = start(program, name, "CHOMP_WATCHDOG", "1");
  while (strstr(text, last_words) == NULL || text[length - 1] != '\n') CHECK(read_more(child, -1));
  for (; longer > 0; longer--) read_more(child, 1000);
  end(child);
  expect("chomp: nothing has moved in process ");
  CHECK_EQ(count("nothing has moved"), 1);
}

static void end_without_report(const char* program) {
  static const char* const names[] = {"compute", "sleep", "world", "exit"};
  struct Child children[4];
  for (int i = 0; i < 4; i++) children[i] = start(program, names[i], "CHOMP_WATCHDOG", "1");
  for (int i = 0; i < 4; i++) {
    while (read_more(children[i], -1)) {
    }
    end(children[i]);
  }
  if (count("nothing has moved") != 0) expect("no report");
}

static void report_by_signal(const char* program) {
  struct Child child = start(program, "lock", "CHOMP_WATCHDOG_SIGNAL", "URS1");
  while (count("OMP: ") < 2) CHECK(read_more(child, -1));
  expect("Did you mean");
  end(child);
  child = start(program, "lock", "CHOMP_WATCHDOG_SIGNAL", "USR1");
  sleep(1); // the handler is installed by the first construct; before that, the signal ends the process
  while (count(" waits for the lock ") < 2) {
    CHECK(kill(child.id, SIGUSR1) == 0);
    CHECK(read_more(child, 1000));
  }
  end(child);
  expect("as CHOMP_WATCHDOG_SIGNAL asks");
}

int main(int argc, char** argv) {
  if (argc > 1) return one_case(argv[1]);
#ifndef WITHOUT_DETACH
  report_of(argv[0], "dependences", "by 0x", 0);
  expect("waits in taskwait, for 2 child tasks");
  expect_line("watchdog_says_what_hangs.c:%d", LINE_OF_DEPENDENCES + 4);
  expect_line("task 0 at watchdog_says_what_hangs.c:%d", LINE_OF_DEPENDENCES);
  expect("its body has ended; nobody has fulfilled its detach event");
  expect("depends on task 0, by 0x");
#endif
  report_of(argv[0], "lock", "chomp/2 ", 3);
  CHECK_EQ(count(" waits for the lock or critical section at 0x"), 2);
  CHECK_EQ(count(", which chomp/"), 2); // and where that one has taken it
  CHECK_EQ(count(" has, taken at watchdog_says_what_hangs.c:"), 2);
  expect_line("watchdog_says_what_hangs.c:%d", LINE_OF_LOCK);
  report_of(argv[0], "task", "chomp/2 ", 2); // the tasks of a thread come after its line
  CHECK(count("in the task that begins at ") > 0);
  CHECK_EQ(count("in the task that begins at watchdog_says_what_hangs.c:"), count("in the task that begins at "));
  report_of(argv[0], "barrier", "chomp/2 ", 0);
  expect(" waits for a barrier; not there, or in a task meanwhile: chomp/1;");
  expect_line("watchdog_says_what_hangs.c:%d", LINE_OF_BARRIER);
  expect("chomp/1 is in the program's own code, or between teams: asleep until another thread wakes it");
  report_of(argv[0], "suspended", "chomp/3 ", 0);
  end_without_report(argv[0]);
  report_by_signal(argv[0]);
  report_of(argv[0], "fork", "chomp/4 ", 0); // numbers go on in the child
  return 0;
}
