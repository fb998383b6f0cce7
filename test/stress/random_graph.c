// Random task graphs: trees whose shape and kinds of task come from a seed, so that the sum over each subtree is known
// beforehand. Every parent checks what its children left; at the end every node has run once.
// libomp 19 stops with a failed assertion (td_last_tied): untied undeferred tasks.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include "support/random.h"
#include <omp.h>

static uint64_t seed;
static long nodes_run;

struct node {
  uint64_t id;
  int depth;
};

static struct node child(struct node node, int i) {
  return (struct node){.id = random_hash(node.id * 31 + (uint64_t)i + seed), .depth = node.depth + 1};
}
static int children_of(struct node node) { return node.depth >= 9 ? 0 : (int)(node.id % 5) + (node.depth < 3); }
static long value_of(struct node node) { return (long)(node.id >> 40); }

static long expected(struct node node, long* nodes) {
  long sum = value_of(node);
  ++*nodes;
  for (int i = 0; i < children_of(node); i++) sum += expected(child(node, i), nodes);
  return sum;
}

static long visit(struct node node);

static long make_children(struct node node) {
  enum { kMost = 6 };
  long result[kMost] = {0}, sum = 0, chain = 0;
  int n = children_of(node), gate = 0;
  int whole_group = (node.id >> 8) % 4 == 0, some_depend = (node.id >> 10) % 4 == 0;
  CHECK(n <= kMost);
  if (whole_group || some_depend) {
#pragma omp taskgroup
    for (int i = 0; i < n; i++) {
      struct node next = child(node, i);
      if (some_depend && i % 2)
#pragma omp task depend(inout : gate) shared(result, chain, gate) firstprivate(next, i)
      {
        chain++;
        result[i] = visit(next);
      } else
#pragma omp task untied shared(result) firstprivate(next, i)
        result[i] = visit(next);
    }
    if (some_depend) CHECK_EQ(chain, n / 2);
  } else {
    for (int i = 0; i < n; i++) {
      struct node next = child(node, i);
      switch (next.id >> 16 & 7) {
      case 0:
#pragma omp task untied shared(result) firstprivate(next, i)
        result[i] = visit(next);
        break;
      case 1:
#pragma omp task if (0) shared(result) firstprivate(next, i)
        result[i] = visit(next);
        break;
      case 2:
#pragma omp task final(next.depth > 6) mergeable shared(result) firstprivate(next, i)
        result[i] = visit(next);
        break;
      case 3:
#pragma omp task depend(inout : gate) shared(result, gate) firstprivate(next, i)
        result[i] = visit(next);
        break;
      case 4:
#pragma omp task priority(next.id % 10) shared(result) firstprivate(next, i)
        result[i] = visit(next);
        break;
      case 5: {
        omp_event_handle_t event = 0;
#pragma omp task detach(event) shared(result) firstprivate(next, i)
        {
          result[i] = visit(next);
          omp_fulfill_event(event);
        }
        break;
      }
      case 6:
#pragma omp task untied if (next.id % 2) shared(result) firstprivate(next, i)
        result[i] = visit(next);
        break;
      default:
#pragma omp task shared(result) firstprivate(next, i)
        result[i] = visit(next);
      }
      if (next.id % 11 == 0) {
#pragma omp taskyield
      }
    }
#pragma omp taskwait
  }
  for (int i = 0; i < n; i++) sum += result[i];
  return sum;
}

static long visit(struct node node) {
  ATOMIC_ADD(nodes_run, 1);
  burn((int)(node.id >> 20 & 255));
  long sum = value_of(node);
  if (node.depth == 4 && node.id % 64 == 0) { // an inner team now and then
    long inner = 0;
#pragma omp parallel num_threads(2) shared(inner)
#pragma omp single
    inner = make_children(node);
    return sum + inner;
  }
  return sum + make_children(node);
}

int main(void) {
  seed = random_seed();
  omp_set_max_active_levels(2);
  for (int round = 0; round < 4 * stress_factor(); round++) {
    struct node root = {.id = random_hash(seed + (uint64_t)round), .depth = 0};
    long nodes = 0, sum = expected(root, &nodes), result = 0;
    ATOMIC_STORE(nodes_run, 0);
#pragma omp parallel
#pragma omp single
    result = visit(root);
    CHECK_EQ(result, sum);
    CHECK_EQ(nodes_run, nodes);
  }
  return 0;
}
