// The table of constructs: each directive and clause of OpenMP 5.2 that both compilers know and that shares work,
// memory or order, in the order of the specification, as small as can be: here data, regions, loops, worksharing.
// constructs_more.c has the rest, constructs.F90 what Fortran has.
#include "kinds.h"

enum { kCount = 6 };
static int x, y, a[kCount + 1], b[kCount + 1];

__attribute__((noinline)) static void add(int* to, int value) { *to += value; }
__attribute__((noinline)) static void add_atomically(int* to) {
#pragma omp atomic
  *to += 1;
}

// ---- Data environment -----------------------------------------------------------------------------------------------

static int own, kept;
#pragma omp threadprivate(own)
CURE(OMP(threadprivate(kept)))
PROGRAM(threadprivate) {
#pragma omp parallel num_threads(2)
  add(&kept, 1);
  return kept > 0;
}

PROGRAM(copyin) { // the initial thread changes its copy while the others take it over
  own = 1;
#pragma omp parallel num_threads(2) FAULT(shared(x)) CURE(copyin(own))
  FAULT(x = own;) CURE(add(&own, 1);) return own;
}

PROGRAM(private_clause) {
  int t = 0;
#pragma omp parallel num_threads(2) CURE(private(t))
  {
    t = omp_get_thread_num();
    a[omp_get_thread_num() & 1] = t;
  }
  return t >= 0;
}

PROGRAM(firstprivate_clause) {
  int t = 1;
#pragma omp parallel num_threads(2) CURE(firstprivate(t))
  {
    t += 1;
    a[omp_get_thread_num() & 1] = t;
  }
  return t > 0;
}

PROGRAM(lastprivate_clause) {
  int t = 0;
#pragma omp parallel for CURE(lastprivate(t))
  for (int i = 0; i < kCount; ++i) t = i;
  return t;
}

PROGRAM(linear_clause) {
  int t = 0;
#pragma omp parallel for FAULT(shared(t)) CURE(linear(t : 2))
  for (int i = 0; i < kCount; ++i) {
    a[i] = t;
    t += 2;
  }
  return t > 0;
}

PROGRAM(reduction_clause) {
  int t = 0;
#pragma omp parallel for CURE(reduction(max : t))
  for (int i = 0; i < kCount; ++i) t = t > i ? t : i;
  return t;
}

PROGRAM(reduction_of_a_section) {
  int sums[2] = {0, 0}; // Clang's code uses a static one itself, and no copy
#pragma omp parallel for CURE(reduction(+ : sums[0 : 2]))
  for (int i = 0; i < kCount; ++i) sums[i & 1] += i;
  return sums[0] > 0;
}

typedef struct {
  int low, high;
} Pair;
#pragma omp declare reduction(both:Pair : omp_out.low += omp_in.low, omp_out.high += omp_in.high)                      \
    initializer(omp_priv = {0, 0})
PROGRAM(declared_reduction) {
  Pair pair = {0, 0};
#pragma omp parallel for CURE(reduction(both : pair))
  for (int i = 0; i < kCount; ++i) pair.low += i, pair.high -= i;
  return pair.low > 0;
}

PROGRAM(reduction_is_read_too_early) { // the original has its value after the construct's barrier
  int t = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(+ : t) FAULT(nowait)
    for (int i = 0; i < kCount; ++i) t += i;
    a[omp_get_thread_num() & 1] = t;
  }
  return t > 0;
}

// ---- parallel, teams ------------------------------------------------------------------------------------------------

PROGRAM(parallel) {
#pragma omp parallel
  {
    CURE(OMP(atomic))
    x++;
  }
  return x > 0;
}

PROGRAM(if_clause) {
#pragma omp parallel CURE(if (kCount < 3))
  x++;
  return x > 0;
}

PROGRAM(nested_regions) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
  {
    CURE(OMP(critical))
    x++;
  }
  return x > 0;
}

PROGRAM(teams) {
#pragma omp teams num_teams(2)
  FAULT(x++) CURE(add_atomically(&x));
  return x > 0;
}

PROGRAM(teams_by_default) {
#pragma omp teams
  FAULT(x++) CURE(add_atomically(&x));
  return x > 0;
}

PROGRAM(teams_reduction) {
  int t = 0;
#pragma omp teams num_teams(2) FAULT(shared(t)) CURE(reduction(+ : t))
  t += 1;
  return t > 0;
}

PROGRAM(distribute) {
#pragma omp teams num_teams(2)
#pragma omp distribute
  for (int i = 0; i < kCount; ++i) a[i CURE(*1) FAULT(/ 4)] += i;
  return a[1] >= 0;
}

PROGRAM(distribute_parallel_for) {
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] >= 0;
}

// ---- Loops ----------------------------------------------------------------------------------------------------------

PROGRAM(loop_static) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_static_chunks) {
#pragma omp parallel for schedule(static, 2)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_dynamic) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_monotonic_dynamic) {
#pragma omp parallel for schedule(monotonic : dynamic, 2)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_guided) {
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_auto) {
#pragma omp parallel for schedule(auto)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_runtime) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_unsigned_long) {
#pragma omp parallel for schedule(dynamic)
  for (unsigned long i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_down) {
#pragma omp parallel for
  for (long i = kCount - 1; i >= 0; --i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_split_elsewhere) { // two iterations that most schedules give to one thread
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) a[i FAULT(-(i == 1))] = i;
  return a[1] > 0;
}

PROGRAM(loop_collapse) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) a[CURE(3 * i +) j] += 1;
  return a[1] > 0;
}

PROGRAM(loop_nowait) { // schedules of one length are alike
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kCount; ++i) a[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < kCount; ++i) b[i] = a[FAULT(kCount - 1 -) i];
  }
  return b[1] > 0;
}

PROGRAM(loop_ordered) {
#pragma omp parallel for ordered
  for (int i = 0; i < kCount; ++i) {
    CURE(OMP(ordered))
    x = 2 * x + i;
  }
  return x > 0;
}

PROGRAM(loop_doacross) {
#pragma omp parallel for ordered(1)
  for (int i = 1; i < kCount; ++i) {
#pragma omp ordered depend(sink : i - CURE(1) FAULT(2))
    a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  return a[1] > 0;
}

// The second thread may be in the second loop, whose iterations have the same numbers, before the third has waited for
// the first one in the first loop.
PROGRAM(loops_doacross_in_turn) {
#pragma omp parallel num_threads(3)
  {
#pragma omp for ordered(1) schedule(static, 1) nowait
    for (int i = 2; i < 5; ++i) {
#pragma omp ordered depend(sink : i - CURE(2) FAULT(3))
      a[i] = a[i - 2] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp for ordered(1) schedule(dynamic)
    for (int i = 2; i < 5; ++i) {
      b[i] = i;
#pragma omp ordered depend(source)
    }
  }
  return a[2] + b[2] > 0;
}

PROGRAM(loop_scan) {
  int t = 0;
#pragma omp parallel for CURE(reduction(inscan, + : t))
  for (int i = 0; i < kCount; ++i) {
    t += a[i];
    CURE(OMP(scan inclusive(t)))
    b[i] = t;
  }
  return b[1] >= 0;
}

PROGRAM(loop_simd) {
#pragma omp parallel for simd
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

PROGRAM(loop_construct) {
#pragma omp parallel
#pragma omp loop
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

// ---- Other worksharing ----------------------------------------------------------------------------------------------

PROGRAM(sections) {
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    x = 1;
#pragma omp section
    FAULT(x) CURE(y) = 2;
  }
  return x > 0;
}

PROGRAM(parallel_sections) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    x = 1;
#pragma omp section
    FAULT(x) CURE(y) = 2;
#pragma omp section
    b[0] = 1;
  }
  return x > 0;
}

PROGRAM(sections_nowait) {
#pragma omp parallel num_threads(2)
  {
#pragma omp sections FAULT(nowait)
    {
#pragma omp section
      x = 1;
#pragma omp section
      y = 2;
    }
    a[omp_get_thread_num() & 1] = x + y;
  }
  return x > 0;
}

PROGRAM(sections_lastprivate) {
  int t = 0;
#pragma omp parallel sections num_threads(2) CURE(lastprivate(t))
  {
#pragma omp section
    t = 1;
#pragma omp section
    t = 2;
  }
  return t;
}

PROGRAM(sections_reduction) {
  int t = 0;
#pragma omp parallel sections num_threads(2) CURE(reduction(+ : t))
  {
#pragma omp section
    t += 1;
#pragma omp section
    t += 2;
  }
  return t > 0;
}

PROGRAM(single) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single FAULT(nowait)
    x = 1;
    a[omp_get_thread_num() & 1] = x;
  }
  return x;
}

PROGRAM(single_copyprivate) {
#pragma omp parallel num_threads(2)
  {
    int t;
#pragma omp single FAULT(nowait) CURE(copyprivate(t))
    FAULT(x =) t = 1;
    a[omp_get_thread_num() & 1] = CURE(t) FAULT(x);
  }
  return a[0] >= 0;
}

PROGRAM(master) {
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    x = 1;
    CURE(OMP(barrier))
    a[omp_get_thread_num() & 1] = x;
  }
  return x;
}

PROGRAM(masked) {
#pragma omp parallel num_threads(2)
  {
#pragma omp masked filter(1)
    x = 1;
    CURE(OMP(barrier))
    a[omp_get_thread_num() & 1] = x;
  }
  return x;
}

#ifndef __clang__ // Clang 19 does not know it in C
PROGRAM(scope) {
  int t = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp scope CURE(reduction(+ : t))
    t += 1;
  }
  return t > 0;
}
#endif
