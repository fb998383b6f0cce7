// oneTBB twin of bots/nqueens without cut-off: a task for every square tried, in a task_group per call. The figure is
// milliseconds, as that of the program it stands beside.
#include "harness.h"

#include <tbb/task_group.h>

#include <array>

namespace {

enum { kMaxSize = 18 };

uint64_t nanoseconds_per_ms(uint64_t) { return 1000000; }

// The queen of row r stands in column_of[r], for the rows filled so far.
struct Board {
  std::array<signed char, kMaxSize> column_of;
};

bool place_queen(const Board& board, int row, int column, Board& next) {
  for (int above = 0; above < row; above++) {
    const int distance = row - above, other = board.column_of[above];
    if (other == column || other == column - distance || other == column + distance) return false;
    next.column_of[above] = static_cast<signed char>(other);
  }
  next.column_of[row] = static_cast<signed char>(column);
  return true;
}

int64_t count(int size, int row, const Board& board) {
  if (row == size) return 1;
  std::array<int64_t, kMaxSize> found;
  tbb::task_group group;
  for (int column = 0; column < size; column++)
    group.run([&board, &solutions = found[column], size, row, column] {
      Board next;
      solutions = place_queen(board, row, column, next) ? count(size, row + 1, next) : 0;
    });
  group.wait();
  int64_t total = 0;
  for (int column = 0; column < size; column++) total += found[column];
  return total;
}

// Sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
bool run(uint64_t n) {
  static constexpr int64_t known[kMaxSize + 1] = {
      1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512, 95815104, 666090624};
  return n <= kMaxSize && count(static_cast<int>(n), 0, Board{}) == known[n];
}

const bench_pattern patterns[] = {{"untied", kGenerator, 10, nanoseconds_per_ms, run, 0}};

} // namespace
BENCH_MAIN(patterns)
