// uts: Unbalanced Tree Search, the program. Options, one timed search, the check against the published sizes, the
// report. tree.h says what a tree is, search.h how it is searched, options.h which options it has; README.md describes
// options and output.
#define _POSIX_C_SOURCE 200809L

#include "options.h"
#include "search.h"

#include <inttypes.h>
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
  printf("uts: Unbalanced Tree Search\n\n");
  print_tree_help();
  printf("  -n N        cut: nodes made after the Nth are leaves (default: the whole tree)\n"
         "  -v VERSION  one of those below (default untied)\n"
         "  -c          check against the published size, or else against a serial search\n"
         "  -s          time a serial search as well\n"
         "  -h          this help\n\nVersions:\n");
  for (const struct search_version* version = search_versions; version->name != NULL; version++)
    printf("  %-16s %s\n", version->name, version->meaning);
  printf("Threads: OMP_NUM_THREADS.\n");
}

static const struct search_version* find_version(const char* name) {
  for (const struct search_version* version = search_versions; version->name != NULL; version++)
    if (strcmp(version->name, name) == 0) return version;
  fail("no such version: ", name);
  return NULL;
}

static struct request parse_options(int argc, char** argv) {
  struct request request = {find_version("untied"), false, false, false};
  use_default_tree();
  for (int letter; (letter = getopt(argc, argv, TREE_OPTIONS "n:v:csh")) != -1;) {
    if (set_tree_option(letter, optarg, &request.named)) continue;
    switch (letter) {
    case 'n': tree.limit = (uint64_t)parse_integer('n', optarg, 1, INT64_MAX); break;
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

/// Whether each node that was made has been counted, none twice, and the tree was cut where it should be. The search of
/// a cut tree is no other than that of a whole one, but which nodes are leaves depends on the order in which the
/// threads run.
static enum verification outcome_of_cut(const struct totals* found) {
  const uint64_t expected = nodes_made();
  if (found->nodes == expected) return VERIFICATION_SUCCESSFUL;
  report_text("Expected", "%" PRIu64 " nodes", expected);
  return VERIFICATION_UNSUCCESSFUL;
}

/// Compares with what was published, or with a serial search, which it times. `*serial_seconds` is 0 if there is none.
static enum verification verify(const struct request* request, const struct published_tree* published,
                                const struct totals* found, double* serial_seconds) {
  const bool serial = request->version == &search_versions[0];
  const bool check = request->check || request->named;
  const bool by_search = check && published == NULL && !serial && tree.limit == 0;
  if (tree.limit != 0 && check) return outcome_of_cut(found);
  struct totals serial_found;
  if ((request->time_serial && !serial) || by_search) *serial_seconds = time_search(&search_versions[0], &serial_found);
  if (by_search) return outcome_of(equal_totals(found, &serial_found), &serial_found);
  if (check && published != NULL) return outcome_of(has_published_size(published, found), &published->totals);
  return VERIFICATION_NOT_PERFORMED;
}

int main(int argc, char** argv) {
  const struct request request = parse_options(argc, argv);
  const struct published_tree* published = find_published_by_parameters(&tree);
  const bool serial = request.version == &search_versions[0];
  report_text("Program", "uts");
  report_text("Version", "%s (%s)", request.version->name, request.version->meaning);
  report_tree(published);
  if (tree.limit != 0) report_text("Cut", "-n %" PRIu64 " nodes", tree.limit);
  report_text("Threads", "%d", serial ? 1 : start_threads());

  struct totals found;
  const double seconds = time_search(request.version, &found);
  report_totals(&found);
  double serial_seconds = 0;
  const enum verification outcome = verify(&request, published, &found, &serial_seconds);
  report_verification(outcome);
  report_seconds("Time Program", seconds);
  report_text("Mnodes per second", "%.3f", 1e-6 * (double)found.nodes / seconds);
  if (request.time_serial && serial) serial_seconds = seconds;
  if (serial_seconds > 0) {
    report_seconds("Time Sequential", serial_seconds);
    report_text("Speed-up", "%.3f", serial_seconds / seconds);
  }
  return exit_status(outcome);
}
