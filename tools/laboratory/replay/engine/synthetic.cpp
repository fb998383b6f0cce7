// Graphs that are made here instead of recorded: for measuring the simulator itself, and for its tests.
#include "graph.h"

#include <cstdio>

namespace chomp::simulate {
namespace {

// fib(n) with two tasks a call and a taskwait. Operations of a task are contiguous, so a frame is finished first.
class Fib {
public:
  Fib(Graph& graph, Time leaf) : graph_(graph), leaf_(leaf) {}

  void call(TaskId task, int n) {
    graph_.tasks[task].first_operation = static_cast<uint32_t>(graph_.operations.size());
    if (n < 2) return graph_.add_operation(leaf_, Op::kEnd);
    TaskId left = graph_.add_task(task, 0), right = graph_.add_task(task, 0);
    graph_.add_operation(leaf_, Op::kCreate, left);
    graph_.add_operation(0, Op::kCreate, right);
    graph_.add_operation(0, Op::kWait);
    graph_.add_operation(0, Op::kEnd);
    call(left, n - 1);
    call(right, n - 2);
  }

private:
  Graph& graph_;
  Time leaf_;
};

} // namespace

Graph make_synthetic(const std::string& description) {
  Graph graph;
  graph.program = description;
  unsigned n = 0, ns = 10;
  bool fib = std::sscanf(description.c_str(), "fib:%u,%u", &n, &ns) >= 1;
  bool flat = !fib && std::sscanf(description.c_str(), "flat:%u,%u", &n, &ns) >= 1;
  if (!(fib || flat) || (fib && n > 40) || n > kMostTasks / 2)
    throw Error("\"" + description + "\": expected fib:N[,NS] with N up to 40, or flat:N[,NS]");
  TaskId root = graph.add_task(kNoTask, kImplicitTask);
  graph.regions.push_back({1, {root}});
  if (fib) {
    Fib(graph, ns * kPerNs).call(root, static_cast<int>(n));
  } else {
    for (unsigned i = 0; i < n; ++i) graph.add_operation(0, Op::kCreate, graph.add_task(root, 0));
    graph.add_operation(0, Op::kWait);
    graph.add_operation(0, Op::kEnd);
    for (unsigned i = 0; i < n; ++i) {
      graph.tasks[i + 1].first_operation = static_cast<uint32_t>(graph.operations.size());
      graph.add_operation(ns * kPerNs, Op::kEnd);
    }
  }
  graph.finish();
  return graph;
}

} // namespace chomp::simulate
