// Tasks run once, with the data that they were made with, and are seen to have run.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

// Every task runs exactly once: one producer, all threads producing, and a binary tree of producers.
enum { kTasks = SCALED(1 << 17) };
static unsigned char runs[kTasks];

static void all_ran_once(void) {
  for (int i = 0; i < kTasks; i++) CHECK_EQ(runs[i], 1);
  memset(runs, 0, sizeof runs);
}

static void produce(int begin, int end) {
  if (end - begin <= 8) {
    for (int i = begin; i < end; i++)
#pragma omp task firstprivate(i)
      runs[i]++;
    return;
  }
  int middle = begin + (end - begin) / 2;
#pragma omp task
  produce(begin, middle);
#pragma omp task
  produce(middle, end);
}

static void none_lost_or_repeated(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++)
#pragma omp task firstprivate(i)
    runs[i]++;
  all_ran_once();

#pragma omp parallel
  for (int i = omp_get_thread_num(); i < kTasks; i += omp_get_num_threads())
#pragma omp task firstprivate(i)
    runs[i]++;
  all_ran_once();

#pragma omp parallel
#pragma omp single nowait
  produce(0, kTasks);
  all_ran_once();
}

// After taskwait a parent sees what its children wrote with plain stores, whoever ran them.
struct result {
  long sum;
  long leaves;
  int filled[16];
};

static void tree(int depth, struct result* result) {
  if (depth == 0) {
    burn(200);
    *result = (struct result){.sum = 3, .leaves = 1};
    for (int i = 0; i < 16; i++) result->filled[i] = i + 1;
    return;
  }
  struct result children[3] = {{0}};
  for (int i = 0; i < 3; i++)
#pragma omp task shared(children) firstprivate(i)
    tree(depth - 1, &children[i]);
#pragma omp taskwait
  *result = (struct result){.sum = 1};
  for (int i = 0; i < 3; i++) {
    CHECK(children[i].leaves > 0);
    for (int k = 0; k < 16; k++) CHECK_EQ(children[i].filled[k], k + 1);
    result->sum += children[i].sum;
    result->leaves += children[i].leaves;
  }
  for (int i = 0; i < 16; i++) result->filled[i] = i + 1;
}

static void children_writes_visible(void) {
  const int depth = 8;
  long leaves = 1, inner = 0;
  for (int i = 0; i < depth; i++) inner += leaves, leaves *= 3;
  struct result result;
#pragma omp parallel
#pragma omp single
  tree(depth, &result);
  CHECK_EQ(result.leaves, leaves);
  CHECK_EQ(result.sum, 3 * leaves + inner);
}

// Large firstprivate payloads reach their tasks whole, however many wait, and wherever they run; over-aligned ones
// too.
struct kibibyte {
  unsigned char bytes[1024];
};
struct big {
  unsigned char bytes[100 * 1024];
};
struct aligned {
  _Alignas(64) long value[9];
};

static int filled_with(const unsigned char* bytes, size_t n, unsigned char value) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i] != value) return 0;
  return 1;
}

static void firstprivate_payload(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < SCALED(8000); i++) {
      struct kibibyte small;
      memset(&small, i, sizeof small);
#pragma omp task firstprivate(small, i) shared(done)
      {
        CHECK(filled_with(small.bytes, sizeof small, (unsigned char)i));
        memset(&small, 0xee, sizeof small);
        ATOMIC_ADD(done, 1);
      }
    }
    static struct big big;
    for (int i = 0; i < SCALED(320); i++) {
      memset(&big, i, sizeof big);
#pragma omp task firstprivate(big, i) shared(done)
      {
        CHECK(filled_with(big.bytes, sizeof big, (unsigned char)i));
        memset(&big, 0xdd, sizeof big);
        ATOMIC_ADD(done, 1);
      }
    }
    for (long i = 0; i < SCALED(1600); i++) {
      struct aligned aligned = {{i}};
      aligned.value[8] = -i;
#pragma omp task firstprivate(aligned, i) shared(done)
      {
        CHECK_EQ((uintptr_t)&aligned % 16, 0);
        CHECK_EQ(aligned.value[0], i);
        CHECK_EQ(aligned.value[8], -i);
        ATOMIC_ADD(done, 1);
      }
    }
  }
  CHECK_EQ(done, SCALED(8000) + SCALED(320) + SCALED(1600));
}

// Tasks, taskwait, taskgroup, taskyield, dependences and reductions outside any parallel region, in orphaned
// functions, and in serialised regions.
static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task untied shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void everything(void) {
#pragma omp taskwait
  CHECK_EQ(fib(10), 55);
  long x = 0, sum = 0;
  for (int i = 0; i < 10; i++)
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
    x = x == i ? i + 1 : -1;
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 10);
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 10; i++)
#pragma omp task in_reduction(+ : sum)
    sum++;
  CHECK_EQ(sum, 10);
#pragma omp taskloop reduction(+ : sum)
  for (int i = 0; i < 10; i++) sum++;
  CHECK_EQ(sum, 20);
#pragma omp taskyield
}

static void outside_region(void) {
  everything();
  CHECK_EQ(omp_get_num_threads(), 1);
#pragma omp parallel if (0)
  everything();
#pragma omp parallel num_threads(1)
  everything();
#pragma omp parallel
  everything();
  everything();
}

int main(void) {
  outside_region(); // before there is a team
  none_lost_or_repeated();
  children_writes_visible();
  firstprivate_payload();
  return 0;
}
