// The task-parallel versions of floorplan.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). They differ only in how they stop making tasks from cell `cutoff` on.
// A task copies the plan of the call that made it and writes its count of nodes into its own slot there; that call
// waits, then sums the slots.

/// No cut-off: one task for every shape of every cell.
static int64_t NAMED(search_none)(const struct plan* plan, int cell) {
  if (cell == cell_count) {
    improve_best(plan);
    return 0;
  }
  int64_t made[MAXIMUM_SHAPES];
  for (int shape = 0; shape < shape_count; shape++) {
#pragma omp task TIEDNESS firstprivate(plan, cell, shape) shared(made)
    {
      struct plan next;
      made[shape] = 1;
      if (is_promising(place_cell(plan, cell, shape, &next))) made[shape] += NAMED(search_none)(&next, cell + 1);
    }
  }
#pragma omp taskwait
  return sum(made);
}

/// The if clause: from the cut-off on the runtime still sees each task, but the creator executes it at once.
static int64_t NAMED(search_if)(const struct plan* plan, int cell) {
  if (cell == cell_count) {
    improve_best(plan);
    return 0;
  }
  int64_t made[MAXIMUM_SHAPES];
  for (int shape = 0; shape < shape_count; shape++) {
#pragma omp task TIEDNESS firstprivate(plan, cell, shape) shared(made) if (cell < cutoff)
    {
      struct plan next;
      made[shape] = 1;
      if (is_promising(place_cell(plan, cell, shape, &next))) made[shape] += NAMED(search_if)(&next, cell + 1);
    }
  }
#pragma omp taskwait
  return sum(made);
}

/// The final clause: from the cut-off on all descendants are included tasks.
static int64_t NAMED(search_final)(const struct plan* plan, int cell) {
  if (cell == cell_count) {
    improve_best(plan);
    return 0;
  }
  int64_t made[MAXIMUM_SHAPES];
  for (int shape = 0; shape < shape_count; shape++) {
#pragma omp task TIEDNESS firstprivate(plan, cell, shape) shared(made) final(cell >= cutoff) mergeable
    {
      struct plan next;
      made[shape] = 1;
      if (is_promising(place_cell(plan, cell, shape, &next))) made[shape] += NAMED(search_final)(&next, cell + 1);
    }
  }
#pragma omp taskwait
  return sum(made);
}

/// The program's own test: from the cut-off on there are no tasks at all, only the serial function.
static int64_t NAMED(search_manual)(const struct plan* plan, int cell) {
  if (cell == cell_count) {
    improve_best(plan);
    return 0;
  }
  if (cell >= cutoff) return search_serial(plan, cell);
  int64_t made[MAXIMUM_SHAPES];
  for (int shape = 0; shape < shape_count; shape++) {
#pragma omp task TIEDNESS firstprivate(plan, cell, shape) shared(made)
    {
      struct plan next;
      made[shape] = 1;
      if (is_promising(place_cell(plan, cell, shape, &next))) made[shape] += NAMED(search_manual)(&next, cell + 1);
    }
  }
#pragma omp taskwait
  return sum(made);
}

static void NAMED(run_none)(void) { visited = NAMED(search_none)(&empty_plan, 0); }
static void NAMED(run_if)(void) { visited = NAMED(search_if)(&empty_plan, 0); }
static void NAMED(run_final)(void) { visited = NAMED(search_final)(&empty_plan, 0); }
static void NAMED(run_manual)(void) { visited = NAMED(search_manual)(&empty_plan, 0); }
