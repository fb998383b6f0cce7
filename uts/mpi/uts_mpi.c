// uts-mpi: Unbalanced Tree Search over several processes. Options, one timed search by all ranks, the check against the
// published sizes, the report with a line per rank. How a rank searches is in rank_search.h, how ranks share is in
// rank_balance.h.
#define _POSIX_C_SOURCE 200809L

#include "options.h"
#include "rank_balance.h"
#include "rank_search.h"
#include "search.h"

#include <inttypes.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// What rank 0 prints about each rank.
struct rank_report {
  uint64_t nodes, tasks, requests, steals, nodes_received, nodes_sent, probes;
  double idle_seconds;
  int threads;
  char host[64];
};

static void print_help(void) {
  printf("uts-mpi: Unbalanced Tree Search over the ranks of an MPI program\n\n");
  print_tree_help();
  printf("  -c          check against the published size, or else against a serial search by one rank\n"
         "  -h          this help\n\nRanks: mpirun. Threads of each: OMP_NUM_THREADS.\n");
}

/// Returns whether the answer is to be checked.
static bool parse_options(int argc, char** argv, int rank) {
  bool check = false;
  use_default_tree();
  opterr = rank == 0;
  for (int letter; (letter = getopt(argc, argv, TREE_OPTIONS "ch")) != -1;) {
    if (set_tree_option(letter, optarg, &check)) continue;
    switch (letter) {
    case 'c': check = true; break;
    case 'h':
      if (rank == 0) print_help();
      MPI_Finalize();
      exit(EXIT_SUCCESS);
    default: MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE); // getopt has said what is wrong
    }
  }
  if (optind != argc) fail("not an option: ", argv[optind]);
  return check;
}

static struct rank_report report_of(const struct rank_statistics* own, const struct balance_statistics* shared) {
  struct rank_report report = {
      own->counted.nodes, own->tasks,     shared->requests,     shared->steals,        shared->nodes_received,
      shared->nodes_sent, shared->probes, shared->idle_seconds, omp_get_max_threads(), ""};
  gethostname(report.host, sizeof report.host - 1);
  return report;
}

static void print_ranks(const struct rank_report* reports, int ranks) {
  printf("\n%5s %-16s %7s %12s %12s %9s %7s %10s %10s %8s\n", "rank", "host", "threads", "nodes", "tasks", "requests",
         "steals", "received", "sent", "idle s");
  for (int rank = 0; rank < ranks; rank++) {
    const struct rank_report* const report = &reports[rank];
    printf("%5d %-16.16s %7d %12" PRIu64 " %12" PRIu64 " %9" PRIu64 " %7" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8.3f\n",
           rank, report->host, report->threads, report->nodes, report->tasks, report->requests, report->steals,
           report->nodes_received, report->nodes_sent, report->idle_seconds);
  }
}

/// The sums over all ranks; rank 0 has them.
static struct totals sum_totals(const struct totals* own) {
  struct totals all = {0, 0, 0};
  MPI_Reduce(&own->nodes, &all.nodes, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own->leaves, &all.leaves, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(&own->maximum_depth, &all.maximum_depth, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  return all;
}

static enum verification verify(const struct published_tree* published, const struct totals* found, bool check) {
  if (!check) return VERIFICATION_NOT_PERFORMED;
  if (published != NULL) return outcome_of(has_published_size(published, found), &published->totals);
  struct node root;
  make_root(&root);
  const struct totals serial = search_versions[0].search(&root);
  return outcome_of(equal_totals(found, &serial), &serial);
}

int main(int argc, char** argv) {
  int provided, rank, ranks;
  // Funneled: only the thread that calls this calls MPI again, which is thread 0 of every region (rank_search.h).
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool check = parse_options(argc, argv, rank);
  if (provided < MPI_THREAD_FUNNELED) fail("this MPI does not allow threads", "");

  const struct published_tree* const published = find_published_by_parameters(&tree);
  const int threads = start_threads();
  if (rank == 0) {
    report_text("Program", "uts-mpi");
    report_text("Version", "a tied task for every node with children; ranks steal from random ranks");
    report_tree(published);
    report_text("Ranks", "%d", ranks);
    report_text("Threads", "%d on rank 0", threads);
    fflush(stdout);
  }
  balance_begin(MPI_COMM_WORLD, claim_nodes);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = seconds_now();
  struct node root;
  make_root(&root);
  const struct rank_statistics own = rank_search(rank == 0 ? &root : NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = seconds_now() - begin;

  const struct balance_statistics shared = balance_end();
  const struct totals found = sum_totals(&own.counted);
  const struct rank_report report = report_of(&own, &shared);
  struct rank_report* const reports = rank == 0 ? allocate_or_exit((uint64_t)ranks * sizeof report) : NULL;
  MPI_Gather(&report, sizeof report, MPI_BYTE, reports, sizeof report, MPI_BYTE, 0, MPI_COMM_WORLD);
  int status = EXIT_SUCCESS;
  if (rank == 0) {
    report_totals(&found);
    const enum verification outcome = verify(published, &found, check);
    report_verification(outcome);
    report_seconds("Time Program", seconds);
    report_text("Mnodes per second", "%.3f", 1e-6 * (double)found.nodes / seconds);
    report_text("Probes", "%" PRIu64 " rounds of the token", report.probes);
    print_ranks(reports, ranks);
    fflush(stdout);
    status = exit_status(outcome);
  }
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  free(reports);
  MPI_Finalize();
  return status;
}
