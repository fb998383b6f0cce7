// The task-parallel versions of concom.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). They differ only in how they stop making tasks at distance `cutoff` from the first node.
// No task waits for the tasks it makes: the taskgroup of the component waits for all of them.

/// No cut-off: one task for every node.
static void NAMED(visit_none)(int32_t node, int32_t component) {
  for (int64_t i = first_neighbour[node]; i < first_neighbour[node + 1]; i++) {
    const int32_t neighbour = neighbours[i];
    if (!claim(neighbour, component)) continue;
#pragma omp task TIEDNESS firstprivate(neighbour, component)
    NAMED(visit_none)(neighbour, component);
  }
}

/// The if clause: from the cut-off on the runtime still sees each task, but the creator executes it at once.
static void NAMED(visit_if)(int32_t node, int32_t component, int64_t distance) {
  for (int64_t i = first_neighbour[node]; i < first_neighbour[node + 1]; i++) {
    const int32_t neighbour = neighbours[i];
    if (!claim(neighbour, component)) continue;
#pragma omp task TIEDNESS firstprivate(neighbour, component, distance) if (distance < cutoff)
    NAMED(visit_if)(neighbour, component, distance + 1);
  }
}

/// The final clause: from the cut-off on all descendants are included tasks.
static void NAMED(visit_final)(int32_t node, int32_t component, int64_t distance) {
  for (int64_t i = first_neighbour[node]; i < first_neighbour[node + 1]; i++) {
    const int32_t neighbour = neighbours[i];
    if (!claim(neighbour, component)) continue;
#pragma omp task TIEDNESS firstprivate(neighbour, component, distance) final(distance >= cutoff) mergeable
    NAMED(visit_final)(neighbour, component, distance + 1);
  }
}

/// The program's own test: from the cut-off on there are no tasks at all, only the serial function.
static void NAMED(visit_manual)(int32_t node, int32_t component, int64_t distance) {
  if (distance >= cutoff) {
    visit_serial(node, component);
    return;
  }
  for (int64_t i = first_neighbour[node]; i < first_neighbour[node + 1]; i++) {
    const int32_t neighbour = neighbours[i];
    if (!claim(neighbour, component)) continue;
#pragma omp task TIEDNESS firstprivate(neighbour, component, distance)
    NAMED(visit_manual)(neighbour, component, distance + 1);
  }
}

static void NAMED(run_none)(void) {
  for (int32_t node = 0; node < node_count; node++) {
    if (!claim(node, node)) continue;
    component_count++;
#pragma omp taskgroup
    NAMED(visit_none)(node, node);
  }
}

static void NAMED(run_if)(void) {
  for (int32_t node = 0; node < node_count; node++) {
    if (!claim(node, node)) continue;
    component_count++;
#pragma omp taskgroup
    NAMED(visit_if)(node, node, 0);
  }
}

static void NAMED(run_final)(void) {
  for (int32_t node = 0; node < node_count; node++) {
    if (!claim(node, node)) continue;
    component_count++;
#pragma omp taskgroup
    NAMED(visit_final)(node, node, 0);
  }
}

static void NAMED(run_manual)(void) {
  for (int32_t node = 0; node < node_count; node++) {
    if (!claim(node, node)) continue;
    component_count++;
#pragma omp taskgroup
    NAMED(visit_manual)(node, node, 0);
  }
}
