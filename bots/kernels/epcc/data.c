// epcc-data: repetitions of a construct with a data clause for an array, around units of work. README.md has the
// publications. Invariant: in a repetition each thread finds in its copy what the clause promises, or sets `is_broken`.
#include "epcc/delay.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 729 };

static int64_t repetitions = 2000;
static int64_t width = 16; // units of a repetition
static int64_t length = 64;
static uint64_t* values;
static int is_broken;

static uint64_t own[ELEMENTS];
#pragma omp threadprivate(own)

static void share_work(int64_t first) {
  for (int64_t unit = omp_get_thread_num(); unit < width; unit += omp_get_num_threads())
    values[first + unit] = delay(first + unit, length);
}

/// The array of a repetition: its first and last elements tell it from others.
static void mark(uint64_t* array, int64_t first) { array[0] = array[ELEMENTS - 1] = (uint64_t)first + 1; }

static void expect_mark(const uint64_t* array, int64_t first) {
  if (array[0] == (uint64_t)first + 1 && array[ELEMENTS - 1] == (uint64_t)first + 1) return;
#pragma omp atomic write
  is_broken = 1;
}

static void run_serial(void) {
  for (int64_t unit = 0; unit < repetitions * width; unit++) values[unit] = delay(unit, length);
}

static void run_private(void) {
  uint64_t array[ELEMENTS];
  for (int64_t first = 0; first < repetitions * width; first += width) {
#pragma omp parallel private(array)
    {
      mark(array, first + omp_get_thread_num());
      share_work(first);
      expect_mark(array, first + omp_get_thread_num());
    }
  }
}

static void run_firstprivate(void) {
  uint64_t array[ELEMENTS];
  memset(array, 0, sizeof(array));
  for (int64_t first = 0; first < repetitions * width; first += width) {
    mark(array, first);
#pragma omp parallel firstprivate(array)
    {
      share_work(first);
      expect_mark(array, first);
    }
  }
}

static void run_copyin(void) {
  for (int64_t first = 0; first < repetitions * width; first += width) {
    mark(own, first);
#pragma omp parallel copyin(own)
    {
      share_work(first);
      expect_mark(own, first);
    }
  }
}

/// Each thread adds one to every element. (Not of a static array: in a section of one, Clang 19 makes a private copy,
/// and the region uses the original.)
static void run_reduction(void) {
  uint64_t array[ELEMENTS];
  for (int64_t first = 0; first < repetitions * width; first += width) {
    int threads = 0;
    memset(array, 0, sizeof(array));
#pragma omp parallel reduction(+ : array, threads)
    {
      for (int element = 0; element < ELEMENTS; element++) array[element]++;
      threads++;
      share_work(first);
    }
    for (int element = 0; element < ELEMENTS; element++)
      if (array[element] != (uint64_t)threads) is_broken = 1;
  }
}

/// Run by every thread of the team: one sets the array, and each gets a copy.
static void run_copyprivate(void) {
  uint64_t array[ELEMENTS];
  memset(array, 0, sizeof(array));
  for (int64_t first = 0; first < repetitions * width; first += width) {
#pragma omp single copyprivate(array)
    mark(array, first);
    share_work(first);
    expect_mark(array, first);
  }
}

static void prepare(void) {
  const uint64_t bytes = (uint64_t)(repetitions * width) * sizeof(*values);
  if (values == NULL) values = allocate_or_exit(bytes);
  memset(values, 0, bytes);
}

static enum verification verify(void) {
  for (int64_t unit = 0; unit < repetitions * width; unit++)
    if (values[unit] != delay(unit, length)) return VERIFICATION_UNSUCCESSFUL;
  return is_broken ? VERIFICATION_UNSUCCESSFUL : VERIFICATION_SUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "repetitions", &repetitions, 1, 1 << 24},
      {'w', "units of work in a repetition", &width, 1, 1 << 12},
      {'d', "steps of a unit", &length, 0, 1 << 28},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", run_serial}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {{"copyprivate", run_copyprivate}, {NULL, NULL}};
  static const struct benchmark_version loose_versions[] = {{"private", run_private},
                                                            {"firstprivate", run_firstprivate},
                                                            {"copyin", run_copyin},
                                                            {"reduction", run_reduction},
                                                            {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "epcc-data",
      .summary = "data clauses of an array around units of work",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .loose_versions = loose_versions,
      .default_version = "firstprivate",
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(values);
  return status;
}
