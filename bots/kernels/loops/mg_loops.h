// The loops of mg.c, which includes this file twice (loops/loops.h).

/// residual = right - A solution
static void NAMED(find_residual)(int64_t level) {
  const int64_t side = side_of(level);
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++)
        residual[level][at(side, k, j, i)] =
            right[level][at(side, k, j, i)] - laplacian(solution[level], side, k, j, i);
}

/// A step of Jacobi's iteration, damped by 6/7, the best factor for this stencil.
static void NAMED(smooth)(int64_t level) {
  const int64_t side = side_of(level);
  NAMED(find_residual)(level);
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++) solution[level][at(side, k, j, i)] += residual[level][at(side, k, j, i)] / 7;
}

/// The right side of the next smaller grid: the mean of the residual around each of its points, by the weights of
/// linear interpolation, times four for the wider mesh. Its solution is zero to begin with.
static void NAMED(restrict_residual)(int64_t level) {
  const int64_t fine = side_of(level), side = side_of(level - 1);
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++) {
        double sum = 0;
        for (int64_t dk = -1; dk <= 1; dk++)
          for (int64_t dj = -1; dj <= 1; dj++)
            for (int64_t di = -1; di <= 1; di++) {
              const double weight = (double)((2 - dk * dk) * (2 - dj * dj) * (2 - di * di)) / 64;
              sum += weight * residual[level][at(fine, 2 * k + dk, 2 * j + dj, 2 * i + di)];
            }
        right[level - 1][at(side, k, j, i)] = 4 * sum;
        solution[level - 1][at(side, k, j, i)] = 0;
      }
}

/// Adds the smaller grid's solution, by linear interpolation.
static void NAMED(correct)(int64_t level) {
  const int64_t side = side_of(level), coarse = side_of(level - 1);
#pragma omp LOOP collapse(2) schedule(static)
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++) {
        double sum = 0; // an odd coordinate lies between two points
        for (int64_t above = k / 2; above <= (k + 1) / 2; above++)
          for (int64_t beside = j / 2; beside <= (j + 1) / 2; beside++)
            for (int64_t next = i / 2; next <= (i + 1) / 2; next++)
              sum += solution[level - 1][at(coarse, above, beside, next)];
        const int64_t points = (1 + k % 2) * (1 + j % 2) * (1 + i % 2);
        solution[level][at(side, k, j, i)] += sum / (double)points;
      }
}

/// V-cycles: from the largest grid to the one of a single point, and back.
static void NAMED(solve)(void) {
  for (int64_t cycle = 0; cycle < cycles; cycle++) {
    for (int64_t level = levels - 1; level > 0; level--) {
      NAMED(smooth)(level);
      NAMED(find_residual)(level);
      NAMED(restrict_residual)(level);
    }
    NAMED(smooth)(0);
    for (int64_t level = 1; level < levels; level++) {
      NAMED(correct)(level);
      NAMED(smooth)(level);
    }
  }
}
