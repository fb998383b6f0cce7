// The loops of cg.c, which includes this file twice (loops/loops.h). Each reduction's variable is set to zero in a loop
// before it, by the thread that has iteration 0.

static void NAMED(solve)(void) {
#pragma omp LOOP schedule(static) reduction(+ : rr)
  for (int64_t i = 0; i < rows; i++) rr += r[i] * r[i];
  for (int64_t step = 0; step < steps; step++) {
#pragma omp LOOP schedule(static)
    for (int64_t i = 0; i < rows; i++) {
      if (i == 0) pq = next_rr = 0;
      double sum = 0;
      for (int k = 0; k < ROW; k++) sum += elements[i][k] * p[columns[i][k]];
      q[i] = sum;
    }
#pragma omp LOOP schedule(static) reduction(+ : pq)
    for (int64_t i = 0; i < rows; i++) pq += p[i] * q[i];
    const double alpha = pq > 0 ? rr / pq : 0;
#pragma omp LOOP schedule(static) reduction(+ : next_rr)
    for (int64_t i = 0; i < rows; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      next_rr += r[i] * r[i];
    }
    const double beta = rr > 0 ? next_rr / rr : 0;
#pragma omp LOOP schedule(static)
    for (int64_t i = 0; i < rows; i++) p[i] = r[i] + beta * p[i];
#pragma omp LOOP schedule(static)
    for (int64_t i = 0; i < 1; i++) rr = next_rr;
  }
}
