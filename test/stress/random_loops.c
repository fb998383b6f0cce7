// Random loops, one after the other without barriers: strides of either sign, chunks, every schedule, gigantic lengths,
// costs that are even, rise, fall, or sit in a few iterations; threads come late or give up their processor; teams
// change their size. Each iteration is handed out exactly once, and the one thread that learns that it has the last one
// gets it after all its others. libomp 19 ends with a failed assertion, or gives a thread more iterations after the
// last one.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8 33" %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="socket:4 core:2 pu:1" %for-threads -t "3 8" %t %}
#include "support/check.h"
#include "support/random.h"
#include <omp.h>
#include <string.h>

enum { kMost = 1 << 13, kLoops = 20, kMonotonic = 1 << 29, kNonmonotonic = 1 << 30 };

extern void __kmpc_dispatch_init_8(void*, int, int, long long, long long, long long, long long);
extern int __kmpc_dispatch_next_8(void*, int, int*, long long*, long long*, long long*);

typedef struct {
  long long n, lower, stride, chunk;
  int code, cost, late;
  int lasts;      // threads that had the last iteration
  uint64_t cover; // sum of hash(end) - hash(first) over all chunks: hash(n) - hash(0) if they cover the loop
} Loop;

static unsigned char runs[kLoops][kMost];
static Loop loops[kLoops];
static uint64_t counter, seed;

static uint64_t draw(uint64_t below) { return random_hash(seed + counter++) % below; }

static void work(const Loop* loop, long long i) {
  switch (loop->cost) {
  case 0: return;
  case 1: return burn(20);
  case 2: return burn((int)(i * 40 / loop->n));
  case 3: return burn((int)((loop->n - i) * 40 / loop->n));
  case 4: return burn(i == 0 ? 10000 : 0);
  case 5: return burn(i == loop->n - 1 ? 10000 : 0);
  case 6: return burn(random_hash((uint64_t)i) % 256 == 0 ? 3000 : 0);
  default:
    if (random_hash((uint64_t)i) % 64 == 0) sched_yield();
  }
}

static void run(int l) {
  Loop* loop = &loops[l];
  long long low, high, step;
  int last = 0, had_last = 0;
  if (omp_get_thread_num() == loop->late) burn(10000);
  __kmpc_dispatch_init_8(0, 0, loop->code, loop->lower, loop->lower + (loop->n - 1) * loop->stride, loop->stride,
                         loop->chunk);
  while (__kmpc_dispatch_next_8(0, 0, &last, &low, &high, &step)) {
    CHECK(!had_last);
    long long first = (low - loop->lower) / loop->stride, end = (high - loop->lower) / loop->stride + 1;
    CHECK(0 <= first && first < end && end <= loop->n);
    if (end == loop->n) had_last = 1;
    ATOMIC_ADD(loop->cover, random_hash((uint64_t)end) - random_hash((uint64_t)first));
    if (loop->n > kMost) continue;
    for (long long i = first; i < end; i++) {
      ATOMIC_ADD(runs[l][i], 1);
      work(loop, i);
    }
  }
  CHECK_EQ(!!last, had_last);
  if (had_last) ATOMIC_ADD(loop->lasts, 1);
}

static Loop draw_loop(int threads) {
  static const int codes[] = {33, 34, 35, 36, 38, 39, 44, 36 | kMonotonic, 37 | kNonmonotonic, 46 | kNonmonotonic};
  Loop loop = {.chunk = (long long)(draw(2) == 0 ? 1 : 1 + draw(100)), .cost = (int)draw(8)};
  loop.code = draw(3) == 0 ? codes[draw(sizeof codes / sizeof *codes)] : 35 | kNonmonotonic;
  loop.n = (long long)(draw(4) == 0 ? draw(20) : draw(kMost + 1));
  loop.stride = (long long)(1 + draw(1000)) * (draw(2) == 0 ? 1 : -1);
  loop.lower = (long long)draw(1 << 30) - (1 << 29);
  loop.late = (int)draw(2 * (uint64_t)threads);
  if (draw(8) == 0 && (loop.code & kNonmonotonic)) { // not one that is handed out chunk by chunk
    loop.n = (long long)(draw(1ull << 62) >> draw(31));
    loop.chunk = 1 + loop.n / (long long)(1 + draw(1 << 14)); // no order of chunks lets such a loop end otherwise
    if (loop.code == (37 | kNonmonotonic)) loop.code = 35 | kNonmonotonic; // whose chunk would be that of a setting
    loop.stride /= loop.stride < 0 ? -loop.stride : loop.stride;
  }
  return loop;
}

static void check(int l) {
  const Loop* loop = &loops[l];
  int wrong = loop->cover != random_hash((uint64_t)loop->n) - random_hash(0) || loop->lasts != (loop->n > 0);
  for (long long i = 0; i < kMost && !wrong; i++) wrong = runs[l][i] != (loop->n <= kMost && i < loop->n);
  if (!wrong) return;
  fprintf(stderr, "schedule %#x chunk %lld: wrong iterations of %lld, %d threads have the last\n", (unsigned)loop->code,
          loop->chunk, loop->n, loop->lasts);
  _exit(1);
}

int main(void) {
  seed = random_seed();
  int most = omp_get_max_threads();
  for (int round = 0; round < SCALED(160) * stress_factor(); round++) {
    int threads = round % 4 == 3 ? 1 + (int)draw((uint64_t)most) : most, count = 1 + (int)draw(kLoops);
    memset(runs, 0, sizeof runs);
    for (int l = 0; l < count; l++) loops[l] = draw_loop(threads);
    omp_set_schedule(draw(2) ? omp_sched_dynamic : omp_sched_auto, 1 + (int)draw(8));
#pragma omp parallel num_threads(threads)
    for (int l = 0; l < count; l++) run(l);
    for (int l = 0; l < count; l++) check(l);
  }
  return 0;
}
