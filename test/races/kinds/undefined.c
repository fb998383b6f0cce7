// Programs whose fault is another one first: bounds that are wrong, variables that are gone.
#include "kinds.h"

enum { kCount = 8 };

PROGRAM(row_that_is_left) {
  static int b[4][kCount];
  int before = atoi(FAULT("-1") CURE("0"));
#pragma omp parallel for num_threads(4)
  for (int i = 1; i < 4; ++i)
    for (int j = 0; j < kCount; ++j) b[i][j] = b[i][j + before] + 1;
  return sum_of(b[1], 1) > 0;
}

PROGRAM(array_of_the_wrong_length) {
  int count = atoi(FAULT("5") CURE("4"));
  int* list = malloc(16 * sizeof *list);
#pragma omp parallel for num_threads(4)
  for (int block = 0; block < 4 - (count > 4); ++block)
    for (int i = 0; i < count; ++i) list[4 * block + i] = block;
  int first = list[0];
  free(list);
  return first;
}

static int total;

__attribute__((noinline)) static void start(int value) {
  int local[2] = {value, value};
#pragma omp task shared(local)
  {
#pragma omp atomic
    total += local[0];
  }
  CURE(OMP(taskwait))
}

// SAYS: (use after scope|data race): a local variable
PROGRAM(variable_that_is_gone) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; ++i) start(i);
  return total >= 0;
}

// SAYS: (use after free|data race): byte 0 of the 4 that were allocated at undefined.c
PROGRAM(block_that_is_freed) {
  int* block = malloc(sizeof *block);
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    *block = 1;
#pragma omp task shared(sum) firstprivate(block)
    sum += *block;
    CURE(OMP(taskwait))
    free(block);
  }
  return sum >= 0;
}

// SAYS: barrier not met by all: of the parallel region at(.|\n)*waits at a barrier at undefined.c(.|\n)*end of the
// parallel region
PROGRAM(barrier_of_some) {
#pragma omp parallel num_threads(3)
  {
    if (omp_get_thread_num() > 0 CURE(|| 1)) {
      OMP(barrier)
    }
  }
  return 1;
}

static int own;
#pragma omp threadprivate(own)

PROGRAM(address_of_threadprivate) {
  int *of_first = NULL, seen = 0;
#pragma omp parallel num_threads(2)
  {
    own = omp_get_thread_num();
#pragma omp master
    of_first = &own;
#pragma omp barrier
#pragma omp single
    seen = 1;
    if (omp_get_thread_num() == 1) {
      FAULT(*of_first = 5);
      CURE(own = 5);
    } else {
      own = 6;
    }
  }
  return seen + (of_first != NULL);
}
