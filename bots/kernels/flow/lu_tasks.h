// The task-parallel versions of lu.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).

/// One thread makes the tasks and waits twice a step.
static void NAMED(run_wait)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    const double* const diagonal = block_at(step, step);
    factor(block_at(step, step));
    for (int64_t other = step + 1; other < block_count; other++) {
#pragma omp task TIEDNESS firstprivate(diagonal, step, other)
      solve_lower(diagonal, block_at(step, other));
#pragma omp task TIEDNESS firstprivate(diagonal, step, other)
      solve_upper(diagonal, block_at(other, step));
    }
#pragma omp taskwait
    for (int64_t row = step + 1; row < block_count; row++) {
      for (int64_t column = step + 1; column < block_count; column++) {
#pragma omp task TIEDNESS firstprivate(row, column, step)
        update(block_at(row, step), block_at(step, column), block_at(row, column));
      }
    }
#pragma omp taskwait
  }
}

/// One thread makes all tasks and waits once: a task starts when the blocks that it reads and writes are ready.
static void NAMED(run_depend)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double* const diagonal = block_at(step, step);
#pragma omp task TIEDNESS firstprivate(diagonal) depend(inout : diagonal[0])
    factor(diagonal);
    for (int64_t other = step + 1; other < block_count; other++) {
      double *const right = block_at(step, other), *const below = block_at(other, step);
#pragma omp task TIEDNESS firstprivate(diagonal, right) depend(in : diagonal[0]) depend(inout : right[0])
      solve_lower(diagonal, right);
#pragma omp task TIEDNESS firstprivate(diagonal, below) depend(in : diagonal[0]) depend(inout : below[0])
      solve_upper(diagonal, below);
    }
    for (int64_t row = step + 1; row < block_count; row++) {
      const double* const left = block_at(row, step);
      for (int64_t column = step + 1; column < block_count; column++) {
        const double* const above = block_at(step, column);
        double* const target = block_at(row, column);
#pragma omp task TIEDNESS firstprivate(left, above, target) depend(in : left[0], above[0]) depend(inout : target[0])
        update(left, above, target);
      }
    }
  }
#pragma omp taskwait
}
