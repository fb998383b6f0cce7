// The task-parallel versions of cholesky.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h).

/// One thread makes the tasks and waits twice a step: for the blocks below the diagonal, and for the updates to the
/// right of them.
static void NAMED(run_wait)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    const double* const diagonal = block_at(step, step);
    factor_diagonal(block_at(step, step));
    for (int64_t row = step + 1; row < block_count; row++) {
#pragma omp task TIEDNESS firstprivate(diagonal, row, step)
      solve_below(diagonal, block_at(row, step));
    }
#pragma omp taskwait
    for (int64_t row = step + 1; row < block_count; row++) {
      for (int64_t column = step + 1; column < row; column++) {
#pragma omp task TIEDNESS firstprivate(row, column, step)
        update(block_at(row, step), block_at(column, step), block_at(row, column));
      }
#pragma omp task TIEDNESS firstprivate(row, step)
      update_diagonal(block_at(row, step), block_at(row, row));
    }
#pragma omp taskwait
  }
}

/// One thread makes all tasks and waits once: an operation starts when the blocks that it reads and writes are ready,
/// also when others of its step, or of earlier steps, are not.
static void NAMED(run_depend)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double* const diagonal = block_at(step, step);
#pragma omp task TIEDNESS firstprivate(diagonal) depend(inout : diagonal[0])
    factor_diagonal(diagonal);
    for (int64_t row = step + 1; row < block_count; row++) {
      double* const below = block_at(row, step);
#pragma omp task TIEDNESS firstprivate(diagonal, below) depend(in : diagonal[0]) depend(inout : below[0])
      solve_below(diagonal, below);
    }
    for (int64_t row = step + 1; row < block_count; row++) {
      const double* const left = block_at(row, step);
      for (int64_t column = step + 1; column < row; column++) {
        const double* const right = block_at(column, step);
        double* const target = block_at(row, column);
#pragma omp task TIEDNESS firstprivate(left, right, target) depend(in : left[0], right[0]) depend(inout : target[0])
        update(left, right, target);
      }
      double* const target = block_at(row, row);
#pragma omp task TIEDNESS firstprivate(left, target) depend(in : left[0]) depend(inout : target[0])
      update_diagonal(left, target);
    }
  }
#pragma omp taskwait
}
