// The task-parallel versions of nqueens.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). All but the last one differ only in how they stop making tasks from row `cutoff` on: there a
// task writes the count of its subtree into the slot of its column in the array of the call that made it; that call
// waits, then sums the slots.

/// No cut-off: one task for every square tried.
static void NAMED(count_none)(int row, const struct board* board, int64_t* solutions) {
  if (row == board_size) {
    *solutions = 1;
    return;
  }
  int64_t found[MAXIMUM_SIZE];
  for (int column = 0; column < board_size; column++) {
#pragma omp task TIEDNESS firstprivate(row, board, column) shared(found)
    {
      struct board next;
      found[column] = 0;
      if (place_queen(board, row, column, &next)) NAMED(count_none)(row + 1, &next, &found[column]);
    }
  }
#pragma omp taskwait
  *solutions = sum(found);
}

/// The if clause: below the cut-off the runtime still sees each task, but the creator executes it at once.
static void NAMED(count_if)(int row, const struct board* board, int64_t* solutions) {
  if (row == board_size) {
    *solutions = 1;
    return;
  }
  int64_t found[MAXIMUM_SIZE];
  for (int column = 0; column < board_size; column++) {
#pragma omp task TIEDNESS firstprivate(row, board, column) shared(found) if (row < cutoff)
    {
      struct board next;
      found[column] = 0;
      if (place_queen(board, row, column, &next)) NAMED(count_if)(row + 1, &next, &found[column]);
    }
  }
#pragma omp taskwait
  *solutions = sum(found);
}

/// The final clause: below the cut-off all descendants are included tasks.
static void NAMED(count_final)(int row, const struct board* board, int64_t* solutions) {
  if (row == board_size) {
    *solutions = 1;
    return;
  }
  int64_t found[MAXIMUM_SIZE];
  for (int column = 0; column < board_size; column++) {
#pragma omp task TIEDNESS firstprivate(row, board, column) shared(found) final(row >= cutoff) mergeable
    {
      struct board next;
      found[column] = 0;
      if (place_queen(board, row, column, &next)) NAMED(count_final)(row + 1, &next, &found[column]);
    }
  }
#pragma omp taskwait
  *solutions = sum(found);
}

/// The program's own test: below the cut-off there are no tasks at all, only the serial function.
static void NAMED(count_manual)(int row, const struct board* board, int64_t* solutions) {
  if (row == board_size) {
    *solutions = 1;
    return;
  }
  if (row >= cutoff) {
    *solutions = count_serial(row, board);
    return;
  }
  int64_t found[MAXIMUM_SIZE];
  for (int column = 0; column < board_size; column++) {
#pragma omp task TIEDNESS firstprivate(row, board, column) shared(found)
    {
      struct board next;
      found[column] = 0;
      if (place_queen(board, row, column, &next)) NAMED(count_manual)(row + 1, &next, &found[column]);
    }
  }
#pragma omp taskwait
  *solutions = sum(found);
}

/// No cut-off, no waiting and no slots: every task has its own copy of the board above it, and complete boards are
/// counted in `answer`, which the tasks' reduction makes private to each thread.
static void NAMED(count_reduction)(int row, const struct board* board) {
  const struct board above = *board;
  for (int column = 0; column < board_size; column++) {
#pragma omp task TIEDNESS firstprivate(row, above, column) in_reduction(+ : answer)
    {
      struct board next;
      if (place_queen(&above, row, column, &next)) {
        if (row + 1 == board_size)
          answer++;
        else
          NAMED(count_reduction)(row + 1, &next);
      }
    }
  }
}

static void NAMED(run_none)(void) {
  const struct board empty = {{0}};
  NAMED(count_none)(0, &empty, &answer);
}

static void NAMED(run_if)(void) {
  const struct board empty = {{0}};
  NAMED(count_if)(0, &empty, &answer);
}

static void NAMED(run_final)(void) {
  const struct board empty = {{0}};
  NAMED(count_final)(0, &empty, &answer);
}

static void NAMED(run_manual)(void) {
  const struct board empty = {{0}};
  NAMED(count_manual)(0, &empty, &answer);
}

static void NAMED(run_reduction)(void) {
  const struct board empty = {{0}};
  answer = 0;
#pragma omp taskgroup task_reduction(+ : answer)
  NAMED(count_reduction)(0, &empty);
}
