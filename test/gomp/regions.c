// Regions as GCC calls them: num_threads, if, proc_bind, nesting; teams on the host; regions of foreign threads; the
// calls of GCC 4.8, which begin and end a region in two calls.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>

static void sizes(void) {
  int max = omp_get_max_threads();
  for (int wanted = 1; wanted <= 5; wanted++) {
    int seen = 0;
#pragma omp parallel num_threads(wanted) reduction(+ : seen)
    {
      CHECK_EQ(omp_get_num_threads(), wanted);
      CHECK_EQ(omp_get_level(), 1);
      CHECK_EQ(omp_in_parallel(), wanted > 1);
      seen += 1 << omp_get_thread_num();
    }
    CHECK_EQ(seen, (1 << wanted) - 1);
  }
  for (volatile int condition = 0; condition < 2; condition++) {
#pragma omp parallel if (condition) num_threads(3) proc_bind(spread)
    CHECK_EQ(omp_get_num_threads(), condition ? 3 : 1);
#pragma omp parallel if (condition)
    CHECK_EQ(omp_get_num_threads(), condition ? max : 1);
  }
  CHECK_EQ(omp_get_max_threads(), max);
}

static void nested(void) {
  omp_set_max_active_levels(3);
  int leaves = 0;
#pragma omp parallel num_threads(2) shared(leaves)
  {
    int outer = omp_get_thread_num(), sum = 0;
#pragma omp parallel num_threads(3) shared(sum)
    {
      CHECK_EQ(omp_get_ancestor_thread_num(1), outer);
#pragma omp for schedule(dynamic, 2) reduction(+ : sum)
      for (int i = 0; i < 50; i++) sum += i;
#pragma omp parallel num_threads(2) shared(leaves)
      {
        CHECK(omp_get_level() == 3 && omp_get_num_threads() == 2);
        ATOMIC_ADD(leaves, 1);
#pragma omp parallel num_threads(4) shared(leaves)
        {
          CHECK(omp_get_level() == 4 && omp_get_num_threads() == 1);
          ATOMIC_ADD(leaves, 100);
        }
      }
    }
    CHECK_EQ(sum, 1225);
    // The inner teams' loops have not disturbed this one's.
    int count = 0;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(2) reduction(+ : count)
      {
#pragma omp for schedule(dynamic)
        for (int j = 0; j < 10; j++) count++;
      }
    }
    CHECK_EQ(count % 10, 0);
  }
  CHECK_EQ(leaves, 12 + 1200);
}

static void teams(void) {
  int seen[7] = {0}, threads = 0, regions = 0;
#pragma omp teams num_teams(7) thread_limit(3) shared(seen, threads)
  {
    CHECK_EQ(omp_get_num_teams(), 7);
    ATOMIC_ADD(seen[omp_get_team_num()], 1);
#pragma omp parallel num_threads(5) reduction(+ : threads)
    threads++;
  }
  for (int i = 0; i < 7; i++) CHECK_EQ(seen[i], 1);
  CHECK(threads >= 7 && threads <= 21);
  int iterations[100] = {0};
#pragma omp teams distribute parallel for num_teams(3) schedule(dynamic, 2)
  for (int i = 0; i < 100; i++) ATOMIC_ADD(iterations[i], 1);
  for (int i = 0; i < 100; i++) CHECK_EQ(iterations[i], 1);
  // In a target region, which runs here.
#pragma omp target teams num_teams(4) thread_limit(2) map(tofrom : regions)
  {
    CHECK(omp_get_team_num() < omp_get_num_teams());
    ATOMIC_ADD(regions, 1 << (4 * omp_get_team_num()));
  }
  CHECK_EQ(regions, 0x1111);
  CHECK_EQ(omp_get_num_teams(), 1);
#pragma omp parallel num_threads(5)
  CHECK_EQ(omp_get_num_threads(), 5);
}

static void* foreign(void* argument) {
  long sum = 0;
#pragma omp barrier
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 10; i++) sum += i;
#pragma omp single
  sum += 100;
#pragma omp parallel for schedule(dynamic, 3) num_threads(3) reduction(+ : sum)
  for (int i = 0; i < 1000; i++) sum += i;
  CHECK_EQ(sum, 145 + 499500);
  *(int*)argument = 1;
  return 0;
}

static void foreign_threads(void) {
  pthread_t threads[4];
  int done[4] = {0};
  for (int i = 0; i < 4; i++) CHECK_EQ(pthread_create(&threads[i], 0, foreign, &done[i]), 0);
  for (int i = 0; i < 4; i++) CHECK_EQ(pthread_join(threads[i], 0), 0);
  for (int i = 0; i < 4; i++) CHECK(done[i]);
}

// ---- what GCC no longer calls ---------------------------------------------------------------------------------------

typedef void (*Body)(void*);
extern void GOMP_parallel_start(Body, void*, unsigned);
extern void GOMP_parallel_end(void);
extern void GOMP_parallel_loop_static_start(Body, void*, unsigned, long, long, long, long);
extern void GOMP_parallel_loop_dynamic_start(Body, void*, unsigned, long, long, long, long);
extern void GOMP_parallel_loop_guided_start(Body, void*, unsigned, long, long, long, long);
extern void GOMP_parallel_loop_runtime_start(Body, void*, unsigned, long, long, long);
extern void GOMP_parallel_loop_static(Body, void*, unsigned, long, long, long, long, unsigned);
extern void GOMP_parallel_sections_start(Body, void*, unsigned, unsigned);
extern bool GOMP_loop_dynamic_next(long*, long*);
extern void GOMP_loop_end_nowait(void);
extern unsigned GOMP_sections_next(void);
extern void GOMP_sections_end_nowait(void);
extern void GOMP_teams(unsigned, unsigned);

static void count_body(void* data) { ATOMIC_ADD(*(int*)data, 1); }
static void loop_body(void* data) {
  long start, end;
  while (GOMP_loop_dynamic_next(&start, &end)) // all the …_next do the same
    for (long i = start; i < end; i += 3) ATOMIC_ADD(*(long*)data, i);
  GOMP_loop_end_nowait();
}
static void sections_body(void* data) {
  for (unsigned section = GOMP_sections_next(); section != 0; section = GOMP_sections_next())
    ATOMIC_ADD(*(long*)data, section);
  GOMP_sections_end_nowait();
}

/// Does as compiled code did: it leaves the frame that begins the region before the other members have run.
__attribute__((noinline)) static void begin(void (*start)(Body, void*, unsigned), Body body, void* data, unsigned n) {
  char noise[512];
  start(body, data, n);
  __asm__ volatile("" : : "r"(noise) : "memory");
}

static void halves(void) {
  for (unsigned n = 0; n <= 4; n++) {
    int count = 0;
    begin(GOMP_parallel_start, count_body, &count, n);
    CHECK_EQ(omp_get_num_threads(), n ? (int)n : omp_get_max_threads());
    count_body(&count);
    GOMP_parallel_end();
    CHECK_EQ(count, n ? (int)n : omp_get_max_threads());
    CHECK_EQ(omp_get_level(), 0);
    long sum = 0, expected = 0;
    for (long i = 1; i < 100; i += 3) expected += i;
#define LOOP(...)                                                                                                      \
  sum = 0;                                                                                                             \
  __VA_ARGS__;                                                                                                         \
  loop_body(&sum);                                                                                                     \
  GOMP_parallel_end();                                                                                                 \
  CHECK_EQ(sum, expected)
    LOOP(GOMP_parallel_loop_static_start(loop_body, &sum, n, 1, 100, 3, 0));
    LOOP(GOMP_parallel_loop_static_start(loop_body, &sum, n, 1, 100, 3, 2));
    LOOP(GOMP_parallel_loop_dynamic_start(loop_body, &sum, n, 1, 100, 3, 2));
    LOOP(GOMP_parallel_loop_guided_start(loop_body, &sum, n, 1, 100, 3, 1));
    LOOP(GOMP_parallel_loop_runtime_start(loop_body, &sum, n, 1, 100, 3));
    sum = 0;
    GOMP_parallel_loop_static(loop_body, &sum, n, 1, 100, 3, 4, 0);
    CHECK_EQ(sum, expected);
    sum = 0;
    GOMP_parallel_sections_start(sections_body, &sum, n, 10);
    sections_body(&sum);
    GOMP_parallel_end();
    CHECK_EQ(sum, 55);
  }
}

int main(void) {
  foreign_threads();
  for (int round = 0; round < 20; round++) {
    sizes();
    halves();
    teams();
  }
  for (int round = 0; round < 5; round++) nested();
  foreign_threads();
  return 0;
}
