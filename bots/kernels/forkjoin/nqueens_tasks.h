// The parallel version of nqueens.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).

static int64_t NAMED(nqueens)(const struct board* board, int64_t row) {
  if (row == size) return 1;
  struct board boards[MAXIMUM_SIZE];
  int64_t solutions[MAXIMUM_SIZE];
  int64_t placed = 0;
  for (int64_t column = 0; column < size; column++) {
    struct board* const next = &boards[placed];
    if (!place(board, row, column, next)) continue;
    int64_t* const found = &solutions[placed++];
#pragma omp task TIEDNESS firstprivate(next, found, row)
    *found = NAMED(nqueens)(next, row + 1);
  }
#pragma omp taskwait
  int64_t total = 0;
  for (int64_t i = 0; i < placed; i++) total += solutions[i];
  return total;
}

static void NAMED(run)(void) {
  const struct board empty = {{0}};
  answer = NAMED(nqueens)(&empty, 0);
}
