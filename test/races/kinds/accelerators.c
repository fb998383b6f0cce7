// Target regions and leagues of teams, on the host.
#include "kinds.h"

enum { kCount = 16 };
static int a[kCount + 1];

PROGRAM(neighbours_on_the_device) {
#pragma omp target teams distribute parallel for map(tofrom : a)
  for (int i = 0; i < kCount; ++i) a[i] = a[i + FAULT(1) CURE(0)] + 1;
  return a[kCount - 1];
}

PROGRAM(sum_on_the_device) {
  int sum = 0;
#pragma omp target map(tofrom : sum)
#pragma omp parallel for CURE(reduction(+ : sum))
  for (int i = 0; i < kCount; ++i) sum += i;
  return sum > 0;
}

PROGRAM(teams_share_a_variable) {
  int sum = 0;
#pragma omp target teams num_teams(3) map(tofrom : sum)
#pragma omp distribute
  for (int i = 0; i < 3; ++i) {
    CURE(OMP(atomic))
    sum += i;
  }
  return sum >= 0;
}

PROGRAM(host_uses_it_too_early) {
  int value = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait map(tofrom : value) depend(out : value)
    value = 1;
    CURE(OMP(taskwait))
    seen = value;
  }
  return seen >= 0;
}

PROGRAM(two_target_tasks) {
  int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 2; ++i) {
#pragma omp target nowait map(tofrom : value) CURE(depend(inout : value))
    value += 1;
  }
  return value > 0;
}

PROGRAM(barrier_of_one_team) {
  static int made[4];
  int seen = 0;
#pragma omp target parallel num_threads(2) map(tofrom : made) reduction(+ : seen)
  {
    made[omp_get_thread_num() & 1] = 1;
    CURE(OMP(barrier))
    seen += made[0];
  }
  return seen >= 0;
}
