// The task-parallel versions of strassen.c, which includes this file twice: as tied and as untied tasks
// (common/tiedness.h). All but the last one differ only in how they stop making tasks from depth `cutoff` on; blocks of
// leaf_size are multiplied plainly in all of them.

/// No cut-off but the leaf size.
static void NAMED(multiply_none)(int64_t size, const struct product* product) {
  if (size <= leaf_size) {
    multiply_leaf(size, product);
    return;
  }
  const struct division division = divide(size / 2, product);
  for (int i = 0; i < PRODUCTS; i++) {
#pragma omp task TIEDNESS firstprivate(size, i) shared(division)
    NAMED(multiply_none)(size / 2, &division.products[i]);
  }
#pragma omp taskwait
  combine(size / 2, &division);
}

/// The if clause: below the cut-off the runtime still sees each task, but the creator executes it at once.
static void NAMED(multiply_if)(int64_t size, const struct product* product, int64_t depth) {
  if (size <= leaf_size) {
    multiply_leaf(size, product);
    return;
  }
  const struct division division = divide(size / 2, product);
  for (int i = 0; i < PRODUCTS; i++) {
#pragma omp task TIEDNESS firstprivate(size, i, depth) shared(division) if (depth < cutoff)
    NAMED(multiply_if)(size / 2, &division.products[i], depth + 1);
  }
#pragma omp taskwait
  combine(size / 2, &division);
}

/// The final clause: below the cut-off all descendants are included tasks.
static void NAMED(multiply_final)(int64_t size, const struct product* product, int64_t depth) {
  if (size <= leaf_size) {
    multiply_leaf(size, product);
    return;
  }
  const struct division division = divide(size / 2, product);
  for (int i = 0; i < PRODUCTS; i++) {
#pragma omp task TIEDNESS firstprivate(size, i, depth) shared(division) final(depth >= cutoff) mergeable
    NAMED(multiply_final)(size / 2, &division.products[i], depth + 1);
  }
#pragma omp taskwait
  combine(size / 2, &division);
}

/// The program's own test: below the cut-off there are no tasks at all, only the serial function.
static void NAMED(multiply_manual)(int64_t size, const struct product* product, int64_t depth) {
  if (size <= leaf_size) {
    multiply_leaf(size, product);
    return;
  }
  if (depth >= cutoff) {
    multiply_serial(size, product);
    return;
  }
  const struct division division = divide(size / 2, product);
  for (int i = 0; i < PRODUCTS; i++) {
#pragma omp task TIEDNESS firstprivate(size, i, depth) shared(division)
    NAMED(multiply_manual)(size / 2, &division.products[i], depth + 1);
  }
#pragma omp taskwait
  combine(size / 2, &division);
}

/// A task for one addition of the level. A block stands for itself by its first element.
static void NAMED(add_depend)(int64_t size, struct sum sum) {
#pragma omp task TIEDNESS firstprivate(size, sum) depend(in : sum.left.at[0], sum.right.at[0])                         \
    depend(inout : sum.result.at[0])
  add(size, &sum);
}

/// No cut-off but the leaf size, and the additions are tasks as well: dependences order the tasks of a level, so that a
/// product starts when its own operands are there, and a quarter of the result is summed up when its own terms are.
static void NAMED(multiply_depend)(int64_t size, const struct product* product) {
  if (size <= leaf_size) {
    multiply_leaf(size, product);
    return;
  }
  const int64_t half = size / 2;
  const struct division division = lay_out(half, product);
  struct sum operands[OPERANDS], results[RESULTS];
  list_operands(half, product, division.products, operands);
  list_results(division.products, results);
  for (int i = 0; i < OPERANDS; i++) NAMED(add_depend)(half, operands[i]);
  for (int i = 0; i < PRODUCTS; i++) {
    const struct product next = division.products[i];
#pragma omp task TIEDNESS firstprivate(half, next) depend(in : next.left.at[0], next.right.at[0])                      \
    depend(out : next.result.at[0])
    NAMED(multiply_depend)(half, &next);
  }
  for (int i = 0; i < RESULTS; i++) NAMED(add_depend)(half, results[i]);
#pragma omp taskwait
  free(division.memory);
}

static void NAMED(run_none)(void) {
  const struct product whole = {matrix_c, matrix_a, matrix_b};
  NAMED(multiply_none)(matrix_size, &whole);
}

static void NAMED(run_if)(void) {
  const struct product whole = {matrix_c, matrix_a, matrix_b};
  NAMED(multiply_if)(matrix_size, &whole, 0);
}

static void NAMED(run_final)(void) {
  const struct product whole = {matrix_c, matrix_a, matrix_b};
  NAMED(multiply_final)(matrix_size, &whole, 0);
}

static void NAMED(run_manual)(void) {
  const struct product whole = {matrix_c, matrix_a, matrix_b};
  NAMED(multiply_manual)(matrix_size, &whole, 0);
}

static void NAMED(run_depend)(void) {
  const struct product whole = {matrix_c, matrix_a, matrix_b};
  NAMED(multiply_depend)(matrix_size, &whole);
}
