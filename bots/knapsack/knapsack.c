// bots-knapsack: the most valuable set of items that fits into a knapsack, by branch and bound: two tasks a node, one
// that takes the next item and one that leaves it. ../README.md has the publications; the tasks are in
// knapsack_tasks.h. Invariant: `best` only grows, and is the value of a set that fits. A task that reads an old value
// of it does needless work but no harm, so a read needs no ordering with other accesses.
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// Also the depth of the recursion.
enum { MAXIMUM_ITEMS = 1000, LARGEST_WEIGHT = 1000 };

struct item {
  int64_t value, weight;
};

/// A node of the search: the items before `next` are decided.
struct packing {
  int64_t value; // of the items taken
  int64_t room;  // weight that still fits
  int64_t next;
};

static int64_t item_count = 60;
static int64_t spread = 10;
static int64_t seed = 1;
static int64_t cutoff = 10;

static struct item items[MAXIMUM_ITEMS]; // most valuable per weight first
static int64_t capacity;
static int64_t best;
static int64_t visited;

static struct packing empty_packing(void) { return (struct packing){0, capacity, 0}; }

/// Takes note of a set of items that fits. It is rarely called once a good set is known.
static void improve_best(int64_t value) {
  int64_t known;
#pragma omp atomic read
  known = best;
  if (value <= known) return;
#pragma omp critical(knapsack_best)
  if (value > best) { // only a holder of this lock writes `best`
#pragma omp atomic write
    best = value;
  }
}

/// True if no set that extends this one can beat the best known. Items still to come are worth at most as much per
/// weight as the next one, so room * value / weight of the next bounds what can be added.
static bool is_finished(const struct packing* packing) {
  if (packing->next == item_count) return true;
  const struct item* const item = &items[packing->next];
  int64_t known;
#pragma omp atomic read
  known = best;
  return packing->value + packing->room * item->value / item->weight <= known;
}

static bool next_fits(const struct packing* packing) { return items[packing->next].weight <= packing->room; }

static struct packing take_next(const struct packing* packing) {
  const struct item* const item = &items[packing->next];
  const struct packing with = {packing->value + item->value, packing->room - item->weight, packing->next + 1};
  improve_best(with.value);
  return with;
}

static struct packing leave_next(const struct packing* packing) {
  return (struct packing){packing->value, packing->room, packing->next + 1};
}

/// Returns how many nodes it visited, as all the searches do.
static int64_t search_serial(struct packing packing) {
  if (is_finished(&packing)) return 1;
  int64_t with = 0;
  if (next_fits(&packing)) with = search_serial(take_next(&packing));
  return 1 + with + search_serial(leave_next(&packing));
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "knapsack_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "knapsack_tasks.h"

static void run_serial(void) { visited = search_serial(empty_packing()); }

/// Orders by value per weight, falling; equal ones by weight, so that the order is the same with every qsort().
static int compare_items(const void* left, const void* right) {
  const struct item *a = left, *b = right;
  const int64_t difference = b->value * a->weight - a->value * b->weight;
  if (difference != 0) return difference > 0 ? 1 : -1;
  return (a->weight > b->weight) - (a->weight < b->weight);
}

/// Values close to the weights ("weakly correlated"): where the two are independent, the bound decides at once.
static void prepare(void) {
  uint64_t state = (uint64_t)seed;
  int64_t total = 0;
  for (int64_t i = 0; i < item_count; i++) {
    items[i].weight = 1 + random_below(&state, LARGEST_WEIGHT);
    const int64_t value = items[i].weight - spread + random_below(&state, 2 * spread + 1);
    items[i].value = value > 1 ? value : 1;
    total += items[i].weight;
  }
  qsort(items, (size_t)item_count, sizeof items[0], compare_items);
  capacity = total / 2;
  best = 0;
}

/// Compares with dynamic programming over the weights: after item i, best_of[w] is the best value of weight at most w
/// of the items up to i.
static enum verification verify(void) {
  const uint64_t bytes = (uint64_t)(capacity + 1) * sizeof(int64_t);
  int64_t* const best_of = allocate_or_exit(bytes);
  memset(best_of, 0, bytes);
  for (int64_t i = 0; i < item_count; i++) {
    for (int64_t weight = capacity; weight >= items[i].weight; weight--) {
      const int64_t with = best_of[weight - items[i].weight] + items[i].value;
      if (with > best_of[weight]) best_of[weight] = with;
    }
  }
  const bool right = best == best_of[capacity];
  free(best_of);
  return right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) {
  report_text("Answer", "value %" PRId64 " in weight %" PRId64, best, capacity);
  report_text("Nodes visited", "%" PRId64, visited);
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "items", &item_count, 1, MAXIMUM_ITEMS},
      {'y', "how far a value is from its weight, at most; fewer make it harder", &spread, 0, LARGEST_WEIGHT},
      {'r', "seed of the input", &seed, 0, INT32_MAX},
      {'x', "item from which no tasks are made, for -if, -final, -manual", &cutoff, 0, MAXIMUM_ITEMS},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-knapsack",
      .summary = "the best packing of a knapsack by branch and bound, two tasks a node",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .prepare = prepare,
      .verify = verify,
      .report_answer = report_answer,
  };
  return benchmark_main(&benchmark, argc, argv);
}
