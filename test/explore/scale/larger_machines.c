// What tools/scale --monotone runs on machines of growing size. usage: larger_machines CASE [ARGUMENT [LENGTH [LATER]]]
//
//   creator KIND        one thread makes 2,048 tasks; KIND: plain, urgent (priorities 0 to 3), dependent (four chains),
//                       stencil (16 steps of 128; each task waits for three of the step before)
//   pipeline            256 items go through three stages, each in order
//   quicksort           of 65,536 numbers; below 256 no tasks
//   product             of two matrices of 8 x 8 blocks, each block's sum a chain
//   nested_taskloop     16 tasks, each with a taskloop of 64 tasks
//   wavefront           24 x 24 tasks
//   tree                an unbalanced tree of some 4,000 tasks
//   loop SCHEDULE       2,048 iterations of up to twice LENGTH; SCHEDULE: dynamic, in_order, guided, or nowait: four
//   loops
//                       in order, of 512 each
//   alone_first         4,000 iterations, of which the last thread executes some before the others come; each once?
//   sums                50 loops with a sum, each of ten times LENGTH in all
//   first_region        1,024 iterations of a static loop: the first execution starts the threads of the process
//
// LENGTH is how long a task or an iteration computes, in nanoseconds (1,000). Prints the time of the first execution
// and the least of the LATER ones (2).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

enum { kTasks = 2048, kItems = 256, kNumbers = 65536, kFewNumbers = 256, kBlocks = 8, kSide = 24, kWidth = 128 };

static long length = 1000;
static const char* argument = "";

// A basic block takes 0.71 ns on the virtual machine; nothing is read or written.
static void __attribute__((noinline)) work(long ns) {
  for (long i = 0; i < ns * 7 / 5; ++i) __asm__ volatile("");
}

static void creator(void) {
  static char chains[4], cells[kTasks + kWidth];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; ++i) {
    if (argument[0] == 'u') {
#pragma omp task priority(i & 3)
      work(length);
    } else if (argument[0] == 'd') {
#pragma omp task depend(inout : chains[i & 3])
      work(length);
    } else if (argument[0] == 's') {
      char* const before = &cells[i]; // the same column of the step before
#pragma omp task depend(in : before[i > 0 ? -1 : 0], before[0], before[1]) depend(out : before[kWidth])
      work(length);
    } else {
#pragma omp task
      work(length);
    }
  }
}

static void pipeline(void) {
  static char items[kItems], stages[3];
#pragma omp parallel
#pragma omp single
  for (int item = 0; item < kItems; ++item)
    for (int stage = 0; stage < 3; ++stage) {
#pragma omp task depend(inout : items[item], stages[stage])
      work(length);
    }
}

static uint32_t numbers[kNumbers];

static void sort(uint32_t* first, uint32_t* end) {
  while (end - first > 1) {
    uint32_t pivot = first[(end - first) / 2], *low = first, *high = end - 1;
    while (low <= high) {
      while (*low < pivot) ++low;
      while (*high > pivot) --high;
      if (low > high) break;
      uint32_t kept = *low;
      *low++ = *high;
      *high-- = kept;
    }
    uint32_t* middle = low;
    if (middle - first >= kFewNumbers) {
#pragma omp task untied
      sort(first, high + 1);
    } else {
      sort(first, high + 1);
    }
    first = middle;
  }
}

static void quicksort(void) {
  uint32_t seed = 1;
  for (int i = 0; i < kNumbers; ++i) numbers[i] = seed = seed * 1664525u + 1013904223u;
#pragma omp parallel
#pragma omp single
  sort(numbers, numbers + kNumbers);
  for (int i = 1; i < kNumbers; ++i)
    if (numbers[i - 1] > numbers[i]) abort();
}

static void product(void) {
  static char sums[kBlocks][kBlocks];
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < kBlocks; ++k)
    for (int row = 0; row < kBlocks; ++row)
      for (int column = 0; column < kBlocks; ++column) {
#pragma omp task depend(inout : sums[row][column])
        work(length);
      }
}

static void nested_taskloop(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 16; ++i) {
#pragma omp task
    {
#pragma omp taskloop grainsize(1)
      for (int k = 0; k < 64; ++k) work(length);
    }
  }
}

static void wavefront(void) {
  static char cells[kSide + 1][kSide + 1];
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kSide; ++i)
    for (int k = 1; k <= kSide; ++k) {
#pragma omp task depend(in : cells[i - 1][k], cells[i][k - 1]) depend(out : cells[i][k])
      work(length);
    }
}

static void node(uint32_t seed, int depth) {
  work(length);
  for (int child = 0; depth > 0 && child < 4; ++child) {
    uint32_t mine = (seed + (uint32_t)child + 1) * 2654435761u;
    if (mine >> 31 != 0 || depth > 7) {
#pragma omp task
      node(mine, depth - 1);
    }
  }
}

static void tree(void) {
#pragma omp parallel
#pragma omp single
  node(1, 9);
}

static void loop(void) {
  if (argument[0] == 'd') {
#pragma omp parallel for schedule(nonmonotonic : dynamic, 1)
    for (int i = 0; i < kTasks; ++i) work(length * i / (kTasks / 2));
  } else if (argument[0] == 'i') {
#pragma omp parallel for schedule(monotonic : dynamic, 1)
    for (int i = 0; i < kTasks; ++i) work(length * i / (kTasks / 2));
  } else if (argument[0] == 'g') {
#pragma omp parallel for schedule(guided)
    for (int i = 0; i < kTasks; ++i) work(length * i / (kTasks / 2));
  } else {
#pragma omp parallel
    for (int j = 0; j < 4; ++j) {
#pragma omp for schedule(monotonic : dynamic, 1) nowait
      for (int i = 0; i < kTasks / 4; ++i) work(length);
    }
  }
}

static void alone_first(void) {
  enum { kIterations = 4000, kAlone = 10 };
  static unsigned char times[kIterations];
  static int begun;
  memset(times, 0, sizeof times);
  begun = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() < omp_get_num_threads() - 1)
      while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) < kAlone) {
      }
#pragma omp for schedule(nonmonotonic : dynamic, 1)
    for (int i = 0; i < kIterations; ++i) {
      work(length);
      __atomic_fetch_add(&times[i], 1, __ATOMIC_RELAXED);
      if (i <= kAlone) __atomic_store_n(&begun, i, __ATOMIC_RELEASE);
    }
  }
  for (int i = 0; i < kIterations; ++i)
    if (times[i] != 1) abort();
}

static void sums(void) {
  long sum = 0;
  for (int j = 0; j < 50; ++j) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; ++i) {
      work(length / 10);
      sum += i;
    }
  }
  if (sum != 50 * 4950) abort();
}

static void first_region(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 1024; ++i) work(length);
}

static void start_threads(void) {
#pragma omp parallel
  __asm__ volatile("");
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"creator", creator},
             {"pipeline", pipeline},
             {"quicksort", quicksort},
             {"product", product},
             {"nested_taskloop", nested_taskloop},
             {"wavefront", wavefront},
             {"tree", tree},
             {"loop", loop},
             {"alone_first", alone_first},
             {"sums", sums},
             {"first_region", first_region}};

int main(int argc, char** argv) {
  if (argc > 2) argument = argv[2];
  if (argc > 3) length = atol(argv[3]);
  int later = argc > 4 ? atoi(argv[4]) : 2;
  for (size_t which = 0; which < sizeof(cases) / sizeof(cases[0]); ++which) {
    if (argc < 2 || strcmp(cases[which].name, argv[1]) != 0) continue;
    if (cases[which].run != first_region) start_threads();
    double first = 0, least = 1e9;
    for (int i = 0; i <= later; ++i) {
      double began = omp_get_wtime();
      cases[which].run();
      double took = omp_get_wtime() - began;
      if (i == 0) first = took;
      if (i > 0 && took < least) least = took;
    }
    printf("first_ns=%.0f later_ns=%.0f\n", first * 1e9, least * 1e9);
    return 0;
  }
  return 2;
}
