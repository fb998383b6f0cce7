// What a UTS tree is: its parameters, its nodes and how a node's children follow from it (README.md names the
// publication). Called by the searches for every node, from any thread; `tree` is written before the search starts and
// only read during it.
//
// A node has a depth and a state of 20 bytes. The root's state is the SHA-1 digest of sixteen zero bytes and the seed
// r, as four bytes, most significant first; the state of child i is the digest of its parent's state and i. The last
// four bytes of the state without their top bit, divided by 2^31, are the node's random number u in [0, 1).
//   Binomial: the root has floor(b) children; any other node has m if u < q, else none.
//   Geometric: floor(log(1-u) / log(1-p)) children, at most 100, with p = 1 / (1 + e). The expected number e is b at
//   the
//     root and, at depth k, by shape: linear b(1 - k/d); exponential b * k^(-ln b / ln d); cyclic b^sin(2 pi k/d), and
//     0 beyond 5d; fixed b above depth d, then 0.
//   Hybrid: geometric above depth d/2, binomial below.
#ifndef UTS_TREE_H
#define UTS_TREE_H

#include "sha1.h"

#include <stdbool.h>

enum tree_type { TREE_BINOMIAL, TREE_GEOMETRIC, TREE_HYBRID, TREE_TYPES };
enum tree_shape { SHAPE_LINEAR, SHAPE_EXPONENTIAL, SHAPE_CYCLIC, SHAPE_FIXED, TREE_SHAPES };

/// Command-line letters in brackets. Which of them matter depends on the type; see same_tree().
struct tree_parameters {
  enum tree_type type;      // [t]
  enum tree_shape shape;    // [a] geometric: how the expected number of children changes with the depth
  double root_children;     // [b] children of a binomial root; expected children of a geometric one
  int depth;                // [d] geometric: depth the shape is scaled to
  double child_probability; // [q] binomial: that a node other than the root has children
  int children;             // [m] binomial: how many it has then
  int seed;                 // [r] root state
  int granularity;          // [g] how many times each state is computed: the work per node, not the tree
  uint64_t limit;           // [n] nodes made from here on are leaves; 0: the whole tree
};

struct node {
  uint32_t state[SHA1_WORDS];
  int depth;
  int child_count;
};

/// What a search adds up, for a subtree or for the whole tree.
struct totals {
  uint64_t nodes;
  uint64_t leaves;
  int maximum_depth;
};

/// A published tree and its size; compare with has_published_size(), since the publications do not give every total.
struct published_tree {
  const char* name;
  struct tree_parameters parameters;
  struct totals totals;
};

extern struct tree_parameters tree;

/// T1 to T3WL; the list ends with name NULL.
extern const struct published_tree published_trees[];

/// The published tree called `name`, or NULL.
const struct published_tree* find_published_by_name(const char* name);

/// The published tree that `parameters` describe (granularity aside), or NULL.
const struct published_tree* find_published_by_parameters(const struct tree_parameters* parameters);

/// Whether the search of a published tree found what was published about it.
bool has_published_size(const struct published_tree* published, const struct totals* totals);

/// Begins a tree: the next search makes its nodes.
void make_root(struct node* root);

/// With a limit: how many nodes have been made since make_root(), the root included. Every one of them is to be
/// counted.
uint64_t nodes_made(void);

/// Makes child number `index` of `parent`: the work of UTS, `granularity` hashes.
void make_child(const struct node* parent, int index, struct node* child);

/// Counts `node` itself, without the nodes below it.
static inline struct totals count_node(const struct node* node) {
  return (struct totals){.nodes = 1, .leaves = node->child_count == 0, .maximum_depth = node->depth};
}

/// Adds the totals of a subtree.
static inline void add_totals(struct totals* sum, const struct totals* subtree) {
  sum->nodes += subtree->nodes;
  sum->leaves += subtree->leaves;
  if (subtree->maximum_depth > sum->maximum_depth) sum->maximum_depth = subtree->maximum_depth;
}

static inline bool equal_totals(const struct totals* left, const struct totals* right) {
  return left->nodes == right->nodes && left->leaves == right->leaves && left->maximum_depth == right->maximum_depth;
}

#endif
