// A private deque that is full: others have taken the oldest tasks while their creator slept, and its next tasks go
// into the slots that are free again.
#include "support/check.h"
#include <omp.h>

enum { kSlots = 512, kMore = 16 }; // init_member() (team_cache.cpp); without a throttle so many tasks wait

int main(void) {
  int ran = 0;
  setenv("KMP_ENABLE_TASK_THROTTLING", "0", 1); // the runtime reads it at the first construct
#pragma omp parallel shared(ran)
#pragma omp masked
  for (int i = 0; i < kSlots + kMore; i++) {
    if (i == kSlots) usleep(200);
#pragma omp task shared(ran)
#pragma omp atomic
    ran++;
  }
  CHECK_EQ(ran, kSlots + kMore);
  return 0;
}
