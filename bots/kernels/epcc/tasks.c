// epcc-tasks: the same units of work as tasks of several kinds: who makes them, whether they nest, what waits for them.
// README.md has the publications and says what each version is.
// Invariant: a unit writes its own value only, and its task is done when the region ends.
#include "epcc/delay.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

static int64_t units = 20000;
static int64_t length = 64;
static int64_t inner = 16;
static int64_t deferred = 0; // a parameter, so that no compiler knows it
static uint64_t* values;

static void work(int64_t unit) { values[unit] = delay(unit, length); }

static void run_serial(void) {
  for (int64_t unit = 0; unit < units; unit++) work(unit);
}

// ---- Run by every thread of the team -------------------------------------------------------------------------------

static void run_parallel(void) {
#pragma omp for schedule(static) nowait
  for (int64_t unit = 0; unit < units; unit++) {
#pragma omp task firstprivate(unit)
    work(unit);
  }
}

static void run_master(void) {
#pragma omp masked
  for (int64_t unit = 0; unit < units; unit++) {
#pragma omp task firstprivate(unit)
    work(unit);
  }
}

/// The others do the second half themselves, and only then take tasks.
static void run_busy(void) {
  const int64_t others = omp_get_num_threads() - 1, self = omp_get_thread_num();
  if (self == 0) {
    for (int64_t unit = 0; unit < units / 2; unit++) {
#pragma omp task firstprivate(unit)
      work(unit);
    }
  }
  if (others == 0)
    for (int64_t unit = units / 2; unit < units; unit++) work(unit);
  else if (self > 0)
    for (int64_t unit = units / 2 + self - 1; unit < units; unit += others) work(unit);
}

static void run_conditional(void) {
#pragma omp for schedule(static) nowait
  for (int64_t unit = 0; unit < units; unit++) {
#pragma omp task firstprivate(unit) if (deferred != 0)
    work(unit);
  }
}

static void run_wait(void) {
#pragma omp for schedule(static) nowait
  for (int64_t unit = 0; unit < units; unit++) {
#pragma omp task firstprivate(unit)
    work(unit);
#pragma omp taskwait
  }
}

static void run_barrier(void) {
  const int64_t threads = omp_get_num_threads(), self = omp_get_thread_num();
  for (int64_t first = 0; first < units; first += threads) {
    if (first + self < units) {
#pragma omp task firstprivate(first, self)
      work(first + self);
    }
#pragma omp barrier
  }
}

/// A task that makes `inner` others.
static void make_inner(int64_t first) {
  const int64_t end = first + inner < units ? first + inner : units;
  for (int64_t unit = first; unit < end; unit++) {
#pragma omp task firstprivate(unit)
    work(unit);
  }
}

static void run_nested(void) {
#pragma omp for schedule(static) nowait
  for (int64_t first = 0; first < units; first += inner) {
#pragma omp task firstprivate(first)
    make_inner(first);
  }
}

static void run_nested_master(void) {
#pragma omp masked
  for (int64_t first = 0; first < units; first += inner) {
#pragma omp task firstprivate(first)
    make_inner(first);
  }
}

// ---- Trees, from one thread ----------------------------------------------------------------------------------------

static void leaves(int64_t from, int64_t end) {
  if (end - from == 1) {
    work(from);
    return;
  }
  const int64_t middle = from + (end - from) / 2;
#pragma omp task firstprivate(from, middle)
  leaves(from, middle);
#pragma omp task firstprivate(middle, end)
  leaves(middle, end);
#pragma omp taskwait
}

static void branches(int64_t from, int64_t end) {
  if (from == end) return;
  const int64_t middle = from + (end - from) / 2;
#pragma omp task firstprivate(from, middle)
  branches(from, middle);
#pragma omp task firstprivate(middle, end)
  branches(middle + 1, end);
  work(middle);
#pragma omp taskwait
}

static void run_leaf(void) { leaves(0, units); }
static void run_branch(void) { branches(0, units); }

static void prepare(void) {
  if (values == NULL) values = allocate_or_exit((uint64_t)units * sizeof(*values));
  memset(values, 0, (size_t)units * sizeof(*values));
}

static enum verification verify(void) {
  for (int64_t unit = 0; unit < units; unit++)
    if (values[unit] != delay(unit, length)) return VERIFICATION_UNSUCCESSFUL;
  return VERIFICATION_SUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "units of work, each a task", &units, 1, 1 << 28},
      {'d', "steps of a unit", &length, 0, 1 << 28},
      {'i', "tasks that a task makes, for nested, nested-master", &inner, 1, 1 << 20},
      {'f', "whether tasks of conditional are deferred, 0 or 1", &deferred, 0, 1},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial}, {"branch", run_branch}, {"leaf", run_leaf}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {
      {"parallel", run_parallel},
      {"master", run_master},
      {"busy", run_busy},
      {"conditional", run_conditional},
      {"wait", run_wait},
      {"barrier", run_barrier},
      {"nested", run_nested},
      {"nested-master", run_nested_master},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "epcc-tasks",
      .summary = "units of work as tasks of several kinds",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .default_version = "parallel",
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(values);
  return status;
}
