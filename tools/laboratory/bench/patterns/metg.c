// Minimum effective task granularity (metg_graph.h) under OpenMP: one thread makes all tasks, step by step, and each
// names the cells that it reads and its own in `depend`.
#include "metg_graph.h"

#include <omp.h>

// A list of dependences is part of the program's text, as in programs that people write; what has more than five inputs
// uses an iterator.
#define TEXT(...) #__VA_ARGS__
#define TASK(...)                                                                                                      \
  {                                                                                                                    \
    _Pragma(TEXT(omp task firstprivate(t, i, grain) depend(out : own->written) __VA_ARGS__)) metg_task(t, i, grain);   \
    break;                                                                                                             \
  }

static __attribute__((noinline)) void spawn(uint64_t t, uint64_t i, uint64_t grain) {
  const metg_node* const node = metg_node_at(&graph, t, i);
  const uint32_t* const in = graph.columns + node->first;
  metg_cell* const own = metg_cell_at(&graph, t, i);
  metg_cell* const from = t > 0 ? metg_cell_at(&graph, t - 1, 0) : own;
  switch (node->count) {
  case 0: TASK()
  case 1: TASK(depend(in : from[in[0]].written))
  case 2: TASK(depend(in : from[in[0]].written, from[in[1]].written))
  case 3: TASK(depend(in : from[in[0]].written, from[in[1]].written, from[in[2]].written))
  case 4: TASK(depend(in : from[in[0]].written, from[in[1]].written, from[in[2]].written, from[in[3]].written))
  case 5:
    TASK(depend(in : from[in[0]].written, from[in[1]].written, from[in[2]].written, from[in[3]].written,
                from[in[4]].written))
  default: TASK(depend(iterator(uint32_t k = 0 : node->count), in : from[in[k]].written))
  }
}

static double metg_run_tasks(uint64_t grain) {
  double ns = 0;
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp master
    {
      const double begin = bench_now_ns();
      for (uint64_t t = 0; t < graph.steps; t++)
        for (uint64_t i = 0; i < graph.width; i++)
          if (metg_node_at(&graph, t, i)->exists) spawn(t, i, grain);
#pragma omp taskwait
      ns = bench_now_ns() - begin;
    }
  }
  return ns;
}

static double metg_run_loop(uint64_t steps) {
  double ns = 0;
#pragma omp parallel reduction(max : ns)
  {
#pragma omp barrier
    ns = metg_loop(steps);
  }
  return ns;
}

static int metg_thread(void) { return omp_get_thread_num(); }

#define METG_PLACE kOutside
METG_SHAPES(METG_RUN)
static const bench_pattern patterns[] = {METG_SHAPES(METG_ENTRY)};
BENCH_MAIN(patterns)
