// UTS as in the slides (an untied task for every node with children), counting the tasks that another thread runs than
// the one that made them: "child tasks moved". It counts in the program, so every runtime can be measured. Shares the
// tree with uts/ and the harness with tools/bench.
//
// --size is the number of the root's children, --arg the granularity: how often each state is hashed.
#include "harness.h"
#include "tree.h"

#include <omp.h>
#include <stdlib.h>

// A child on its way; the task writes how many nodes are in its subtree.
struct slot {
  struct node node;
  uint64_t nodes;
};

static uint64_t search_serial(const struct node* parent) {
  uint64_t nodes = 1;
  for (int i = 0; i < parent->child_count; i++) {
    struct node child;
    make_child(parent, i, &child);
    nodes += search_serial(&child);
  }
  return nodes;
}

static uint64_t search(const struct node* parent) {
  // On the heap: the recursion is deep.
  struct slot* const slots = malloc((size_t)parent->child_count * sizeof(struct slot));
  if (slots == NULL) abort();
  const int maker = omp_get_thread_num();
  uint64_t nodes = 1;
  for (int i = 0; i < parent->child_count; i++) {
    struct slot* const slot = &slots[i];
    make_child(parent, i, &slot->node);
    slot->nodes = 1;
    if (slot->node.child_count == 0) continue;
#pragma omp task untied firstprivate(slot, maker)
    {
      if (omp_get_thread_num() != maker) bench_count();
      slot->nodes = search(&slot->node);
    }
  }
#pragma omp taskwait
  for (int i = 0; i < parent->child_count; i++) nodes += slots[i].nodes;
  free(slots);
  return nodes;
}

// How many nodes the tree has: as published, or by a serial search, which needs to hash once only.
static uint64_t expected_nodes(void) {
  static uint64_t nodes;
  const struct published_tree* published = find_published_by_parameters(&tree);
  if (published != NULL) return published->totals.nodes;
  if (nodes == 0) {
    struct node root;
    const int granularity = tree.granularity;
    tree.granularity = 1;
    make_root(&root);
    nodes = search_serial(&root);
    tree.granularity = granularity;
  }
  return nodes;
}

static uint64_t nodes_of(uint64_t size) {
  (void)size;
  return expected_nodes();
}

static bool count_moved(void) {
  struct node root;
  make_root(&root);
  bench_begin();
  const uint64_t nodes = search(&root);
  bench_end();
  const bool ok = nodes == expected_nodes();
  bench_extra("moved", (double)bench_counted());
  return ok;
}

// Five children a node as in the slides' tree T3L, but with subtrees that end sooner.
static bool run_small(uint64_t size) {
  tree = (struct tree_parameters){.type = TREE_BINOMIAL,
                                  .root_children = (double)size,
                                  .child_probability = 0.198,
                                  .children = 5,
                                  .seed = 7,
                                  .granularity = (int)bench_arg()};
  return count_moved();
}

static bool run_t3l(uint64_t size) {
  tree = find_published_by_name("T3L")->parameters;
  tree.root_children = (double)size;
  tree.granularity = (int)bench_arg();
  return count_moved();
}

static const bench_pattern patterns[] = {
    {"small", kGenerator, 2000, nodes_of, run_small, 1},
    {"T3L", kGenerator, 2000, nodes_of, run_t3l, 1},
};
BENCH_MAIN(patterns)
