// oneTBB twin of depend.c: a flow graph of continue_nodes, built and run once, is its way to say which task comes after
// which. Building it is part of the work, as finding the dependences is OpenMP's.
#include "depend_work.h"
#include "harness.h"

#include <tbb/flow_graph.h>

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <vector>

namespace {

using Message = tbb::flow::continue_msg;
using Node = tbb::flow::continue_node<Message>;

// A graph whose nodes are added in an order in which they could run; nothing runs before run().
class Graph {
public:
  template <class Body> Node* add(std::initializer_list<Node*> predecessors, Body body) {
    Node* node = &nodes_.emplace_back(graph_, [body](const Message&) { body(); });
    bool first = true;
    for (Node* predecessor : predecessors)
      if (predecessor != nullptr) {
        tbb::flow::make_edge(*predecessor, *node);
        first = false;
      }
    if (first) roots_.push_back(node);
    return node;
  }

  void run() {
    for (Node* root : roots_) root->try_put(Message());
    graph_.wait_for_all();
  }

private:
  tbb::flow::graph graph_;
  std::deque<Node> nodes_;
  std::vector<Node*> roots_;
};

bool run_chains(uint64_t n) {
  std::vector<uint64_t> value(kChains), expected(kChains);
  std::vector<Node*> last(kChains);
  Graph graph;
  for (uint64_t i = 0; i < n; i++)
    last[i % kChains] = graph.add({last[i % kChains]}, [mine = &value[i % kChains], i] { *mine = mix(*mine, i); });
  graph.run();
  for (uint64_t i = 0; i < n; i++) expected[i % kChains] = mix(expected[i % kChains], i);
  return value == expected;
}

bool run_wavefront(uint64_t n) {
  const uint64_t width = n + 1;
  std::vector<uint64_t> cells(width * width), expected(width * width);
  wavefront_border(cells.data(), width);
  wavefront_border(expected.data(), width);
  std::vector<Node*> node(width * width); // null on the border
  Graph graph;
  for (uint64_t i = 1; i <= n; i++)
    for (uint64_t j = 1; j <= n; j++) {
      const uint64_t at = i * width + j;
      node[at] = graph.add({node[at - width], node[at - 1]},
                           [all = cells.data(), width, at] { wavefront_cell(all, width, at); });
    }
  graph.run();
  wavefront_serial(expected.data(), width);
  return cells == expected;
}

bool run_cholesky(uint64_t n) {
  std::vector<uint64_t> a(n * n), expected(n * n);
  for (uint64_t i = 0; i < n * n; i++) a[i] = expected[i] = i;
  std::vector<Node*> last(n * n); // the node that wrote the block last
  Graph graph;
  const auto task = [&](uint64_t to, uint64_t left, uint64_t right) {
    Node* const before = last[to];
    Node* const first = left != to ? last[left] : nullptr;
    Node* const second = right != to && right != left ? last[right] : nullptr;
    last[to] = graph.add({before, first, second},
                         [to = &a[to], left = &a[left], right = &a[right]] { update(to, left, right); });
  };
  for (uint64_t k = 0; k < n; k++) {
    const uint64_t pivot = k * n + k;
    task(pivot, pivot, pivot);
    for (uint64_t i = k + 1; i < n; i++) task(i * n + k, pivot, pivot);
    for (uint64_t i = k + 1; i < n; i++)
      for (uint64_t j = k + 1; j <= i; j++) task(i * n + j, i * n + k, j * n + k);
  }
  graph.run();
  cholesky_serial(expected.data(), n);
  return a == expected;
}

const bench_pattern patterns[] = {
    {"chains", kGenerator, 1 << 18, each, run_chains, 0},
    {"wavefront", kGenerator, 512, square, run_wavefront, 0},
    {"cholesky", kGenerator, 100, cholesky_tasks, run_cholesky, 0},
};

} // namespace
BENCH_MAIN(patterns)
