// The task-parallel versions of fft.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).
// A level of the recursion has three phases: distribute the numbers to the quarters, transform these, combine the
// transforms. The loops of the first and the last are divided into tasks too, or the top of the recursion would be
// serial.

static void NAMED(deal_parallel)(int64_t size, const number* source, number* target) {
  const int64_t quarter = size / RADIX;
  for (int64_t first = 0; first < quarter; first += leaf_size) {
#pragma omp task TIEDNESS firstprivate(size, quarter, first, source, target)
    deal(size, first, smaller(quarter, first + leaf_size), source, target);
  }
#pragma omp taskwait
}

static void NAMED(combine_parallel)(int64_t size, const number* source, number* target) {
  const int64_t quarter = size / RADIX;
  for (int64_t first = 0; first < quarter; first += leaf_size) {
#pragma omp task TIEDNESS firstprivate(size, quarter, first, source, target)
    combine(size, first, smaller(quarter, first + leaf_size), source, target);
  }
#pragma omp taskwait
}

/// No cut-off but the leaf size.
static void NAMED(transform_none)(int64_t size, number* data, number* space) {
  if (size <= leaf_size) {
    transform_serial(size, data, space);
    return;
  }
  const int64_t quarter = size / RADIX;
  NAMED(deal_parallel)(size, data, space);
  for (int64_t part = 0; part < RADIX; part++) {
#pragma omp task TIEDNESS firstprivate(quarter, part, data, space)
    NAMED(transform_none)(quarter, space + part * quarter, data + part * quarter);
  }
#pragma omp taskwait
  NAMED(combine_parallel)(size, space, data);
}

/// The program's own test: below the cut-off there are no tasks at all, only the serial function.
static void NAMED(transform_manual)(int64_t size, number* data, number* space, int64_t depth) {
  if (size <= leaf_size || depth >= cutoff) {
    transform_serial(size, data, space);
    return;
  }
  const int64_t quarter = size / RADIX;
  NAMED(deal_parallel)(size, data, space);
  for (int64_t part = 0; part < RADIX; part++) {
#pragma omp task TIEDNESS firstprivate(quarter, part, data, space, depth)
    NAMED(transform_manual)(quarter, space + part * quarter, data + part * quarter, depth + 1);
  }
#pragma omp taskwait
  NAMED(combine_parallel)(size, space, data);
}

/// The runtime divides the loops of all three phases; taskloops nest as the recursion does.
static void NAMED(transform_taskloop)(int64_t size, number* data, number* space) {
  if (size <= leaf_size) {
    transform_serial(size, data, space);
    return;
  }
  const int64_t quarter = size / RADIX;
#pragma omp taskloop TIEDNESS firstprivate(size, data, space) grainsize(leaf_size)
  for (uint64_t k = 0; k < (uint64_t)quarter; k++) deal(size, (int64_t)k, (int64_t)k + 1, data, space);
#pragma omp taskloop TIEDNESS firstprivate(quarter, data, space) grainsize(1)
  for (uint64_t part = 0; part < RADIX; part++)
    NAMED(transform_taskloop)(quarter, space + (int64_t)part * quarter, data + (int64_t)part * quarter);
#pragma omp taskloop TIEDNESS firstprivate(size, data, space) grainsize(leaf_size)
  for (uint64_t k = 0; k < (uint64_t)quarter; k++) combine(size, (int64_t)k, (int64_t)k + 1, space, data);
}

static void NAMED(run_none)(void) { NAMED(transform_none)(count, numbers, scratch); }
static void NAMED(run_manual)(void) { NAMED(transform_manual)(count, numbers, scratch, 0); }
static void NAMED(run_taskloop)(void) { NAMED(transform_taskloop)(count, numbers, scratch); }
