// bots-alignment: aligns every protein of a family with every other: one task for each pair. ../README.md has the
// publications; the aligner is myers_miller.c, the tasks are in alignment_tasks.h. Invariant: a task reads two
// sequences and writes the result of its own pair.
#include "alignment/myers_miller.h"
#include "alignment/substitution.h"
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct pair {
  const struct sequence *first, *second;
  struct alignment result;
};

static int64_t sequence_count = 100;
static int64_t shortest = 100;
static int64_t longest = 400;
static int64_t seed = 1;

static struct sequence* sequences;
static struct pair* pairs; // (0, 1), (0, 2), ... (0, n-1), (1, 2), ...
static int64_t pair_count;
static struct alignment* kept;

/// Where the pairs (first, first + 1), (first, first + 2), ... begin.
static int64_t first_pair(int64_t first) { return first * (2 * sequence_count - first - 1) / 2; }

static void align_pair(struct pair* pair) { pair->result = align(pair->first, pair->second); }

#define TASKS_TIED
#include "common/tiedness.h"
#include "alignment_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "alignment_tasks.h"

static void run_serial(void) {
  for (int64_t i = 0; i < pair_count; i++) align_pair(&pairs[i]);
}

/// An amino acid, as often as it occurs in nature (Robinson and Robinson 1991), in the order of substitution_scores.
static signed char random_residue(uint64_t* state) {
  static const int32_t per_hundred_thousand[AMINO_ACIDS] = {7805, 5129, 4487, 5364, 1925, 4264, 6295, 7377, 2199, 5142,
                                                            9019, 5744, 2243, 3856, 5203, 7120, 5841, 1330, 3216, 6441};
  int64_t rest = random_below(state, 100000);
  for (signed char residue = 0; residue < AMINO_ACIDS - 1; residue++) {
    rest -= per_hundred_thousand[residue];
    if (rest < 0) return residue;
  }
  return AMINO_ACIDS - 1;
}

/// A descendant of `ancestor`: a part of it in which residues have been lost, added and replaced.
static void evolve(const struct sequence* ancestor, uint64_t* state, struct sequence* descendant) {
  descendant->length = shortest + random_below(state, longest - shortest + 1);
  descendant->residues = allocate_or_exit((uint64_t)descendant->length);
  int64_t origin = random_below(state, ancestor->length - descendant->length + 1);
  for (int64_t i = 0; i < descendant->length; i++) {
    const int64_t event = random_below(state, 100);
    if (event < 4) origin += 1 + random_below(state, 8); // a loss
    const bool inherited = event < 60 && origin < ancestor->length;
    descendant->residues[i] = inherited ? ancestor->residues[origin] : random_residue(state);
    if (event < 96) origin++; // else an addition
  }
}

static void prepare(void) {
  if (pairs == NULL) {
    uint64_t state = (uint64_t)seed;
    struct sequence ancestor = {allocate_or_exit((uint64_t)longest), longest};
    for (int64_t i = 0; i < longest; i++) ancestor.residues[i] = random_residue(&state);
    sequences = allocate_or_exit((uint64_t)sequence_count * sizeof *sequences);
    for (int64_t i = 0; i < sequence_count; i++) evolve(&ancestor, &state, &sequences[i]);
    free(ancestor.residues);
    pair_count = first_pair(sequence_count);
    pairs = allocate_or_exit((uint64_t)pair_count * sizeof *pairs);
  }
  struct pair* pair = pairs;
  for (int64_t first = 0; first < sequence_count; first++)
    for (int64_t second = first + 1; second < sequence_count; second++)
      *pair++ = (struct pair){&sequences[first], &sequences[second], {INT64_MIN, 0, 0}};
}

static int64_t larger(int64_t left, int64_t right) { return left > right ? left : right; }

/// The best score by plain dynamic programming in three states, as Gotoh published it: it has nothing in common with
/// myers_miller.c but the prices. `column` has space for one entry more than the second sequence is long.
struct states {
  int64_t paired, deleting, inserting;
};

static int64_t best_score(const struct sequence* first, const struct sequence* second, struct states* column) {
  const int64_t impossible = INT32_MIN;
  column[0] = (struct states){0, impossible, impossible};
  for (int64_t j = 1; j <= second->length; j++)
    column[j] = (struct states){impossible, impossible, -GAP_OPENING - j * GAP_EXTENSION};
  for (int64_t i = 1; i <= first->length; i++) {
    struct states diagonal = column[0];
    column[0] = (struct states){impossible, -GAP_OPENING - i * GAP_EXTENSION, impossible};
    for (int64_t j = 1; j <= second->length; j++) {
      const struct states above = column[j], left = column[j - 1];
      const int64_t similar = substitution_scores[first->residues[i - 1]][second->residues[j - 1]];
      column[j].paired = similar + larger(diagonal.paired, larger(diagonal.deleting, diagonal.inserting));
      column[j].deleting = larger(above.deleting, larger(above.paired, above.inserting) - GAP_OPENING) - GAP_EXTENSION;
      column[j].inserting = larger(left.inserting, larger(left.paired, left.deleting) - GAP_OPENING) - GAP_EXTENSION;
      diagonal = above;
    }
  }
  const struct states* const corner = &column[second->length];
  return larger(corner->paired, larger(corner->deleting, corner->inserting));
}

/// Checks that every alignment's score, which is the sum over its columns, is the best there is.
static enum verification verify(void) {
  struct states* const column = allocate_or_exit((uint64_t)(longest + 1) * sizeof *column);
  enum verification outcome = VERIFICATION_SUCCESSFUL;
  for (int64_t i = 0; i < pair_count; i++)
    if (pairs[i].result.score != best_score(pairs[i].first, pairs[i].second, column))
      outcome = VERIFICATION_UNSUCCESSFUL;
  free(column);
  return outcome;
}

static void keep_answer(void) {
  kept = allocate_or_exit((uint64_t)pair_count * sizeof *kept);
  for (int64_t i = 0; i < pair_count; i++) kept[i] = pairs[i].result;
}

static bool is_kept_answer(void) {
  for (int64_t i = 0; i < pair_count; i++)
    if (memcmp(&kept[i], &pairs[i].result, sizeof kept[i]) != 0) return false;
  return true;
}

static void report_answer(void) {
  int64_t score = 0, columns = 0, identities = 0;
  for (int64_t i = 0; i < pair_count; i++) {
    score += pairs[i].result.score;
    columns += pairs[i].result.columns;
    identities += pairs[i].result.identities;
  }
  report_text("Answer", "%" PRId64 " pairs, scores add up to %" PRId64 ", %.3f %% of the columns are identities",
              pair_count, score, 100.0 * (double)identities / (double)columns);
}

static const char* complaint(void) {
  if (shortest > longest) return "-a may not be larger than -b";
  return NULL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "how many sequences", &sequence_count, 2, 65536},
      {'a', "length of the shortest sequence", &shortest, 1, 100000},
      {'b', "length of the longest sequence", &longest, 1, 100000},
      {'r', "seed of the sequences", &seed, 0, INT32_MAX},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      {"tied", run_single_tied},
      {"tied-taskloop", run_taskloop_tied},
      {"untied", run_single_untied},
      {"untied-taskloop", run_taskloop_untied},
      {NULL, NULL},
  };
  static const struct benchmark_version team_versions[] = {
      {"tied-for", run_for_tied},
      {"untied-for", run_for_untied},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-alignment",
      .summary = "aligns every protein of a family with every other, a task for each pair",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .default_version = "untied",
      .complaint = complaint,
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
      .report_answer = report_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  for (int64_t i = 0; i < sequence_count; i++) free(sequences[i].residues);
  free(sequences);
  free(pairs);
  free(kept);
  return status;
}
