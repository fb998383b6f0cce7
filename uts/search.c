// Implementation of search.h. The parallel algorithm is in search_tasks.h. Invariant: a task writes only the totals of
// its own slot; the array of slots belongs to the call that made it, which waits for the tasks before it reads and
// frees it. With a reduction there are no slots: a task has its own copy of its node and adds to its thread's totals.
#include "search.h"

#include "common/report.h"

#include <stdlib.h>

/// A child and what its task finds: the node, set by the parent before the task exists, and the totals of its subtree,
/// set by the task.
struct slot {
  struct node node;
  struct totals totals;
};

/// So many children have their slots in the frame of the recursion. There is not room for all: T3L is 17,844 levels
/// deep, where an array for the 100 possible children in every frame would take 100 MB of stack.
enum { kFewChildren = 8 };

/// Room for the children of one node: `few`, or on the heap.
static struct slot* make_slots(int count, struct slot* few) {
  return count <= kFewChildren ? few : allocate_or_exit((uint64_t)count * sizeof(struct slot));
}

/// Adds the subtrees up, and frees them.
static struct totals collect(const struct node* parent, struct slot* slots, const struct slot* few) {
  struct totals sum = count_node(parent);
  for (int i = 0; i < parent->child_count; i++) add_totals(&sum, &slots[i].totals);
  if (slots != few) free(slots);
  return sum;
}

/// Needs one node and a few words of stack per level: about 2 MB at the depth of T3L.
static void search_below(const struct node* parent, struct totals* sum) {
  const struct totals self = count_node(parent);
  add_totals(sum, &self);
  for (int i = 0; i < parent->child_count; i++) {
    struct node child;
    make_child(parent, i, &child);
    search_below(&child, sum);
  }
}

static struct totals search_serial(const struct node* root) {
  struct totals sum = {0, 0, 0};
  search_below(root, &sum);
  return sum;
}

/// What the searches that reduce over tasks have counted. A variable of the program, so that a task at any depth can
/// name it in its in_reduction clause.
static struct totals counted;

#pragma omp declare reduction(add : struct totals : add_totals(&omp_out, &omp_in))                                     \
    initializer(omp_priv = (struct totals){0, 0, 0})

#define TASKS_TIED
#include "common/tiedness.h"
#include "search_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "search_tasks.h"

const struct search_version search_versions[] = {
    {"serial", "no tasks, no OpenMP", search_serial},
    {"untied", "an untied task for every node", search_nodes_untied},
    {"tied", "a tied task for every node", search_nodes_tied},
    {"untied-inner", "an untied task for every node that has children", search_inner_untied},
    {"tied-inner", "a tied task for every node that has children", search_inner_tied},
    {"untied-reduction", "an untied task for every node, which nobody waits for", search_reduction_untied},
    {"tied-reduction", "a tied task for every node, which nobody waits for", search_reduction_tied},
    {NULL, NULL, NULL},
};
