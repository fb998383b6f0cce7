// The task-parallel versions of fib.c, which includes this file twice: as tied and as untied tasks (common/tiedness.h).
// They differ only in how they stop making tasks below depth `cutoff`.

/// No cut-off: fib(n) makes 2 * (fib(n + 1) - 1) tasks.
static int64_t NAMED(fib_none)(int64_t n) {
  if (n < 2) return n;
  int64_t left, right;
#pragma omp task TIEDNESS shared(left) firstprivate(n)
  left = NAMED(fib_none)(n - 1);
#pragma omp task TIEDNESS shared(right) firstprivate(n)
  right = NAMED(fib_none)(n - 2);
#pragma omp taskwait
  return left + right;
}

/// The if clause: below the cut-off the runtime still sees each task, but the creator executes it at once.
static int64_t NAMED(fib_if)(int64_t n, int64_t depth) {
  if (n < 2) return n;
  int64_t left, right;
#pragma omp task TIEDNESS shared(left) firstprivate(n, depth) if (depth < cutoff)
  left = NAMED(fib_if)(n - 1, depth + 1);
#pragma omp task TIEDNESS shared(right) firstprivate(n, depth) if (depth < cutoff)
  right = NAMED(fib_if)(n - 2, depth + 1);
#pragma omp taskwait
  return left + right;
}

/// The final clause: below the cut-off all descendants are included tasks, which may share the creator's data
/// environment.
static int64_t NAMED(fib_final)(int64_t n, int64_t depth) {
  if (n < 2) return n;
  int64_t left, right;
#pragma omp task TIEDNESS shared(left) firstprivate(n, depth) final(depth >= cutoff) mergeable
  left = NAMED(fib_final)(n - 1, depth + 1);
#pragma omp task TIEDNESS shared(right) firstprivate(n, depth) final(depth >= cutoff) mergeable
  right = NAMED(fib_final)(n - 2, depth + 1);
#pragma omp taskwait
  return left + right;
}

/// The program's own test: below the cut-off there are no tasks at all, only the serial function.
static int64_t NAMED(fib_manual)(int64_t n, int64_t depth) {
  if (n < 2) return n;
  if (depth >= cutoff) return fib_serial(n);
  int64_t left, right;
#pragma omp task TIEDNESS shared(left) firstprivate(n, depth)
  left = NAMED(fib_manual)(n - 1, depth + 1);
#pragma omp task TIEDNESS shared(right) firstprivate(n, depth)
  right = NAMED(fib_manual)(n - 2, depth + 1);
#pragma omp taskwait
  return left + right;
}

static void NAMED(run_none)(void) { answer = NAMED(fib_none)(number); }
static void NAMED(run_if)(void) { answer = NAMED(fib_if)(number, 0); }
static void NAMED(run_final)(void) { answer = NAMED(fib_final)(number, 0); }
static void NAMED(run_manual)(void) { answer = NAMED(fib_manual)(number, 0); }
