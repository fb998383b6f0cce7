// epcc-sync: repetitions of a construct of synchronisation around units of work, as many whatever the team's size.
// README.md has the publications and says what each version is.
// Invariant: a unit is done once, by one thread; its value is either added to `sum` or stored in `values`.
#include "epcc/delay.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int64_t repetitions = 2000;
static int64_t width = 16; // units of a repetition
static int64_t length = 64;
static uint64_t* values;
static uint64_t sum;
static int64_t next_ordered;
static int is_broken; // a construct did not do what it promises
static omp_lock_t lock;

static int64_t units(void) { return repetitions * width; }
static void work(int64_t unit) { values[unit] = delay(unit, length); }

static void complain(void) {
#pragma omp atomic write
  is_broken = 1;
}

static void run_serial(void) {
  for (int64_t unit = 0; unit < units(); unit++) work(unit);
}

// ---- Regions: each repetition opens one ----------------------------------------------------------------------------

static void run_parallel(void) {
  for (int64_t first = 0; first < units(); first += width) {
#pragma omp parallel
    for (int64_t unit = omp_get_thread_num(); unit < width; unit += omp_get_num_threads()) work(first + unit);
  }
}

static void run_parallel_for(void) {
  for (int64_t first = 0; first < units(); first += width) {
#pragma omp parallel for schedule(static)
    for (int64_t unit = 0; unit < width; unit++) work(first + unit);
  }
}

static void run_reduction(void) {
  for (int64_t first = 0; first < units(); first += width) {
    uint64_t part = 0;
#pragma omp parallel for schedule(static) reduction(+ : part)
    for (int64_t unit = 0; unit < width; unit++) part += delay(first + unit, length);
    sum += part;
  }
}

// ---- Run by every thread of the team -------------------------------------------------------------------------------

static void run_for(void) {
  for (int64_t first = 0; first < units(); first += width) {
#pragma omp for schedule(static)
    for (int64_t unit = 0; unit < width; unit++) work(first + unit);
  }
}

/// After the barrier the last unit's value, which some other thread may have stored, is there.
static void run_barrier(void) {
  for (int64_t first = 0; first < units(); first += width) {
    for (int64_t unit = omp_get_thread_num(); unit < width; unit += omp_get_num_threads()) work(first + unit);
#pragma omp barrier
    if (values[first + width - 1] == 0) complain();
  }
}

static void run_single(void) {
  for (int64_t first = 0; first < units(); first += width) {
#pragma omp single
    for (int64_t unit = 0; unit < width; unit++) work(first + unit);
    if (values[first + width - 1] == 0) complain();
  }
}

static void run_critical(void) {
#pragma omp for schedule(static)
  for (int64_t unit = 0; unit < units(); unit++) {
    const uint64_t value = delay(unit, length);
#pragma omp critical(adding)
    sum += value;
  }
}

static void run_lock(void) {
#pragma omp for schedule(static)
  for (int64_t unit = 0; unit < units(); unit++) {
    const uint64_t value = delay(unit, length);
    omp_set_lock(&lock);
    sum += value;
    omp_unset_lock(&lock);
  }
}

static void run_atomic(void) {
#pragma omp for schedule(static)
  for (int64_t unit = 0; unit < units(); unit++) {
    const uint64_t value = delay(unit, length);
#pragma omp atomic
    sum += value;
  }
}

static void run_ordered(void) {
#pragma omp for schedule(static, 1) ordered
  for (int64_t unit = 0; unit < units(); unit++) {
    const uint64_t value = delay(unit, length);
#pragma omp ordered
    {
      sum += value;
      if (next_ordered++ != unit) complain();
    }
  }
}

static void prepare(void) {
  if (values == NULL) values = allocate_or_exit((uint64_t)units() * sizeof(*values));
  memset(values, 0, (size_t)units() * sizeof(*values));
  sum = 0;
  next_ordered = 0;
}

static enum verification verify(void) {
  uint64_t expected = 0;
  for (int64_t unit = 0; unit < units(); unit++) {
    expected += delay(unit, length);
    sum += values[unit];
  }
  return sum == expected && !is_broken ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "repetitions", &repetitions, 1, 1 << 24},
      {'w', "units of work in a repetition", &width, 1, 1 << 12},
      {'d', "steps of a unit", &length, 0, 1 << 28},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", run_serial}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {
      {"for", run_for},   {"barrier", run_barrier}, {"single", run_single},   {"critical", run_critical},
      {"lock", run_lock}, {"atomic", run_atomic},   {"ordered", run_ordered}, {NULL, NULL},
  };
  static const struct benchmark_version loose_versions[] = {
      {"parallel", run_parallel}, {"parallel-for", run_parallel_for}, {"reduction", run_reduction}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "epcc-sync",
      .summary = "constructs of synchronisation around units of work",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .loose_versions = loose_versions,
      .default_version = "for",
      .prepare = prepare,
      .verify = verify,
  };
  omp_init_lock(&lock);
  const int status = benchmark_main(&benchmark, argc, argv);
  omp_destroy_lock(&lock);
  free(values);
  return status;
}
