// The task-parallel versions of alignment.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). They differ only in which threads make the tasks. All tasks are alike and none makes others, but
// pairs of long sequences take much longer than pairs of short ones.

/// One thread makes the tasks of all pairs.
static void NAMED(run_single)(void) {
  for (int64_t i = 0; i < pair_count; i++) {
#pragma omp task TIEDNESS firstprivate(i)
    align_pair(&pairs[i]);
  }
}

/// Every thread makes the tasks of some first sequences. Called by the whole team; the loop's barrier waits for the
/// tasks.
static void NAMED(run_for)(void) {
#pragma omp for schedule(dynamic)
  for (int64_t first = 0; first < sequence_count; first++) {
    for (int64_t i = first_pair(first); i < first_pair(first + 1); i++) {
#pragma omp task TIEDNESS firstprivate(i)
      align_pair(&pairs[i]);
    }
  }
}

/// The runtime divides the loop over the pairs into tasks, down to single pairs.
static void NAMED(run_taskloop)(void) {
#pragma omp taskloop TIEDNESS grainsize(1)
  for (uint64_t i = 0; i < (uint64_t)pair_count; i++) align_pair(&pairs[i]);
}
