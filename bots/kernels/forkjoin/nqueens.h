// What nqueens.c and its oneTBB twin share: the board, the answer, and all of main() but the versions.
#ifndef KERNELS_FORKJOIN_NQUEENS_H
#define KERNELS_FORKJOIN_NQUEENS_H

#include "common/benchmark.h"

#include <inttypes.h>
#include <string.h>

enum { MAXIMUM_SIZE = 16 };

static int64_t size = 10;
static int64_t answer;

/// The queen of row r stands in columns[r], for the rows filled so far.
struct board {
  int8_t columns[MAXIMUM_SIZE];
};

/// Whether a queen of the next row may stand in the column; then `next` is the board with it.
static bool place(const struct board* board, int64_t row, int64_t column, struct board* next) {
  for (int64_t above = 0; above < row; above++) {
    const int64_t other = board->columns[above], distance = row - above;
    if (other == column || other == column - distance || other == column + distance) return false;
  }
  memcpy(next->columns, board->columns, (size_t)row);
  next->columns[row] = (int8_t)column;
  return true;
}

static int64_t nqueens_serial(const struct board* board, int64_t row) {
  if (row == size) return 1;
  int64_t solutions = 0;
  for (int64_t column = 0; column < size; column++) {
    struct board next;
    if (place(board, row, column, &next)) solutions += nqueens_serial(&next, row + 1);
  }
  return solutions;
}

static void run_serial(void) {
  const struct board empty = {{0}};
  answer = nqueens_serial(&empty, 0);
}

/// Compares with sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
static enum verification verify(void) {
  static const int64_t known[MAXIMUM_SIZE + 1] = {1,   1,   0,    0,     2,     10,     4,       40,      92,
                                                  352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
  return answer == known[size] ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) { report_text("Answer", "%" PRId64 " solutions", answer); }

static const struct benchmark_parameter parameters[] = {
    {'n', "rows of the board", &size, 1, MAXIMUM_SIZE},
    {0, NULL, NULL, 0, 0},
};

#define ABOUT .name = "forkjoin-nqueens", .summary = "solutions of the n queens problem", .parameters = parameters

#endif
