// Task graphs: the chains and the wavefront of depend.c, of some thousand tasks, that are recorded once and replayed.
// Where the library has no record and replay, the tasks are made each time.
#include "depend_work.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { kSteps = 64, kWidth = 65, kReset = 2 };

__attribute__((weak)) int32_t __kmpc_start_record_task(void* location, int32_t thread, int32_t flags, int32_t graph);
__attribute__((weak)) void __kmpc_end_record_task(void* location, int32_t thread, int32_t flags, int32_t graph);
__attribute__((weak)) int32_t __kmpc_global_thread_num(void* location);

// Executes make(), or replays what it has made.
static void graph(uint64_t round, int32_t number, void (*make)(void)) {
  const int32_t flags = round == 0 ? kReset : 0;
  if (__kmpc_start_record_task == NULL || __kmpc_end_record_task == NULL) {
#pragma omp taskgroup
    make();
    return;
  }
  const int32_t thread = __kmpc_global_thread_num(NULL);
  if (__kmpc_start_record_task(NULL, thread, flags, number)) make();
  __kmpc_end_record_task(NULL, thread, flags, number);
}

static uint64_t value[kChains];

static void make_chains(void) {
  for (uint64_t i = 0; i < kChains * kSteps; i++) {
    uint64_t* mine = &value[i % kChains];
#pragma omp task depend(inout : mine[0]) firstprivate(mine, i)
    *mine = mix(*mine, i);
  }
}

static bool run_chains(uint64_t rounds) {
  uint64_t expected[kChains] = {0};
  memset(value, 0, sizeof value);
  for (uint64_t round = 0; round < rounds; round++) {
    graph(round, 1, make_chains);
    for (uint64_t i = 0; i < kChains * kSteps; i++) expected[i % kChains] = mix(expected[i % kChains], i);
  }
  return memcmp(value, expected, sizeof value) == 0;
}

static uint64_t cells[kWidth * kWidth];

static void make_wavefront(void) {
  for (uint64_t i = 1; i < kWidth; i++)
    for (uint64_t j = 1; j < kWidth; j++) {
      const uint64_t at = i * kWidth + j;
#pragma omp task depend(in : cells[at - kWidth], cells[at - 1]) depend(out : cells[at]) firstprivate(at)
      wavefront_cell(cells, kWidth, at);
    }
}

static bool run_wavefront(uint64_t rounds) {
  static uint64_t expected[kWidth * kWidth];
  wavefront_border(cells, kWidth);
  wavefront_border(expected, kWidth);
  for (uint64_t round = 0; round < rounds; round++) {
    graph(round, 2, make_wavefront);
    wavefront_serial(expected, kWidth);
    cells[round % (kWidth * kWidth)] ^= 1; // the next round has another result
    expected[round % (kWidth * kWidth)] ^= 1;
  }
  return memcmp(cells, expected, sizeof cells) == 0;
}

static uint64_t chain_tasks(uint64_t rounds) { return rounds * kChains * kSteps; }
static uint64_t wavefront_tasks(uint64_t rounds) { return rounds * (kWidth - 1) * (kWidth - 1); }

static const bench_pattern patterns[] = {
    {"chains", kGenerator, 64, chain_tasks, run_chains, 0},
    {"wavefront", kGenerator, 64, wavefront_tasks, run_wavefront, 0},
};
BENCH_MAIN(patterns)
