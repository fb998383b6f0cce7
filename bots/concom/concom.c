// bots-concom: the connected components of a random graph, one after the other, each explored by one task a node.
// ../README.md has the publications; the tasks are in concom_tasks.h.
// Invariant: a node's component is written once, by the exploration that claims the node, and a claim is an atomic
// exchange, so each node is visited once. Components are explored one at a time: two explorations never meet.
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NO_COMPONENT = -1, MAXIMUM_NODES = 1 << 28 };

static int64_t node_count = 200000;
static int64_t group_size = 1000;
static int64_t degree = 3;
static int64_t seed = 1;
static int64_t cutoff = 5;

/// The graph, each edge at both its ends: node i has neighbours[first_neighbour[i]] up to first_neighbour[i + 1].
static int64_t* first_neighbour;
static int32_t* neighbours;
/// Edge e joins edge_ends[2 * e] and edge_ends[2 * e + 1].
static int32_t* edge_ends;
static int64_t edge_count;

static int32_t* component_of; // a component's number is that of its first node
static int64_t component_count;

/// True for exactly one caller a node: the one that has to visit it.
static bool claim(int32_t node, int32_t component) {
  int32_t found;
#pragma omp atomic read
  found = component_of[node];
  if (found != NO_COMPONENT) return false;
#pragma omp atomic capture
  {
    found = component_of[node];
    component_of[node] = component;
  }
  return found == NO_COMPONENT;
}

/// It has a stack of its own, since the path of a depth-first search may be as long as its component. Nodes are claimed
/// when they are pushed, so that the stack holds each of them once.
static void visit_serial(int32_t first, int32_t component) {
  int32_t* const stack = allocate_or_exit((uint64_t)group_size * sizeof(int32_t));
  int64_t height = 0;
  stack[height++] = first;
  while (height > 0) {
    const int32_t node = stack[--height];
    for (int64_t i = first_neighbour[node]; i < first_neighbour[node + 1]; i++)
      if (claim(neighbours[i], component)) stack[height++] = neighbours[i];
  }
  free(stack);
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "concom_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "concom_tasks.h"

static void run_serial(void) {
  for (int32_t node = 0; node < node_count; node++) {
    if (!claim(node, node)) continue;
    component_count++;
    visit_serial(node, node);
  }
}

/// Edges join two random nodes of one group; groups are disjoint, and their nodes lie scattered: node i is in group
/// i mod (number of groups). So a component has at most group_size nodes, and as many edges as fit make a group mostly
/// one large component and some single nodes.
static void make_edges(void) {
  const int64_t group_count = (node_count + group_size - 1) / group_size;
  uint64_t state = (uint64_t)seed;
  for (int64_t edge = 0; edge < edge_count; edge++) {
    const int64_t group = random_below(&state, group_count);
    const int64_t members = (node_count - group + group_count - 1) / group_count;
    edge_ends[2 * edge] = (int32_t)(group + group_count * random_below(&state, members));
    edge_ends[2 * edge + 1] = (int32_t)(group + group_count * random_below(&state, members));
  }
}

/// Sorts the ends of the edges by node, by counting.
static void make_neighbours(void) {
  for (int64_t i = 0; i <= node_count; i++) first_neighbour[i] = 0;
  for (int64_t end = 0; end < 2 * edge_count; end++) first_neighbour[edge_ends[end]]++;
  for (int64_t i = 1; i <= node_count; i++) first_neighbour[i] += first_neighbour[i - 1];
  // Each entry is now where the node's neighbours end; filling them in backwards makes it where they begin.
  for (int64_t end = 0; end < 2 * edge_count; end++) neighbours[--first_neighbour[edge_ends[end]]] = edge_ends[end ^ 1];
}

static void prepare(void) {
  if (edge_ends == NULL) {
    edge_count = node_count * degree / 2;
    edge_ends = allocate_or_exit((uint64_t)(2 * edge_count + 1) * sizeof(int32_t));
    neighbours = allocate_or_exit((uint64_t)(2 * edge_count + 1) * sizeof(int32_t));
    first_neighbour = allocate_or_exit((uint64_t)(node_count + 1) * sizeof(int64_t));
    component_of = allocate_or_exit((uint64_t)node_count * sizeof(int32_t));
    make_edges();
    make_neighbours();
  }
  component_count = 0;
  for (int64_t i = 0; i < node_count; i++) component_of[i] = NO_COMPONENT;
}

/// The first node of the set that holds `node`; halves the path on its way.
static int32_t find_set(int32_t* parent_of, int32_t node) {
  while (parent_of[node] != node) node = parent_of[node] = parent_of[parent_of[node]];
  return node;
}

/// Compares with union-find over the edges: the first node of each set, which must be the component's number.
static enum verification verify(void) {
  int32_t* const parent_of = allocate_or_exit((uint64_t)node_count * sizeof(int32_t));
  for (int32_t i = 0; i < node_count; i++) parent_of[i] = i;
  for (int64_t edge = 0; edge < edge_count; edge++) {
    const int32_t one = find_set(parent_of, edge_ends[2 * edge]), other = find_set(parent_of, edge_ends[2 * edge + 1]);
    if (one < other)
      parent_of[other] = one;
    else
      parent_of[one] = other;
  }
  int64_t sets = 0;
  bool right = true;
  for (int32_t i = 0; i < node_count; i++) {
    sets += parent_of[i] == i;
    if (component_of[i] != find_set(parent_of, i)) right = false;
  }
  free(parent_of);
  return right && component_count == sets ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) { report_text("Answer", "%" PRId64 " components", component_count); }

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "nodes of the graph", &node_count, 1, MAXIMUM_NODES},
      {'y', "nodes of the largest possible component", &group_size, 1, MAXIMUM_NODES},
      {'a', "neighbours of a node, on average", &degree, 0, 1000},
      {'r', "seed of the graph", &seed, 0, INT32_MAX},
      {'x', "distance from a component's first node from which no tasks are made, for -if, -final, -manual", &cutoff, 0,
       MAXIMUM_NODES},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-concom",
      .summary = "connected components of a random graph, one task a node, no task waits for another",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .prepare = prepare,
      .verify = verify,
      .report_answer = report_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(edge_ends);
  free(neighbours);
  free(first_neighbour);
  free(component_of);
  return status;
}
