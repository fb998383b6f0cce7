// The task graphs of metg.c and metg_tbb.cpp, the kernels of their tasks, and the search for the minimum effective task
// granularity (Slaughter et al., Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime Performance, SC
// 2020). A graph has `steps` steps of at most `width` columns; task (t, i) depends on some columns of step t - 1.
//
// Granularity is what the paper says it is: wall time times threads over tasks. Efficiency is the rate of the kernel
// over its peak rate. The peak is that of the same steps of the kernel in a plain parallel loop, measured beside each
// run of the graph, so that a machine which changes its speed does so for both. METG(e) is the smallest granularity at
// which the efficiency is e: where the curve crosses e for the last time, between two measured points.
//
// Each task checks that each of its inputs was written by its step of this very run, and says so in its own cell, which
// the tasks after it and at last metg_is_right() look at: a task that ran too early, or not at all, is found.
#pragma once

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  kTrivial,
  kNoCommunication,
  kStencil,
  kStencilPeriodic,
  kNearest,
  kSpread,
  kRandomNearest,
  kFft,
  kTree,
  kDom,
  kAllToAll
} metg_shape;
typedef enum { kCompute, kMemory, kImbalanced } metg_kernel;

enum { kRadius = 2, kSpreadInputs = 5 }; // of nearest, and of spread

typedef struct {
  _Alignas(64) uint64_t written; // the run's number and the step, if all inputs were right
} metg_cell;

typedef struct {
  uint32_t exists, first, count; // the inputs are columns[first] ... of the step before
} metg_node;

typedef struct {
  metg_shape shape;
  metg_kernel kernel;
  uint64_t width, steps, run, tasks, weight; // weight: of all tasks, in 1/256 of the grain
  metg_node* nodes;
  uint32_t* columns;
  metg_cell* cells;
} metg_graph;

static metg_graph graph;

static inline uint64_t metg_hash(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t x = (a * 0x9E3779B97F4A7C15u + b) * 0xBF58476D1CE4E5B9u + c;
  x = (x ^ (x >> 31)) * 0x94D049BB133111EBu;
  return x ^ (x >> 29);
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

// The columns that step t has. A tree doubles until it is as wide as the graph; a sweep (dom) moves in from column 0
// and out at the last one.
static inline bool metg_exists(const metg_graph* g, uint64_t t, uint64_t i) {
  if (g->shape == kTree) return t >= 63 || i < (1ull << t);
  if (g->shape == kDom) return i <= t && (g->steps <= g->width || i + (g->steps - g->width) >= t);
  return true;
}

static inline void metg_add(metg_graph* g, uint64_t t, metg_node* node, int64_t column, bool around) {
  const int64_t width = (int64_t)g->width;
  if (around) column = ((column % width) + width) % width;
  if (column < 0 || column >= width || !metg_exists(g, t - 1, (uint64_t)column)) return;
  for (uint32_t k = 0; k < node->count; k++)
    if (g->columns[node->first + k] == (uint32_t)column) return;
  g->columns[node->first + node->count++] = (uint32_t)column;
}

static inline uint64_t metg_stages(uint64_t width) {
  uint64_t stages = 1;
  while ((2ull << stages) <= width) stages++;
  return stages;
}

static inline void metg_add_inputs(metg_graph* g, uint64_t t, uint64_t column, metg_node* node) {
  const int64_t i = (int64_t)column, width = (int64_t)g->width;
  switch (g->shape) {
  case kTrivial: break;
  case kNoCommunication: metg_add(g, t, node, i, false); break;
  case kStencil:
  case kStencilPeriodic:
    for (int64_t d = -1; d <= 1; d++) metg_add(g, t, node, i + d, g->shape == kStencilPeriodic);
    break;
  case kNearest:
  case kRandomNearest:
    for (int64_t d = -kRadius; d <= kRadius; d++)
      if (g->shape == kNearest || (metg_hash(t, column, (uint64_t)(d + kRadius)) & 1))
        metg_add(g, t, node, i + d, false);
    break;
  case kSpread:
    for (int64_t m = 0; m < kSpreadInputs; m++) metg_add(g, t, node, i + (int64_t)t + m * width / kSpreadInputs, true);
    break;
  case kFft: {
    const int64_t distance = 1ll << ((t - 1) % metg_stages(g->width));
    for (int64_t d = -1; d <= 1; d++) metg_add(g, t, node, i + d * distance, false);
    break;
  }
  case kTree: metg_add(g, t, node, metg_exists(g, t - 1, g->width - 1) ? i : i / 2, false); break;
  case kDom:
    metg_add(g, t, node, i - 1, false);
    metg_add(g, t, node, i, false);
    break;
  case kAllToAll:
    for (int64_t j = 0; j < width; j++) metg_add(g, t, node, j, false);
    break;
  }
}

// ---- kernels --------------------------------------------------------------------------------------------------------

// The length of a task in 1/256 of the grain: of imbalanced ones between nothing and twice the grain.
static inline uint64_t metg_weight(const metg_graph* g, uint64_t t, uint64_t i) {
  return g->kernel == kImbalanced ? metg_hash(t, i, 77) % 513 : 256;
}

// The memory-bound kernel goes round and round through memory of the thread that runs the task: more than a core's
// caches hold, whatever the grain.
enum { kLineWords = 8, kLanes = 1024, kLaneLines = 1 << 18 }; // 16 MiB

static struct {
  _Alignas(128) uint64_t* words;
  uint64_t at; // the next line
} lanes[kLanes];

// By each program: the number of the calling thread.
static int metg_thread(void);

static inline void metg_stream(uint64_t lines) {
  const int thread = metg_thread();
  uint64_t at = lanes[thread].at;
  for (uint64_t i = 0; i < lines; i++) {
    uint64_t* const line = lanes[thread].words + at * kLineWords;
    for (int k = 0; k < kLineWords; k++) line[k] += k;
    if (++at == kLaneLines) at = 0;
  }
  lanes[thread].at = at;
}

static inline void metg_execute(const metg_graph* g, uint64_t length) {
  if (g->kernel == kMemory)
    metg_stream(length / 4); // a line takes about as long as four multiplications
  else
    bench_spin(length);
}

// ---- one task -------------------------------------------------------------------------------------------------------

static inline metg_node* metg_node_at(const metg_graph* g, uint64_t t, uint64_t i) {
  return &g->nodes[t * g->width + i];
}
static inline metg_cell* metg_cell_at(const metg_graph* g, uint64_t t, uint64_t i) {
  return &g->cells[t * g->width + i];
}
static inline uint64_t metg_mark(const metg_graph* g, uint64_t t) { return g->run * g->steps + t + 1; }

static inline void metg_task(uint64_t t, uint64_t i, uint64_t grain) {
  const metg_graph* const g = &graph;
  const metg_node* const node = metg_node_at(g, t, i);
  bool right = true;
  for (uint32_t k = 0; k < node->count; k++)
    right &= metg_cell_at(g, t - 1, g->columns[node->first + k])->written == metg_mark(g, t - 1);
  metg_execute(g, grain * metg_weight(g, t, i) / 256);
  metg_cell_at(g, t, i)->written = right ? metg_mark(g, t) : 0;
}

static inline bool metg_is_right(void) {
  bool right = true;
  for (uint64_t t = 0; t < graph.steps; t++)
    for (uint64_t i = 0; i < graph.width; i++)
      right &= !metg_node_at(&graph, t, i)->exists || metg_cell_at(&graph, t, i)->written == metg_mark(&graph, t);
  return right;
}

// ---- the graph ------------------------------------------------------------------------------------------------------

static inline void* metg_allocate(uint64_t bytes) {
  void* const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == NULL) abort();
  memset(memory, 0, bytes);
  return memory;
}

// --arg is the width; without one it is four columns for each thread.
static inline void metg_make(metg_shape shape, metg_kernel kernel, uint64_t steps) {
  metg_graph* const g = &graph;
  if (g->nodes != NULL) return; // made by an earlier repetition
  g->shape = shape;
  g->kernel = kernel;
  g->steps = steps;
  g->width = bench_arg() != 0 ? bench_arg() : 4 * (uint64_t)bench_threads();
  const uint64_t most = shape == kAllToAll ? g->width : kSpreadInputs;
  g->nodes = (metg_node*)metg_allocate(steps * g->width * sizeof(metg_node));
  g->columns = (uint32_t*)metg_allocate(steps * g->width * most * sizeof(uint32_t));
  g->cells = (metg_cell*)metg_allocate(steps * g->width * sizeof(metg_cell));
  uint32_t next = 0;
  for (uint64_t t = 0; t < steps; t++)
    for (uint64_t i = 0; i < g->width; i++) {
      metg_node* const node = metg_node_at(g, t, i);
      node->exists = metg_exists(g, t, i);
      node->first = next;
      if (!node->exists) continue;
      if (t > 0) metg_add_inputs(g, t, i, node);
      next += node->count;
      g->tasks++;
      g->weight += metg_weight(g, t, i);
    }
  if (kernel != kMemory) return;
  if (bench_threads() > kLanes) abort();
  for (int i = 0; i < bench_threads(); i++)
    lanes[i].words = (uint64_t*)metg_allocate(kLaneLines * kLineWords * sizeof(uint64_t));
}

// ---- the search -----------------------------------------------------------------------------------------------------

// By each program, in nanoseconds: the graph with tasks of this grain; metg_loop(steps) by all threads at a time, of
// which the slowest counts.
static double metg_run_tasks(uint64_t grain);
static double metg_run_loop(uint64_t steps);

static inline double metg_loop(uint64_t steps) {
  const double begin = bench_now_ns();
  metg_execute(&graph, steps);
  return bench_now_ns() - begin;
}

enum { kFirstGrain = 16, kMostPoints = 20, kLeastAttempts = 3, kLeastSteps = 1 << 14 };
static const double kAttemptsNs = 5e6; // no more than the least attempts after that time
static const double kMostNs = 1e6;     // of the granularity: nobody looks for a METG beyond

typedef struct {
  double granularity_ns, efficiency;
} metg_point;

// Runs the graph and the loop in turn, --reps times at most. The best of each counts, since others may take a CPU for a
// moment.
static inline metg_point metg_measure(uint64_t grain, bool* right) {
  const double steps = (double)graph.weight / 256 * (double)grain / bench_threads(); // of a thread
  const uint64_t loop_steps = steps < kLeastSteps ? kLeastSteps : (uint64_t)steps;
  double tasks_ns = 1e30, loop_ns = 1e30;
  double spent_ns = 0;
  for (int i = 0; i < kLeastAttempts || (bench_more(i) && spent_ns < kAttemptsNs); i++) {
    graph.run++;
    const double tasks = metg_run_tasks(grain), loop = metg_run_loop(loop_steps);
    *right = metg_is_right() && *right;
    if (tasks < tasks_ns) tasks_ns = tasks;
    if (loop < loop_ns) loop_ns = loop;
    spent_ns += tasks + loop;
  }
  const metg_point point = {tasks_ns * bench_threads() / (double)graph.tasks,
                            loop_ns * steps / (double)loop_steps / tasks_ns};
  return point;
}

// Where the curve last crosses the efficiency, on a line through logarithms of granularities; 0: it is below to the
// end.
static inline double metg_crossing(const metg_point* points, int count, double efficiency) {
  int last = count - 1;
  if (points[last].efficiency < efficiency) return 0;
  while (last > 0 && points[last - 1].efficiency >= efficiency) last--;
  if (last == 0) return points[0].granularity_ns;
  const metg_point *low = &points[last - 1], *high = &points[last];
  const double part = (efficiency - low->efficiency) / (high->efficiency - low->efficiency);
  return low->granularity_ns * pow(high->granularity_ns / low->granularity_ns, part);
}

// The figure is METG(50 %) in nanoseconds, or the largest granularity if that stays below (metg50=0). metg95 alike;
// smallest: the granularity of the shortest tasks, which is what a task costs all threads together. With --reps 1 the
// search ends at 75 %, since longer tasks are what a virtual machine takes minutes for: metg95 is then not known.
static inline bool metg_search(metg_shape shape, metg_kernel kernel, uint64_t steps) {
  metg_point points[kMostPoints];
  bool right = true;
  int count = 0;
  const double enough = bench_more(1) ? 0.97 : 0.75;
  metg_make(shape, kernel, steps);
  for (uint64_t grain = kFirstGrain; count < kMostPoints; grain *= 2) {
    points[count++] = metg_measure(grain, &right);
    if (points[count - 1].efficiency >= enough || points[count - 1].granularity_ns >= kMostNs) break;
  }
  const double half = metg_crossing(points, count, 0.5);
  bench_replace_ns(half > 0 ? half : points[count - 1].granularity_ns);
  bench_extra("metg50", half);
  bench_extra("metg95", metg_crossing(points, count, 0.95));
  bench_extra("smallest", points[0].granularity_ns);
  return right;
}

static inline uint64_t metg_unit(uint64_t n) {
  (void)n;
  return 1;
}

// ---- the table of patterns ------------------------------------------------------------------------------------------

// Each program defines METG_PLACE and includes this list as its patterns.
#define METG_SHAPES(M)                                                                                                 \
  M(trivial, kTrivial)                                                                                                 \
  M(no_comm, kNoCommunication)                                                                                         \
  M(stencil, kStencil)                                                                                                 \
  M(stencil_periodic, kStencilPeriodic)                                                                                \
  M(nearest, kNearest)                                                                                                 \
  M(spread, kSpread)                                                                                                   \
  M(random_nearest, kRandomNearest)                                                                                    \
  M(fft, kFft)                                                                                                         \
  M(tree, kTree)                                                                                                       \
  M(dom, kDom)                                                                                                         \
  M(all_to_all, kAllToAll)
#define METG_RUN(name, shape)                                                                                          \
  static bool name##_compute(uint64_t steps) { return metg_search(shape, kCompute, steps); }                           \
  static bool name##_memory(uint64_t steps) { return metg_search(shape, kMemory, steps); }                             \
  static bool name##_imbalanced(uint64_t steps) { return metg_search(shape, kImbalanced, steps); }
#define METG_ENTRY(name, shape)                                                                                        \
  {#name ".compute", METG_PLACE, 100, metg_unit, name##_compute, 0},                                                   \
      {#name ".memory", METG_PLACE, 100, metg_unit, name##_memory, 0},                                                 \
      {#name ".imbalanced", METG_PLACE, 100, metg_unit, name##_imbalanced, 0},
