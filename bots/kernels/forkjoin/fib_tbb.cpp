// oneTBB twin of fib.c.
#include "forkjoin/fib.h"
#include "forkjoin/twin.h"

static int64_t fib(int64_t n) {
  if (n < 2) return n;
  int64_t left;
  tbb::task_group group;
  group.run([&left, n] { left = fib(n - 1); });
  const int64_t right = fib(n - 2);
  group.wait();
  return left + right;
}

static void run_twin(void) { answer = fib(number); }

TWIN_MAIN(.prepare = nullptr, .verify = verify, .keep_answer = nullptr, .is_kept_answer = nullptr,
          .report_answer = report_answer)
