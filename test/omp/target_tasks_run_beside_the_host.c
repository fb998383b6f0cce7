// The host goes on beside target regions with nowait, whatever the size of the team, also outside of all regions: the
// regions wait for one another, and for the host. A target region is run by an initial thread of its own. Tasks of host
// and device wait for each other by depend clauses, in groups and in taskwait, with helpers and without.
// RUN: %offload-openmp %s -o %t
// RUN: %for-threads env %offload %t
// RUN: %chomp-run env LIBOMP_USE_HIDDEN_HELPER_TASK=0 %offload %t alone
// RUN: %chomp-run env LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 %offload %t alone
// REQUIRES: offload
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

enum { kRegions = 7 };

static void meet(int threads) {
  int *arrived = calloc(1, sizeof(int)), *odd = calloc(1, sizeof(int));
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    for (int i = 0; i < kRegions; i++) {
#pragma omp target nowait is_device_ptr(arrived, odd)
      {
        if (omp_get_thread_num() != 0 || omp_get_num_threads() != 1 || omp_in_parallel()) ATOMIC_ADD(*odd, 1);
        ATOMIC_ADD(*arrived, 1);
        SPIN_UNTIL(ATOMIC_LOAD(*arrived) == kRegions + 1);
      }
    }
    SPIN_UNTIL(ATOMIC_LOAD(*arrived) == kRegions);
    ATOMIC_ADD(*arrived, 1);
#pragma omp taskwait
    CHECK_EQ(*odd, 0);
  }
  free(arrived);
  free(odd);
}

// As many of the host's tasks as of the device's, in one order.
static void chains(int threads, int round) {
  enum { kChains = 24 };
  int values[kChains] = {0}, sum = 0;
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kChains; i++) {
#pragma omp target nowait map(tofrom : values[i : 1]) depend(inout : values[i])
      values[i] += i;
#pragma omp task depend(inout : values[i]) shared(values)
      values[i] *= 2;
#pragma omp target nowait map(tofrom : values[i : 1]) depend(inout : values[i])
      values[i] += 1;
#pragma omp task depend(in : values[i]) depend(inout : sum) shared(values, sum)
      sum += values[i];
    }
    CHECK_EQ(sum, kChains * (kChains - 1) + kChains);
#pragma omp target enter data map(to : values[ : kChains]) nowait depend(inout : values[0])
#pragma omp target nowait depend(inout : values[0]) map(tofrom : values[ : kChains])
    values[0] = round;
#pragma omp target exit data map(from : values[ : kChains]) nowait depend(inout : values[0])
#pragma omp taskwait depend(in : values[0])
    CHECK_EQ(values[0], round);
  }
}

// The device waits for a task that this thread lets go afterwards.
static void event(int threads) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp target nowait depend(in : x) map(to : x) map(from : y)
    y = x + 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQ(y, 2);
  }
}

int main(int argc, char** argv) {
  CHECK(omp_get_num_devices() > 0);
  const int sizes[] = {0, 1, 2, 4, omp_get_max_threads()};
  for (int round = 0; round < 20; round++)
    for (int i = 0; i < 5; i++) {
      if (argc == 1) meet(sizes[i]);
      chains(sizes[i], round);
      event(sizes[i]);
    }
  return 0;
}
