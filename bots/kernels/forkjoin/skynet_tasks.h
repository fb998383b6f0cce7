// The parallel version of skynet.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).

static int64_t NAMED(skynet)(int64_t first, int64_t height) {
  if (height == 0) return first;
  const int64_t below = leaves(height - 1);
  int64_t sums[CHILDREN];
  for (int64_t child = 0; child < CHILDREN - 1; child++) {
    int64_t* const sum = &sums[child];
#pragma omp task TIEDNESS firstprivate(sum, first, child, below, height)
    *sum = NAMED(skynet)(first + child * below, height - 1);
  }
  sums[CHILDREN - 1] = NAMED(skynet)(first + (CHILDREN - 1) * below, height - 1);
#pragma omp taskwait
  int64_t sum = 0;
  for (int64_t child = 0; child < CHILDREN; child++) sum += sums[child];
  return sum;
}

static void NAMED(run)(void) { answer = NAMED(skynet)(0, depth); }
