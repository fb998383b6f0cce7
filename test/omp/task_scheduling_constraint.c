// The task scheduling constraint: a thread with tied tasks suspended (not in a barrier) begins a new tied task only if
// that is a descendant of all of them. Each task knows its ancestors; each thread keeps a stack of the tied tasks it is
// inside.
// RUN: %clang-openmp %s -o %t && %for-threads %t && env KMP_TASK_STEALING_CONSTRAINT=1 %for-threads %t
#include "support/check.h"

struct node {
  const struct node* parent;
  int depth;
};

// Long tasks: what a thread may not take has to be there when it waits for what others have taken.
enum { kDeepest = 200, kLong = 100000, kRounds = SCALED(16) == 16 ? 6 : 1, kDepth = SCALED(16) == 16 ? 4 : 3 };
static _Thread_local struct {
  int size;
  const struct node* nodes[kDeepest];
} suspended;

static int is_ancestor(const struct node* ancestor, const struct node* node) {
  while (node && node->depth > ancestor->depth) node = node->parent;
  return node == ancestor;
}

static struct node* child_of(const struct node* parent) {
  struct node* node = malloc(sizeof *node); // kept to the end: descendants look at it
  *node = (struct node){.parent = parent, .depth = parent ? parent->depth + 1 : 0};
  return node;
}

static void check_descendant(const struct node* node) {
  for (int i = 0; i < suspended.size; i++) CHECK(is_ancestor(suspended.nodes[i], node));
}

static void tied_body(const struct node* node, int depth);

static void create_children(const struct node* node, int depth) {
  for (int i = 0; i < 3; i++) {
    const struct node* child = child_of(node);
    if (i == 1)
#pragma omp task untied firstprivate(child, depth)
    {
      if (depth > 1) create_children(child, depth - 1);
#pragma omp taskwait
    } else
#pragma omp task firstprivate(child, depth)
      tied_body(child, depth - 1);
  }
}

static void tied_body(const struct node* node, int depth) {
  check_descendant(node);
  CHECK(suspended.size < kDeepest);
  suspended.nodes[suspended.size++] = node;
  if (depth > 0) {
    create_children(node, depth);
    // Wait in one way or another, or leave the children behind.
    int way = node->depth % 3;
    if (way == 0) {
#pragma omp taskyield
#pragma omp taskwait
    }
    if (way == 1) {
#pragma omp taskgroup
      create_children(node, depth);
    }
  } else
    burn(SCALED(kLong));
  CHECK(suspended.nodes[suspended.size - 1] == node);
  suspended.size--;
}

int main(void) {
  for (int round = 0; round < kRounds; round++) {
#pragma omp parallel
    for (int i = 0; i < 3; i++) { // from all threads, so that there are unrelated tasks to be wrongly taken
      const struct node* root = child_of(0);
#pragma omp task firstprivate(root)
      tied_body(root, kDepth);
    }
  }
  return 0;
}
