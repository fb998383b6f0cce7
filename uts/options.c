// Implementation of options.h.
#include "options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void print_tree_help(void) {
  printf("  -T NAME     a published tree, checked against its published size:");
  for (const struct published_tree* published = published_trees; published->name != NULL; published++)
    printf(" %s", published->name);
  printf("\n"
         "  -t TYPE     0 binomial, 1 geometric, 2 hybrid (default 0)\n"
         "  -b NUMBER   children of a binomial root; expected children of a geometric one (default 4)\n"
         "  -q NUMBER   binomial: probability that a node has children (default 15/64)\n"
         "  -m N        binomial: how many children it has then (default 4)\n"
         "  -a SHAPE    geometric: 0 linear, 1 exponential, 2 cyclic, 3 fixed (default 0)\n"
         "  -d N        geometric: depth that the shape is scaled to (default 6)\n"
         "  -r N        seed of the root (default 0)\n"
         "  -g N        hashes per node: the granularity of the work, not of the tree (default 1)\n");
}

void fail(const char* what, const char* text) {
  fprintf(stderr, "uts: %s%s; see -h\n", what, text);
  exit(EXIT_FAILURE);
}

void use_default_tree(void) {
  tree = (struct tree_parameters){TREE_BINOMIAL, SHAPE_LINEAR, 4, 6, 15.0 / 64.0, 4, 0, 1, 0};
}

/// A named tree keeps the granularity and the limit that were set before it, so that -g may stand on either side of -T.
static void use_published(const char* name) {
  const struct published_tree* published = find_published_by_name(name);
  if (published == NULL) {
    fail("no such published tree: ", name);
    return;
  }
  const struct tree_parameters before = tree;
  tree = published->parameters;
  tree.granularity = before.granularity;
  tree.limit = before.limit;
}

bool set_tree_option(int letter, const char* text, bool* named) {
  switch (letter) {
  case 'T':
    use_published(text);
    *named = true;
    return true;
  case 't': tree.type = (enum tree_type)parse_integer('t', text, 0, TREE_TYPES - 1); return true;
  case 'a': tree.shape = (enum tree_shape)parse_integer('a', text, 0, TREE_SHAPES - 1); return true;
  case 'b': tree.root_children = parse_real('b', text, 0, 1e6); return true;
  case 'd': tree.depth = (int)parse_integer('d', text, 1, 1000000); return true;
  case 'q': tree.child_probability = parse_real('q', text, 0, 1); return true;
  case 'm': tree.children = (int)parse_integer('m', text, 0, 100); return true;
  case 'r': tree.seed = (int)parse_integer('r', text, 0, INT_MAX); return true;
  case 'g': tree.granularity = (int)parse_integer('g', text, 1, INT_MAX); return true;
  default: return false;
  }
}

void report_tree(const struct published_tree* published) {
  static const char* const types[] = {"binomial", "geometric", "hybrid"};
  static const char* const shapes[] = {"linear", "exponential", "cyclic", "fixed"};
  report_text("Tree", "%s", published != NULL ? published->name : "not a published one");
  report_text("Type", "-t %d (%s)", tree.type, types[tree.type]);
  if (tree.type != TREE_BINOMIAL) {
    report_text("Shape", "-a %d (%s)", tree.shape, shapes[tree.shape]);
    report_text("Shape depth", "-d %d", tree.depth);
  }
  report_text("Root children", "-b %.10g", tree.root_children);
  if (tree.type != TREE_GEOMETRIC) {
    report_text("Probability", "-q %.10g", tree.child_probability);
    report_text("Children", "-m %d", tree.children);
  }
  report_text("Root seed", "-r %d", tree.seed);
  report_text("Hashes per node", "-g %d", tree.granularity);
}

void report_totals(const struct totals* found) {
  report_text("Nodes", "%" PRIu64, found->nodes);
  report_text("Depth", "%d", found->maximum_depth);
  report_text("Leaves", "%" PRIu64, found->leaves);
}

enum verification outcome_of(bool right, const struct totals* expected) {
  if (right) return VERIFICATION_SUCCESSFUL;
  report_text("Expected", "%" PRIu64 " nodes, depth %d, %" PRIu64 " leaves", expected->nodes, expected->maximum_depth,
              expected->leaves);
  return VERIFICATION_UNSUCCESSFUL;
}
