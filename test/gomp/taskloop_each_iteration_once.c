// Every taskloop that GCC compiles executes each iteration exactly once, with the right lastprivate values and as many
// tasks as the clauses ask for: signed and unsigned, up and down, 64-bit bounds, collapsed, grainsize, num_tasks,
// strict.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <string.h>

enum { kMost = 400 };
static unsigned char seen[kMost];
static int tasks;

// A task recognises its first iteration by a private variable that begins as firstprivate.
#define VISIT(index)                                                                                                   \
  do {                                                                                                                 \
    if (first) {                                                                                                       \
      first = 0;                                                                                                       \
      ATOMIC_ADD(tasks, 1);                                                                                            \
    }                                                                                                                  \
    CHECK((long)(index) >= 0 && (long)(index) < kMost);                                                                \
    CHECK_EQ(__atomic_fetch_add(&seen[index], 1, __ATOMIC_RELAXED), 0);                                                \
  } while (0)

static int begin(void) {
  memset(seen, 0, sizeof seen);
  tasks = 0;
  return 1;
}

static void end(int trips) {
  for (int i = 0; i < kMost; i++) CHECK_EQ(seen[i], i < trips);
}

static void signed_loops(int trips, int step, int amount, int deferred) {
  int first = begin();
  long last = -1;
#pragma omp taskloop firstprivate(first) lastprivate(last) if (deferred)
  for (int i = -100; i < -100 + trips * step; i += step) {
    last = (i + 100) / step;
    VISIT(last);
  }
  end(trips);
  if (trips) CHECK_EQ(last, trips - 1);

  first = begin();
#pragma omp taskloop firstprivate(first) lastprivate(last) grainsize(amount) untied
  for (long i = 50; i > 50 - (long)trips * step; i -= step) {
    last = (50 - i) / step;
    VISIT(last);
  }
  end(trips);
  if (trips) {
    CHECK_EQ(last, trips - 1);
    CHECK_EQ(tasks, trips / amount > 0 ? trips / amount : 1);
  }

  first = begin();
#pragma omp taskloop firstprivate(first) grainsize(strict : amount)
  for (int i = 0; i < trips; i++) VISIT(i);
  end(trips);
  CHECK_EQ(tasks, (trips + amount - 1) / amount);

  first = begin();
#pragma omp taskloop firstprivate(first) num_tasks(amount) priority(2) mergeable
  for (int i = trips - 1; i >= 0; i--) VISIT(i);
  end(trips);
  CHECK_EQ(tasks, trips < amount ? trips : amount);

  first = begin();
#pragma omp taskloop firstprivate(first) num_tasks(strict : amount) final(deferred)
  for (short i = 0; i < trips; i++) VISIT(i);
  end(trips);
  CHECK_EQ(tasks, trips < amount ? trips : amount);
}

static void unsigned_loops(int trips, int step, int amount) {
  int first = begin();
  long last = -1;
  unsigned long long top = ~0ull - 5, bottom = top - (unsigned long long)trips * step;
#pragma omp taskloop firstprivate(first) lastprivate(last) num_tasks(amount)
  for (unsigned long long i = bottom; i < top; i += step) {
    last = (long)((i - bottom) / step);
    VISIT(last);
  }
  end(trips);
  if (trips) CHECK_EQ(last, trips - 1);

  first = begin();
#pragma omp taskloop firstprivate(first) lastprivate(last)
  for (unsigned long long i = top; i > bottom; i -= step) {
    last = (long)((top - i) / step);
    VISIT(last);
  }
  end(trips);
  if (trips) CHECK_EQ(last, trips - 1);

  first = begin();
#pragma omp taskloop firstprivate(first) grainsize(amount)
  for (unsigned i = 0xffffff00u; i < 0xffffff00u + (trips < 200 ? (unsigned)trips : 200u); i++) VISIT(i - 0xffffff00u);
  end(trips < 200 ? trips : 200);
}

// libgomp 12 executes nothing: GCC passes the decrement without its sign.
static void unsigned_int_downwards(unsigned trips, unsigned step) {
  int first = begin();
#pragma omp taskloop firstprivate(first) grainsize(5)
  for (unsigned i = 7 + trips * step; i > 7; i -= step) VISIT((7 + trips * step - i) / step);
  end((int)trips);
}

static void collapsed(int rows, int columns) {
  int first = begin();
#pragma omp taskloop collapse(2) firstprivate(first) nogroup
  for (int i = 0; i < rows; i++)
    for (int k = columns - 1; k >= 0; k--) VISIT(i * columns + k);
#pragma omp taskwait
  end(rows * columns);
}

// Whichever task had the memory before, a copy of an array is as the construct found it; also where tasks leave
// children.
static void copies_are_fresh(int n) {
  int marks[24] = {0}, children = 0;
#pragma omp taskloop grainsize(1) firstprivate(marks) shared(children)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 24; j++) CHECK_EQ(marks[j], 0);
    marks[i % 24] = i + 1;
    if (i % 5 == 0) {
#pragma omp task shared(children)
      ATOMIC_ADD(children, 1);
    }
  }
  CHECK_EQ(children, (n + 4) / 5);
}

int main(void) {
  static const int trips[] = {0, 1, 2, 7, 64, 399};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(32); round++)
    for (int t = 0; t < 6; t++)
      for (int step = 1; step < 4; step++) {
        int amount = 1 + (round * 7 + t) % 50;
        signed_loops(trips[t], step, amount, round % 2);
        unsigned_loops(trips[t], step, amount);
        unsigned_int_downwards((unsigned)trips[t], (unsigned)step);
        collapsed(step * 3, t * 4);
        copies_are_fresh(trips[t]);
      }
  signed_loops(20, 3, 4, 1);
  unsigned_loops(20, 3, 4);
  return 0;
}
