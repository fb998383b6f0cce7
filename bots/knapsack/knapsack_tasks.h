// The task-parallel versions of knapsack.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). They differ only in how they stop making tasks from item `cutoff` on.
// The task that takes the item comes last, since most runtimes run the newest task first: then the search begins, like
// the serial one, with sets that are good, and cuts off more.

/// No cut-off: a task for every node but the root.
static int64_t NAMED(search_none)(struct packing packing) {
  if (is_finished(&packing)) return 1;
  int64_t with = 0, without;
#pragma omp task TIEDNESS firstprivate(packing) shared(without)
  without = NAMED(search_none)(leave_next(&packing));
  if (next_fits(&packing)) {
#pragma omp task TIEDNESS firstprivate(packing) shared(with)
    with = NAMED(search_none)(take_next(&packing));
  }
#pragma omp taskwait
  return 1 + with + without;
}

/// The if clause: from the cut-off on the runtime still sees each task, but the creator executes it at once.
static int64_t NAMED(search_if)(struct packing packing) {
  if (is_finished(&packing)) return 1;
  int64_t with = 0, without;
#pragma omp task TIEDNESS firstprivate(packing) shared(without) if (packing.next < cutoff)
  without = NAMED(search_if)(leave_next(&packing));
  if (next_fits(&packing)) {
#pragma omp task TIEDNESS firstprivate(packing) shared(with) if (packing.next < cutoff)
    with = NAMED(search_if)(take_next(&packing));
  }
#pragma omp taskwait
  return 1 + with + without;
}

/// The final clause: from the cut-off on all descendants are included tasks.
static int64_t NAMED(search_final)(struct packing packing) {
  if (is_finished(&packing)) return 1;
  int64_t with = 0, without;
#pragma omp task TIEDNESS firstprivate(packing) shared(without) final(packing.next >= cutoff) mergeable
  without = NAMED(search_final)(leave_next(&packing));
  if (next_fits(&packing)) {
#pragma omp task TIEDNESS firstprivate(packing) shared(with) final(packing.next >= cutoff) mergeable
    with = NAMED(search_final)(take_next(&packing));
  }
#pragma omp taskwait
  return 1 + with + without;
}

/// The program's own test: from the cut-off on there are no tasks at all, only the serial function.
static int64_t NAMED(search_manual)(struct packing packing) {
  if (is_finished(&packing)) return 1;
  if (packing.next >= cutoff) return search_serial(packing);
  int64_t with = 0, without;
#pragma omp task TIEDNESS firstprivate(packing) shared(without)
  without = NAMED(search_manual)(leave_next(&packing));
  if (next_fits(&packing)) {
#pragma omp task TIEDNESS firstprivate(packing) shared(with)
    with = NAMED(search_manual)(take_next(&packing));
  }
#pragma omp taskwait
  return 1 + with + without;
}

static void NAMED(run_none)(void) { visited = NAMED(search_none)(empty_packing()); }
static void NAMED(run_if)(void) { visited = NAMED(search_if)(empty_packing()); }
static void NAMED(run_final)(void) { visited = NAMED(search_final)(empty_packing()); }
static void NAMED(run_manual)(void) { visited = NAMED(search_manual)(empty_packing()); }
