// Clauses of data sharing that are missing or wrong.
#include "kinds.h"

enum { kCount = 17 }; // as many threads as a run has at most
static int a[kCount];

PROGRAM(no_private_temporary) {
  int temporary;
#pragma omp parallel for CURE(private(temporary))
  for (int i = 0; i < kCount; ++i) {
    temporary = a[i] + i;
    a[i] = temporary;
  }
  return sum_of(a, kCount);
}

PROGRAM(inner_loop_variable) {
  static int b[4][8];
  int i, j;
#pragma omp parallel for CURE(private(j))
  for (i = 0; i < 4; ++i)
    for (j = 0; j < 8; ++j) b[i][j] = i * j;
  return sum_of(b[3], 8);
}

PROGRAM(no_lastprivate) {
  int last = 0;
#pragma omp parallel for CURE(lastprivate(last))
  for (int i = 0; i < kCount; ++i) last = i;
  return last;
}

PROGRAM(no_firstprivate) {
  int base = 3;
#pragma omp parallel FAULT(shared(base)) CURE(firstprivate(base))
  {
    base += omp_get_thread_num();
    a[omp_get_thread_num() % kCount] = base;
  }
  return base;
}

// SAYS: data race: a local variable
PROGRAM(no_reduction) {
  int sum = 0;
#pragma omp parallel for CURE(reduction(+ : sum))
  for (int i = 0; i < kCount; ++i) sum += i;
  return sum;
}

PROGRAM(one_variable_of_two_in_the_reduction) {
  int low = 100, high = 0;
#pragma omp parallel for reduction(max : high) CURE(reduction(min : low))
  for (int i = 0; i < kCount; ++i) {
    if (i > high) high = i;
    if (i < low) low = i;
  }
  return low + high;
}

static int seen;
CURE(OMP(threadprivate(seen)))

__attribute__((noinline)) static int see(int value) {
  seen += value;
  return seen;
}

PROGRAM(no_threadprivate) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) sum += see(i) > 0;
  return sum > 0;
}

__attribute__((noinline)) static int twice(int value) {
  FAULT(static) int kept = 0;
  kept += 2 * value;
  return kept;
}

PROGRAM(static_variable_of_a_function) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kCount; ++i) sum += twice(i) >= 0;
  return sum;
}

PROGRAM(task_shares_the_loop_variable) { // by its address: else GCC gives the task the value
  static int b[8];
#pragma omp parallel
#pragma omp single
  {
    int i, *address = &i;
    for (i = 0; i < 8; ++i) {
#pragma omp task FAULT(firstprivate(address)) CURE(firstprivate(i))
      b[FAULT(*address & 7) CURE(i)] = 1;
    }
#pragma omp taskwait
    *address = 0;
  }
  return b[0];
}

PROGRAM(sections_with_one_temporary) {
  int temporary, first = 0, second = 0;
#pragma omp parallel sections CURE(private(temporary))
  {
#pragma omp section
    {
      temporary = 1;
      first = temporary;
    }
#pragma omp section
    {
      temporary = 2;
      second = temporary;
    }
  }
  return first + second > 0;
}

PROGRAM(a_buffer_by_its_pointer) {
  int total = 0;
  int* buffer = malloc(4 * sizeof *buffer);
#pragma omp parallel num_threads(3) firstprivate(buffer) reduction(+ : total)
  {
    CURE(buffer = malloc(4 * sizeof *buffer);)
    for (int i = 0; i < 4; ++i) buffer[i] = i;
    total += buffer[3] > 0;
    CURE(free(buffer);)
  }
  free(buffer);
  return total > 0;
}

PROGRAM(array_of_threads_is_too_coarse) {
  static int counts[64];
#pragma omp parallel num_threads(3)
  counts[omp_get_thread_num() FAULT(/ 2)]++;
  return counts[0] > 0;
}

static volatile int one = 1;
static void uses_of(int k) {
  static struct {
    int first, sums[2][3];
  } calls[3];
  calls[k].sums[k][2 * k] += k;
}
// SAYS: data race: `uses_of::calls\[1\]\.sums\[1\]\[2\]`
PROGRAM(part_of_a_static_variable) {
#pragma omp parallel num_threads(2)
  {
    CURE(OMP(critical))
    uses_of(one);
  }
  return one;
}
