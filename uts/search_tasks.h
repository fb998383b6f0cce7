// The task-parallel searches of search.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). The hashing of a child is done by its parent, before the task for the child's subtree exists.

/// One task for every child, leaves too, and a taskwait in every node.
static struct totals NAMED(search_nodes)(const struct node* parent) {
  struct slot few[kFewChildren];
  struct slot* const slots = make_slots(parent->child_count, few);
  for (int i = 0; i < parent->child_count; i++) {
    struct slot* const slot = &slots[i];
    make_child(parent, i, &slot->node);
#pragma omp task TIEDNESS firstprivate(slot)
    slot->totals = NAMED(search_nodes)(&slot->node);
  }
#pragma omp taskwait
  return collect(parent, slots, few);
}

/// One task for every child that has children itself; a leaf is counted at once.
static struct totals NAMED(search_inner)(const struct node* parent) {
  struct slot few[kFewChildren];
  struct slot* const slots = make_slots(parent->child_count, few);
  for (int i = 0; i < parent->child_count; i++) {
    struct slot* const slot = &slots[i];
    make_child(parent, i, &slot->node);
    if (slot->node.child_count == 0) {
      slot->totals = count_node(&slot->node);
      continue;
    }
#pragma omp task TIEDNESS firstprivate(slot)
    slot->totals = NAMED(search_inner)(&slot->node);
  }
#pragma omp taskwait
  return collect(parent, slots, few);
}

/// One task for every child, leaves too. A task does not wait for those it makes: only the taskgroup around the whole
/// search does.
static void NAMED(make_children)(const struct node* parent) {
  for (int i = 0; i < parent->child_count; i++) {
    struct node child;
    make_child(parent, i, &child);
#pragma omp task TIEDNESS firstprivate(child) in_reduction(add : counted)
    {
      const struct totals self = count_node(&child);
      add_totals(&counted, &self);
      NAMED(make_children)(&child);
    }
  }
}

static struct totals NAMED(search_reduction)(const struct node* root) {
  counted = count_node(root);
#pragma omp taskgroup task_reduction(add : counted)
  NAMED(make_children)(root);
  return counted;
}
