// uts: Unbalanced Tree Search, the program. Options, one timed search, the check against the published sizes, the
// report. What a tree is stands in tree.h, how it is searched in search.h, options and output are described in
// README.md.
#define _POSIX_C_SOURCE 200809L

#include "common/report.h"
#include "search.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct request {
  const struct search_version* version;
  bool named; // -T: always checked
  bool check;
  bool time_serial;
};

static void print_help(void) {
  printf("uts: Unbalanced Tree Search\n\n"
         "  -T NAME     a published tree, checked against its published size:");
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
         "  -g N        hashes per node: the granularity of the work, not of the tree (default 1)\n"
         "  -v VERSION  one of those below (default untied)\n"
         "  -c          check against the published size, or else against a serial search\n"
         "  -s          time a serial search as well\n"
         "  -h          this help\n\nVersions:\n");
  for (const struct search_version* version = search_versions; version->name != NULL; version++)
    printf("  %-16s %s\n", version->name, version->meaning);
  printf("Threads: OMP_NUM_THREADS.\n");
}

static void fail(const char* what, const char* text) {
  fprintf(stderr, "uts: %s%s; see -h\n", what, text);
  exit(EXIT_FAILURE);
}

static const struct search_version* find_version(const char* name) {
  for (const struct search_version* version = search_versions; version->name != NULL; version++)
    if (strcmp(version->name, name) == 0) return version;
  fail("no such version: ", name);
  return NULL;
}

/// A named tree keeps the granularity that was set before it, so that -g may stand on either side of -T.
static void use_published(const char* name) {
  const struct published_tree* published = find_published_by_name(name);
  if (published == NULL) {
    fail("no such published tree: ", name);
    return;
  }
  const int granularity = tree.granularity;
  tree = published->parameters;
  tree.granularity = granularity;
}

/// True if `letter` is a parameter of the tree; then it has been set.
static bool set_tree_parameter(int letter, const char* text) {
  switch (letter) {
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

static struct request parse_options(int argc, char** argv) {
  struct request request = {find_version("untied"), false, false, false};
  tree = (struct tree_parameters){TREE_BINOMIAL, SHAPE_LINEAR, 4, 6, 15.0 / 64.0, 4, 0, 1};
  for (int letter; (letter = getopt(argc, argv, "T:t:a:b:d:q:m:r:g:v:csh")) != -1;) {
    if (set_tree_parameter(letter, optarg)) continue;
    switch (letter) {
    case 'T':
      use_published(optarg);
      request.named = true;
      break;
    case 'v': request.version = find_version(optarg); break;
    case 'c': request.check = true; break;
    case 's': request.time_serial = true; break;
    case 'h': print_help(); exit(EXIT_SUCCESS);
    default: exit(EXIT_FAILURE); // getopt has said what is wrong
    }
  }
  if (optind != argc) fail("not an option: ", argv[optind]);
  return request;
}

static void report_parameters(const struct request* request, const struct published_tree* published, int threads) {
  static const char* const types[] = {"binomial", "geometric", "hybrid"};
  static const char* const shapes[] = {"linear", "exponential", "cyclic", "fixed"};
  report_text("Program", "uts");
  report_text("Version", "%s (%s)", request->version->name, request->version->meaning);
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
  report_text("Threads", "%d", threads);
}

/// Seconds that `version` takes to search the tree, its root included.
static double time_search(const struct search_version* version, struct totals* found) {
  struct node root;
  const double begin = seconds_now();
  make_root(&root);
  if (version == &search_versions[0]) {
    *found = version->search(&root);
  } else {
#pragma omp parallel shared(root, found)
    {
#pragma omp single
      *found = version->search(&root);
    }
  }
  return seconds_now() - begin;
}

/// `expected` is printed if the search found something else.
static enum verification outcome_of(bool right, const struct totals* expected) {
  if (right) return VERIFICATION_SUCCESSFUL;
  report_text("Expected", "%" PRIu64 " nodes, depth %d, %" PRIu64 " leaves", expected->nodes, expected->maximum_depth,
              expected->leaves);
  return VERIFICATION_UNSUCCESSFUL;
}

int main(int argc, char** argv) {
  const struct request request = parse_options(argc, argv);
  const struct published_tree* published = find_published_by_parameters(&tree);
  const bool serial = request.version == &search_versions[0];
  report_parameters(&request, published, serial ? 1 : start_threads());

  struct totals found, serial_found;
  const double seconds = time_search(request.version, &found);
  report_text("Nodes", "%" PRIu64, found.nodes);
  report_text("Depth", "%d", found.maximum_depth);
  report_text("Leaves", "%" PRIu64, found.leaves);

  const bool check = request.check || request.named;
  const bool check_by_search = check && published == NULL && !serial;
  double serial_seconds = seconds;
  if ((request.time_serial && !serial) || check_by_search)
    serial_seconds = time_search(&search_versions[0], &serial_found);

  enum verification outcome = VERIFICATION_NOT_PERFORMED;
  if (check && published != NULL) outcome = outcome_of(has_published_size(published, &found), &published->totals);
  if (check_by_search) outcome = outcome_of(equal_totals(&found, &serial_found), &serial_found);
  report_verification(outcome);
  report_seconds("Time Program", seconds);
  report_text("Mnodes per second", "%.3f", 1e-6 * (double)found.nodes / seconds);
  if (request.time_serial || check_by_search) {
    report_seconds("Time Sequential", serial_seconds);
    report_text("Speed-up", "%.3f", serial_seconds / seconds);
  }
  return exit_status(outcome);
}
