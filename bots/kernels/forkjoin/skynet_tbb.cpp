// oneTBB twin of skynet.c.
#include "forkjoin/skynet.h"
#include "forkjoin/twin.h"

static int64_t skynet(int64_t first, int64_t height) {
  if (height == 0) return first;
  const int64_t below = leaves(height - 1);
  int64_t sums[CHILDREN];
  tbb::task_group group;
  for (int64_t child = 0; child < CHILDREN - 1; child++)
    group.run([&sums, first, height, child, below] { sums[child] = skynet(first + child * below, height - 1); });
  sums[CHILDREN - 1] = skynet(first + (CHILDREN - 1) * below, height - 1);
  group.wait();
  int64_t sum = 0;
  for (int64_t child = 0; child < CHILDREN; child++) sum += sums[child];
  return sum;
}

static void run_twin(void) { answer = skynet(0, depth); }

TWIN_MAIN(.prepare = nullptr, .verify = verify, .keep_answer = nullptr, .is_kept_answer = nullptr,
          .report_answer = report_answer)
