// Implementation of tree.h: how many children a node has, and the table of published trees.
// Compiled with -ffp-contract=off (CMakeLists.txt): a fused multiply-add could move a number of children across an
// integer, and the tree with it.
#include "tree.h"

#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/// Children of any node but a binomial root.
enum { MAXIMUM_CHILDREN = 100 };

/// In a row of published_trees: the publication gives the number of nodes only.
enum { LEAVES_UNPUBLISHED = 0, DEPTH_UNPUBLISHED = 0 };

static const double pi = 3.14159265358979323846;

struct tree_parameters tree;

/// Only with a limit, since every thread writes it.
static _Atomic uint64_t made;

const struct published_tree published_trees[] = {
    // type, shape, b, d, q, m, r, g, n
    {"T1", {TREE_GEOMETRIC, SHAPE_FIXED, 4, 10, 0.234375, 4, 19, 1, 0}, {4130071, 3305118, 10}},
    {"T2", {TREE_GEOMETRIC, SHAPE_CYCLIC, 6, 16, 0.234375, 4, 502, 1, 0}, {4117769, 2342762, 81}},
    {"T3", {TREE_BINOMIAL, SHAPE_LINEAR, 2000, 6, 0.124875, 8, 42, 1, 0}, {4112897, 3599034, 1572}},
    {"T4", {TREE_HYBRID, SHAPE_LINEAR, 6, 16, 0.234375, 4, 1, 1, 0}, {4132453, 3108986, 134}},
    {"T5", {TREE_GEOMETRIC, SHAPE_LINEAR, 4, 20, 0.234375, 4, 34, 1, 0}, {4147582, 2181318, 20}},
    {"T1L", {TREE_GEOMETRIC, SHAPE_FIXED, 4, 13, 0.234375, 4, 29, 1, 0}, {102181082, 81746377, 13}},
    {"T2L", {TREE_GEOMETRIC, SHAPE_CYCLIC, 7, 23, 0.234375, 4, 220, 1, 0}, {96793510, 53791152, 67}},
    {"T3L", {TREE_BINOMIAL, SHAPE_LINEAR, 2000, 6, 0.200014, 5, 7, 1, 0}, {111345631, 89076904, 17844}},
    {"T1XL", {TREE_GEOMETRIC, SHAPE_FIXED, 4, 15, 0.234375, 4, 29, 1, 0}, {1635119272, 1308100063, 15}},
    {"T1XXL", {TREE_GEOMETRIC, SHAPE_FIXED, 4, 15, 0.234375, 4, 19, 1, 0}, {4230646601, LEAVES_UNPUBLISHED, 15}},
    {"T2XXL", {TREE_BINOMIAL, SHAPE_LINEAR, 2000, 6, 0.499999995, 2, 0, 1, 0}, {10612052303, 5306027151, 216370}},
    {"T3XXL",
     {TREE_BINOMIAL, SHAPE_LINEAR, 2000, 6, 0.499995, 2, 316, 1, 0},
     {2793220501, LEAVES_UNPUBLISHED, DEPTH_UNPUBLISHED}},
    {"T1WL", {TREE_GEOMETRIC, SHAPE_FIXED, 4, 18, 0.234375, 4, 19, 1, 0}, {270751679750, 216601257283, 18}},
    {"T2WL", {TREE_BINOMIAL, SHAPE_LINEAR, 2000, 6, 0.4999999995, 2, 559, 1, 0}, {295393891003, 147696946501, 1021239}},
    {"T3WL", {TREE_BINOMIAL, SHAPE_LINEAR, 2000, 6, 0.4999995, 2, 559, 1, 0}, {157063495159, 78531748579, 758577}},
    {NULL, {TREE_BINOMIAL, SHAPE_LINEAR, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0}},
};

/// Whether two sets of parameters describe the same tree: only those that their type looks at are compared.
static bool same_tree(const struct tree_parameters* left, const struct tree_parameters* right) {
  if (left->limit != 0 || right->limit != 0) return false;
  if (left->type != right->type || left->seed != right->seed || left->root_children != right->root_children)
    return false;
  const bool same_geometric = left->shape == right->shape && left->depth == right->depth;
  const bool same_binomial = left->child_probability == right->child_probability && left->children == right->children;
  return (same_geometric || left->type == TREE_BINOMIAL) && (same_binomial || left->type == TREE_GEOMETRIC);
}

const struct published_tree* find_published_by_name(const char* name) {
  for (const struct published_tree* published = published_trees; published->name != NULL; published++)
    if (strcmp(published->name, name) == 0) return published;
  return NULL;
}

const struct published_tree* find_published_by_parameters(const struct tree_parameters* parameters) {
  for (const struct published_tree* published = published_trees; published->name != NULL; published++)
    if (same_tree(&published->parameters, parameters)) return published;
  return NULL;
}

/// The expected number of children of a geometric node.
static double expected_children(int depth) {
  if (depth == 0) return tree.root_children;
  const double relative_depth = (double)depth / tree.depth;
  switch (tree.shape) {
  case SHAPE_EXPONENTIAL: return tree.root_children * pow(depth, -log(tree.root_children) / log(tree.depth));
  case SHAPE_CYCLIC: return depth > 5 * tree.depth ? 0 : pow(tree.root_children, sin(2 * pi * relative_depth));
  case SHAPE_FIXED: return depth < tree.depth ? tree.root_children : 0;
  default: return tree.root_children * (1 - relative_depth);
  }
}

/// `random` has 31 bits; as a fraction of 2^31 it is the node's uniform random number.
static int count_binomial_children(uint32_t random) {
  return random / 2147483648.0 < tree.child_probability ? tree.children : 0;
}

static int count_geometric_children(uint32_t random, int depth) {
  const double expected = expected_children(depth);
  if (expected <= 0) return 0;
  const double probability = 1 / (1 + expected);
  const double children = floor(log(1 - random / 2147483648.0) / log(1 - probability));
  return children < MAXIMUM_CHILDREN ? (int)children : MAXIMUM_CHILDREN;
}

static int count_children(const struct node* node) {
  const uint32_t random = node->state[SHA1_WORDS - 1] & 0x7fffffffu;
  if (tree.type == TREE_GEOMETRIC || (tree.type == TREE_HYBRID && node->depth < 0.5 * tree.depth))
    return count_geometric_children(random, node->depth);
  if (node->depth == 0) return (int)floor(tree.root_children);
  return count_binomial_children(random);
}

bool has_published_size(const struct published_tree* published, const struct totals* totals) {
  const struct totals* const size = &published->totals;
  return totals->nodes == size->nodes && (size->leaves == LEAVES_UNPUBLISHED || totals->leaves == size->leaves) &&
         (size->maximum_depth == DEPTH_UNPUBLISHED || totals->maximum_depth == size->maximum_depth);
}

void make_root(struct node* root) {
  sha1_of_seed((uint32_t)tree.seed, root->state);
  root->depth = 0;
  root->child_count = count_children(root);
  atomic_store_explicit(&made, 1, memory_order_relaxed); // relaxed: the threads that add come later
}

uint64_t nodes_made(void) { return atomic_load_explicit(&made, memory_order_relaxed); } // relaxed: behind the search

void make_child(const struct node* parent, int index, struct node* child) {
  for (int i = 0; i < tree.granularity; i++) sha1_of_child(parent->state, (uint32_t)index, child->state);
  child->depth = parent->depth + 1;
  child->child_count = count_children(child);
  if (tree.limit == 0) return;
  // relaxed: a count, and nothing else.
  if (atomic_fetch_add_explicit(&made, 1, memory_order_relaxed) >= tree.limit) child->child_count = 0;
}
