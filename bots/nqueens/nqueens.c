// bots-nqueens: in how many ways n queens stand on an n by n board without attacking each other, by backtracking: one
// task for every column tried in every row. ../README.md has the publications; the tasks are in nqueens_tasks.h.
// Invariant: a call reads its parent's board and writes only its own `solutions`; the parent's frame, which holds both,
// outlives it because the parent waits. (In the versions with a reduction nobody waits, and nothing is shared but the
// reduction variable.)
#include "common/benchmark.h"

#include <inttypes.h>

/// The known counts end here, and arrays of this size keep variable-length arrays out of the tasks (see ../README.md).
enum { MAXIMUM_SIZE = 18 };

/// The queen of row r stands in column column_of[r], for the rows filled so far.
struct board {
  signed char column_of[MAXIMUM_SIZE];
};

static int64_t board_size = 12;
static int64_t cutoff = 3;
static int64_t answer;

/// Copies `board` with a queen added at (row, column) into `next`; false if another queen attacks that square.
static bool place_queen(const struct board* board, int row, int column, struct board* next) {
  for (int above = 0; above < row; above++) {
    const int distance = row - above, other = board->column_of[above];
    if (other == column || other == column - distance || other == column + distance) return false;
    next->column_of[above] = (signed char)other;
  }
  next->column_of[row] = (signed char)column;
  return true;
}

static int64_t sum(const int64_t* solutions) {
  int64_t total = 0;
  for (int column = 0; column < board_size; column++) total += solutions[column];
  return total;
}

static int64_t count_serial(int row, const struct board* board) {
  if (row == board_size) return 1;
  int64_t total = 0;
  for (int column = 0; column < board_size; column++) {
    struct board next;
    if (place_queen(board, row, column, &next)) total += count_serial(row + 1, &next);
  }
  return total;
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "nqueens_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "nqueens_tasks.h"

static void run_serial(void) {
  const struct board empty = {{0}};
  answer = count_serial(0, &empty);
}

/// Compares with the counts published as sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
static enum verification verify(void) {
  static const int64_t known[MAXIMUM_SIZE + 1] = {
      1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};
  return answer == known[board_size] ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) { report_text("Answer", "%" PRId64 " solutions", answer); }

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "size of the board", &board_size, 1, MAXIMUM_SIZE},
      {'x', "row from which no tasks are made, for -if, -final, -manual", &cutoff, 0, MAXIMUM_SIZE},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {"tied-reduction", run_reduction_tied},
      {"untied-reduction", run_reduction_untied},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-nqueens",
      .summary = "counts the placements of n queens by backtracking, one task for every square tried",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .verify = verify,
      .report_answer = report_answer,
  };
  return benchmark_main(&benchmark, argc, argv);
}
