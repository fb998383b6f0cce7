// The parallel version of matmul.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).

static void NAMED(multiply)(const double* a, const double* b, double* c, int64_t rows, int64_t middle,
                            int64_t columns) {
  switch (split_of(rows, middle, columns)) {
  case NO_SPLIT: multiply_leaf(a, b, c, rows, middle, columns); break;
  case ROWS: {
    const int64_t half = rows / 2;
#pragma omp task TIEDNESS firstprivate(a, b, c, half, middle, columns)
    NAMED(multiply)(a, b, c, half, middle, columns);
    NAMED(multiply)(a + half * matrix_size, b, c + half * matrix_size, rows - half, middle, columns);
    break;
  }
  case COLUMNS: {
    const int64_t half = columns / 2;
#pragma omp task TIEDNESS firstprivate(a, b, c, rows, middle, half)
    NAMED(multiply)(a, b, c, rows, middle, half);
    NAMED(multiply)(a, b + half, c + half, rows, middle, columns - half);
    break;
  }
  case MIDDLE: {
    const int64_t half = middle / 2;
    NAMED(multiply)(a, b, c, rows, half, columns);
    NAMED(multiply)(a + half, b + half * matrix_size, c, rows, middle - half, columns);
    break;
  }
  }
#pragma omp taskwait
}

static void NAMED(run)(void) { NAMED(multiply)(left, right, product, matrix_size, matrix_size, matrix_size); }
