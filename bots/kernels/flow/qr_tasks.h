// The task-parallel versions of qr.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).

/// One thread makes the tasks: those of a row of blocks run together, and it waits for them before the next row.
static void NAMED(run_wait)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    const double* const diagonal = block_at(step, step);
    factor(block_at(step, step), scales_of(step, step));
    for (int64_t column = step + 1; column < block_count; column++) {
#pragma omp task TIEDNESS firstprivate(diagonal, step, column)
      apply_factor(diagonal, scales_of(step, step), block_at(step, column));
    }
#pragma omp taskwait
    for (int64_t row = step + 1; row < block_count; row++) {
      clear(block_at(step, step), block_at(row, step), scales_of(row, step));
      for (int64_t column = step + 1; column < block_count; column++) {
#pragma omp task TIEDNESS firstprivate(step, row, column)
        apply_clear(block_at(row, step), scales_of(row, step), block_at(step, column), block_at(row, column));
      }
#pragma omp taskwait
    }
  }
}

/// One thread makes all tasks and waits once. A block's scales stand for the reflections stored in it, which readers
/// need after R, in the same diagonal block, has been written again: the two have dependences of their own.
static void NAMED(run_depend)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double *const diagonal = block_at(step, step), *const scale = scales_of(step, step);
#pragma omp task TIEDNESS firstprivate(diagonal, scale) depend(inout : diagonal[0]) depend(out : scale[0])
    factor(diagonal, scale);
    for (int64_t column = step + 1; column < block_count; column++) {
      double* const right = block_at(step, column);
#pragma omp task TIEDNESS firstprivate(diagonal, scale, right) depend(in : scale[0]) depend(inout : right[0])
      apply_factor(diagonal, scale, right);
    }
    for (int64_t row = step + 1; row < block_count; row++) {
      double *const below = block_at(row, step), *const cleared = scales_of(row, step);
#pragma omp task TIEDNESS firstprivate(diagonal, below, cleared) depend(inout : diagonal[0], below[0])                 \
    depend(out : cleared[0])
      clear(diagonal, below, cleared);
      for (int64_t column = step + 1; column < block_count; column++) {
        double *const above = block_at(step, column), *const target = block_at(row, column);
#pragma omp task TIEDNESS firstprivate(below, cleared, above, target) depend(in : cleared[0])                          \
    depend(inout : above[0], target[0])
        apply_clear(below, cleared, above, target);
      }
    }
  }
#pragma omp taskwait
}
