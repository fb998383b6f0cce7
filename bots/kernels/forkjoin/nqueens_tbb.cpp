// oneTBB twin of nqueens.c.
#include "forkjoin/nqueens.h"
#include "forkjoin/twin.h"

static int64_t nqueens(const board* from, int64_t row) {
  if (row == size) return 1;
  board boards[MAXIMUM_SIZE];
  int64_t solutions[MAXIMUM_SIZE];
  int64_t placed = 0;
  tbb::task_group group;
  for (int64_t column = 0; column < size; column++) {
    board* const next = &boards[placed];
    if (!place(from, row, column, next)) continue;
    int64_t* const found = &solutions[placed++];
    group.run([next, found, row] { *found = nqueens(next, row + 1); });
  }
  group.wait();
  int64_t total = 0;
  for (int64_t i = 0; i < placed; i++) total += solutions[i];
  return total;
}

static void run_twin(void) {
  const board empty = {{0}};
  answer = nqueens(&empty, 0);
}

TWIN_MAIN(.prepare = nullptr, .verify = verify, .keep_answer = nullptr, .is_kept_answer = nullptr,
          .report_answer = report_answer)
