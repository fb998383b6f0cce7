// The same region in oneTBB: every caller has an arena of its own, as large as the machine, and all share one pool of
// threads. See callers.c.
#include <functional>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

constexpr int kChunks = 16;
extern "C" double callers_chunk();

extern "C" double callers_region() {
  return tbb::parallel_reduce(
      tbb::blocked_range<int>(0, kChunks), 0.0,
      [](const tbb::blocked_range<int>& range, double sum) {
        for (int i = range.begin(); i != range.end(); ++i) sum += callers_chunk();
        return sum;
      },
      std::plus<double>());
}
