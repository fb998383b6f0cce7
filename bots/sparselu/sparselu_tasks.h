// The task-parallel versions of sparselu.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). They differ in which threads make the tasks, and in how a task waits for the blocks that it
// reads.

/// One thread makes the tasks of a phase and waits for all of them before the next phase.
static void NAMED(run_single)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double* const diagonal = block(step, step);
    factorise(diagonal);
    for (int64_t column = step + 1; column < block_count; column++) {
      double* const right = block(step, column);
      if (right == NULL) continue;
#pragma omp task TIEDNESS firstprivate(diagonal, right)
      solve_lower(diagonal, right);
    }
    for (int64_t row = step + 1; row < block_count; row++) {
      double* const below = block(row, step);
      if (below == NULL) continue;
#pragma omp task TIEDNESS firstprivate(diagonal, below)
      solve_upper(diagonal, below);
    }
#pragma omp taskwait
    for (int64_t row = step + 1; row < block_count; row++) {
      const double* const left = block(row, step);
      if (left == NULL) continue;
      for (int64_t column = step + 1; column < block_count; column++) {
        const double* const above = block(step, column);
        if (above == NULL) continue;
        double* const target = filled_block(row, column);
#pragma omp task TIEDNESS firstprivate(left, above, target)
        subtract_product(left, above, target);
      }
    }
#pragma omp taskwait
  }
}

/// Every thread makes some of the tasks of a phase. Called by the whole team; the barriers at the ends of the loops
/// wait for the tasks. Those of one row of products are made by one thread, which may thus give memory to the row's
/// blocks.
static void NAMED(run_for)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double* const diagonal = block(step, step);
#pragma omp single
    factorise(diagonal);
#pragma omp for schedule(dynamic) nowait
    for (int64_t column = step + 1; column < block_count; column++) {
      double* const right = block(step, column);
      if (right != NULL) {
#pragma omp task TIEDNESS firstprivate(diagonal, right)
        solve_lower(diagonal, right);
      }
    }
#pragma omp for schedule(dynamic)
    for (int64_t row = step + 1; row < block_count; row++) {
      double* const below = block(row, step);
      if (below != NULL) {
#pragma omp task TIEDNESS firstprivate(diagonal, below)
        solve_upper(diagonal, below);
      }
    }
#pragma omp for schedule(dynamic)
    for (int64_t row = step + 1; row < block_count; row++) {
      const double* const left = block(row, step);
      for (int64_t column = step + 1; left != NULL && column < block_count; column++) {
        const double* const above = block(step, column);
        if (above == NULL) continue;
        double* const target = filled_block(row, column);
#pragma omp task TIEDNESS firstprivate(left, above, target)
        subtract_product(left, above, target);
      }
    }
  }
}

/// One thread makes all tasks at once; each waits only for the tasks that write the blocks it names. A block is named
/// by its first element.
static void NAMED(run_depend)(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double* const diagonal = block(step, step);
#pragma omp task TIEDNESS firstprivate(diagonal) depend(inout : diagonal[0])
    factorise(diagonal);
    for (int64_t column = step + 1; column < block_count; column++) {
      double* const right = block(step, column);
      if (right == NULL) continue;
#pragma omp task TIEDNESS firstprivate(diagonal, right) depend(in : diagonal[0]) depend(inout : right[0])
      solve_lower(diagonal, right);
    }
    for (int64_t row = step + 1; row < block_count; row++) {
      double* const below = block(row, step);
      if (below == NULL) continue;
#pragma omp task TIEDNESS firstprivate(diagonal, below) depend(in : diagonal[0]) depend(inout : below[0])
      solve_upper(diagonal, below);
      for (int64_t column = step + 1; column < block_count; column++) {
        const double* const above = block(step, column);
        if (above == NULL) continue;
        double* const target = filled_block(row, column);
#pragma omp task TIEDNESS firstprivate(below, above, target) depend(in : below[0], above[0]) depend(inout : target[0])
        subtract_product(below, above, target);
      }
    }
  }
}
