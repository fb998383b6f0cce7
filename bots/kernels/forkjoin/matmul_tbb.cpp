// oneTBB twin of matmul.c.
#include "forkjoin/matmul.h"
#include "forkjoin/twin.h"

static void multiply(const double* a, const double* b, double* c, int64_t rows, int64_t middle, int64_t columns) {
  tbb::task_group group;
  switch (split_of(rows, middle, columns)) {
  case NO_SPLIT: multiply_leaf(a, b, c, rows, middle, columns); break;
  case ROWS: {
    const int64_t half = rows / 2;
    group.run([=] { multiply(a, b, c, half, middle, columns); });
    multiply(a + half * matrix_size, b, c + half * matrix_size, rows - half, middle, columns);
    break;
  }
  case COLUMNS: {
    const int64_t half = columns / 2;
    group.run([=] { multiply(a, b, c, rows, middle, half); });
    multiply(a, b + half, c + half, rows, middle, columns - half);
    break;
  }
  case MIDDLE: {
    const int64_t half = middle / 2;
    multiply(a, b, c, rows, half, columns);
    multiply(a + half, b + half * matrix_size, c, rows, middle - half, columns);
    break;
  }
  }
  group.wait();
}

static void run_twin(void) { multiply(left, right, product, matrix_size, matrix_size, matrix_size); }

TWIN_MAIN(.prepare = prepare, .verify = verify, .keep_answer = nullptr, .is_kept_answer = nullptr,
          .report_answer = nullptr)
