// oneTBB twin of uts/: the same trees (uts/tree.c), searched with a task_group per node that has children. --size is
// the number of the root's children (-b there): the published tree's own, or a smaller one for a short run.
#include "harness.h"

extern "C" {
#include "tree.h"
}

#include <tbb/task_group.h>

#include <algorithm>
#include <vector>

namespace {

// A child and what its task finds: the task writes the totals of its subtree.
struct Slot {
  node child;
  totals below;
};

totals search_serial(const node& parent) {
  totals sum = count_node(&parent);
  for (int i = 0; i < parent.child_count; i++) {
    node child;
    make_child(&parent, i, &child);
    const totals below = search_serial(child);
    add_totals(&sum, &below);
  }
  return sum;
}

// One task for every child; without kLeaves, for every child that has children itself.
template <bool kLeaves> totals search(const node& parent) {
  totals sum = count_node(&parent);
  if (parent.child_count == 0) return sum;
  std::vector<Slot> slots(static_cast<std::size_t>(parent.child_count)); // on the heap: the recursion is deep
  tbb::task_group group;
  for (int i = 0; i < parent.child_count; i++) {
    Slot& slot = slots[static_cast<std::size_t>(i)];
    make_child(&parent, i, &slot.child);
    if (kLeaves || slot.child.child_count != 0)
      group.run([&slot] { slot.below = search<kLeaves>(slot.child); });
    else
      slot.below = count_node(&slot.child);
  }
  group.wait();
  for (const Slot& slot : slots) add_totals(&sum, &slot.below);
  return sum;
}

// Sets the global `tree`. Returns what a search of it must find.
totals prepare(const char* name, uint64_t root_children) {
  tree = find_published_by_name(name)->parameters;
  tree.root_children = static_cast<double>(root_children);
  if (const published_tree* published = find_published_by_parameters(&tree)) return published->totals;
  node root;
  make_root(&root);
  return search_serial(root);
}

// The figure is nanoseconds per node; finding out what to expect is not timed.
template <bool kLeaves> bool run(const char* name, uint64_t root_children) {
  static const totals expected = prepare(name, root_children);
  static double best = 1e30;
  const double start = bench_now_ns();
  node root;
  make_root(&root);
  const totals found = search<kLeaves>(root);
  best = std::min(best, bench_now_ns() - start);
  bench_replace_ns(best / static_cast<double>(expected.nodes));
  return equal_totals(&found, &expected);
}

uint64_t one(uint64_t) { return 1; }
bool run_t1(uint64_t n) { return run<true>("T1", n); }
bool run_t2(uint64_t n) { return run<true>("T2", n); }
bool run_t3(uint64_t n) { return run<true>("T3", n); }
bool run_t3_inner(uint64_t n) { return run<false>("T3", n); }
bool run_t4(uint64_t n) { return run<true>("T4", n); }
bool run_t5(uint64_t n) { return run<true>("T5", n); }

const bench_pattern patterns[] = {
    {"T1", kGenerator, 4, one, run_t1, 0},    {"T2", kGenerator, 6, one, run_t2, 0},
    {"T3", kGenerator, 2000, one, run_t3, 0}, {"T3-inner", kGenerator, 2000, one, run_t3_inner, 0},
    {"T4", kGenerator, 6, one, run_t4, 0},    {"T5", kGenerator, 4, one, run_t5, 0},
};

} // namespace
BENCH_MAIN(patterns)
