// The task-parallel versions of health.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). They differ only in how they stop making tasks from depth `cutoff` on. A village's own step runs
// beside those of the villages below; the exchange of patients waits for them.

/// No cut-off: a task for every village but the one at the top.
static void NAMED(simulate_none)(struct village* village) {
  for (struct village* child = village->first_child; child != NULL; child = child->next_sibling) {
#pragma omp task TIEDNESS firstprivate(child)
    NAMED(simulate_none)(child);
  }
  work_hospital(village);
#pragma omp taskwait
  exchange_patients(village);
}

/// The if clause: below the cut-off the runtime still sees each task, but the creator executes it at once.
static void NAMED(simulate_if)(struct village* village, int64_t depth) {
  for (struct village* child = village->first_child; child != NULL; child = child->next_sibling) {
#pragma omp task TIEDNESS firstprivate(child, depth) if (depth < cutoff)
    NAMED(simulate_if)(child, depth + 1);
  }
  work_hospital(village);
#pragma omp taskwait
  exchange_patients(village);
}

/// The final clause: below the cut-off all descendants are included tasks.
static void NAMED(simulate_final)(struct village* village, int64_t depth) {
  for (struct village* child = village->first_child; child != NULL; child = child->next_sibling) {
#pragma omp task TIEDNESS firstprivate(child, depth) final(depth >= cutoff) mergeable
    NAMED(simulate_final)(child, depth + 1);
  }
  work_hospital(village);
#pragma omp taskwait
  exchange_patients(village);
}

/// The program's own test: below the cut-off there are no tasks at all, only the serial function.
static void NAMED(simulate_manual)(struct village* village, int64_t depth) {
  if (depth >= cutoff) {
    simulate_serial(village);
    return;
  }
  for (struct village* child = village->first_child; child != NULL; child = child->next_sibling) {
#pragma omp task TIEDNESS firstprivate(child, depth)
    NAMED(simulate_manual)(child, depth + 1);
  }
  work_hospital(village);
#pragma omp taskwait
  exchange_patients(village);
}

static void NAMED(run_none)(void) {
  for (int64_t step = 0; step < step_count; step++) NAMED(simulate_none)(villages);
}

static void NAMED(run_if)(void) {
  for (int64_t step = 0; step < step_count; step++) NAMED(simulate_if)(villages, 0);
}

static void NAMED(run_final)(void) {
  for (int64_t step = 0; step < step_count; step++) NAMED(simulate_final)(villages, 0);
}

static void NAMED(run_manual)(void) {
  for (int64_t step = 0; step < step_count; step++) NAMED(simulate_manual)(villages, 0);
}
