// The task-parallel versions of sort.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h).

/// Merges by halving: two tasks, one for the elements below the middle of the longer range, one for the others.
static void NAMED(merge_parallel)(const struct merge* whole) {
  if (whole->left_size + whole->right_size < merge_cutoff) {
    merge_serial(whole->left, whole->left_size, whole->right, whole->right_size, whole->target);
    return;
  }
  struct merge low, high;
  divide_merge(whole, &low, &high);
#pragma omp task TIEDNESS shared(low)
  NAMED(merge_parallel)(&low);
#pragma omp task TIEDNESS shared(high)
  NAMED(merge_parallel)(&high);
#pragma omp taskwait
}

/// Sorts four quarters in four tasks, merges them in pairs into `space` in two, and merges the pairs back.
static void NAMED(sort_parallel)(number* first, number* space, int64_t size) {
  if (size < quicksort_cutoff) {
    quicksort(first, size);
    return;
  }
  const int64_t quarter = size / 4;
  for (int64_t i = 0; i < 4; i++) {
#pragma omp task TIEDNESS firstprivate(first, space, size, quarter, i)
    NAMED(sort_parallel)(first + i * quarter, space + i * quarter, i < 3 ? quarter : size - 3 * quarter);
  }
#pragma omp taskwait
  const struct merge front = {first, first + quarter, quarter, quarter, space};
  const struct merge back = {first + 2 * quarter, first + 3 * quarter, quarter, size - 3 * quarter,
                             space + 2 * quarter};
#pragma omp task TIEDNESS shared(front)
  NAMED(merge_parallel)(&front);
#pragma omp task TIEDNESS shared(back)
  NAMED(merge_parallel)(&back);
#pragma omp taskwait
  const struct merge both = {space, space + 2 * quarter, 2 * quarter, size - 2 * quarter, first};
  NAMED(merge_parallel)(&both);
}

static void NAMED(run)(void) { NAMED(sort_parallel)(numbers, scratch, count); }
