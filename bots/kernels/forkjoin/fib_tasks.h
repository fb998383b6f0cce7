// The parallel version of fib.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).

static int64_t NAMED(fib)(int64_t n) {
  if (n < 2) return n;
  int64_t left;
#pragma omp task TIEDNESS shared(left) firstprivate(n)
  left = NAMED(fib)(n - 1);
  const int64_t right = NAMED(fib)(n - 2);
#pragma omp taskwait
  return left + right;
}

static void NAMED(run)(void) { answer = NAMED(fib)(number); }
