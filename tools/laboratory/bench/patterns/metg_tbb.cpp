// oneTBB twin of metg.c: a flow graph of continue_nodes, built, run once and destroyed in the time that counts, as
// finding the dependences is part of OpenMP's.
#include "metg_graph.h"

#include <tbb/blocked_range.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <vector>

static double metg_run_tasks(uint64_t grain) {
  using Message = tbb::flow::continue_msg;
  using Node = tbb::flow::continue_node<Message>;
  const double begin = bench_now_ns();
  {
    tbb::flow::graph all;
    std::deque<Node> nodes;
    std::vector<Node*> before(graph.width), step(graph.width), roots;
    for (uint64_t t = 0; t < graph.steps; t++) {
      for (uint64_t i = 0; i < graph.width; i++) {
        const metg_node* const node = metg_node_at(&graph, t, i);
        if (!node->exists) continue;
        step[i] = &nodes.emplace_back(all, [t, i, grain](const Message&) { metg_task(t, i, grain); });
        for (uint32_t k = 0; k < node->count; k++)
          tbb::flow::make_edge(*before[graph.columns[node->first + k]], *step[i]);
        if (node->count == 0) roots.push_back(step[i]);
      }
      before.swap(step);
    }
    for (Node* root : roots) root->try_put(Message());
    all.wait_for_all();
  }
  return bench_now_ns() - begin;
}

// The thread that comes first waits for the others, for a while, so that each has a part.
static double metg_run_loop(uint64_t steps) {
  const uint64_t threads = (uint64_t)bench_threads();
  std::atomic<uint64_t> there{0};
  std::vector<double> ns(threads);
  tbb::parallel_for(
      tbb::blocked_range<uint64_t>(0, threads, 1),
      [&](const tbb::blocked_range<uint64_t>& range) {
        there++;
        const double late = bench_now_ns() + 1e6;
        while (there < threads && bench_now_ns() < late) bench_pause();
        for (uint64_t thread = range.begin(); thread != range.end(); thread++) ns[thread] = metg_loop(steps);
      },
      tbb::static_partitioner());
  return *std::max_element(ns.begin(), ns.end());
}

static int metg_thread() { return tbb::this_task_arena::current_thread_index(); }

#define METG_PLACE kGenerator
METG_SHAPES(METG_RUN)
static const bench_pattern patterns[] = {METG_SHAPES(METG_ENTRY)};
BENCH_MAIN(patterns)
