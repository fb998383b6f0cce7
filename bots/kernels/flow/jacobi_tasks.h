// The task-parallel versions of jacobi.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h).

static void NAMED(run_wait)(void) {
  for (int64_t sweep = 0; sweep < sweeps; sweep++) {
    for (int64_t row = 0; row < size; row += block) {
      for (int64_t column = 0; column < size; column += block) {
#pragma omp task TIEDNESS firstprivate(sweep, row, column)
        sweep_block(sweep, row, column);
      }
    }
#pragma omp taskwait
  }
}

/// One thread makes all tasks. A block waits for its neighbours of the sweep before; what they still read of the sweep
/// before that, it may not yet overwrite.
static void NAMED(run_depend)(void) {
  for (int64_t sweep = 0; sweep < sweeps; sweep++) {
    for (int64_t row = 0; row < size; row += block) {
      for (int64_t column = 0; column < size; column += block) {
#pragma omp task TIEDNESS firstprivate(sweep, row, column)                                                             \
    depend(in : *block_of(sweep, row, column), *block_of(sweep, row - block, column),                                  \
               *block_of(sweep, row + block, column), *block_of(sweep, row, column - block),                           \
               *block_of(sweep, row, column + block)) depend(out : *block_of(sweep + 1, row, column))
        sweep_block(sweep, row, column);
      }
    }
  }
#pragma omp taskwait
}
