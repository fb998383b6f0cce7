// bots-floorplan: the smallest chip for cells that each come in several shapes and lie to the right of or above one
// another as prescribed, by branch and bound: one task for every shape of every cell. ../README.md has the
// publications; the tasks are in floorplan_tasks.h. Invariants: a plan is complete up to its cell and never changes
// once it is; the frame that holds it outlives the tasks that read it. `best_area` only falls, and is the area of
// `best_plan`; a task that reads an old value of it does needless work but no harm, so a read needs no ordering with
// other accesses.
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>

enum { MAXIMUM_CELLS = 32, MAXIMUM_SHAPES = 8 };

struct shape {
  int width, height;
};

struct cell {
  struct shape shapes[MAXIMUM_SHAPES];
  struct shape least; // the smallest width and the smallest height, perhaps of different shapes
  int least_area;
  int rank; // cell i is to the right of an earlier cell j if its rank is higher, else above it
};

/// The cells placed so far, in their order: lower left corners are as far left and as low as earlier cells allow.
struct plan {
  short right[MAXIMUM_CELLS], top[MAXIMUM_CELLS];
  signed char shape[MAXIMUM_CELLS];
  int area_placed; // of the cells themselves
};

static int64_t cell_count = 22;
static int64_t shape_count = 4;
static int64_t seed = 1;
static int64_t cutoff = 5;

static struct cell cells[MAXIMUM_CELLS];
static int least_area_from[MAXIMUM_CELLS + 1]; // sum of the least areas of this cell and all later ones
static int best_area;
static struct plan best_plan;
static const struct plan empty_plan;
static int64_t visited;

static int larger(int left, int right) { return left > right ? left : right; }

/// Puts a cell of the given size as far left and as low as the cells before it allow.
static void lay(struct plan* plan, int cell, int width, int height) {
  int left = 0, bottom = 0;
  for (int earlier = 0; earlier < cell; earlier++) {
    if (cells[earlier].rank < cells[cell].rank)
      left = larger(left, plan->right[earlier]);
    else
      bottom = larger(bottom, plan->top[earlier]);
  }
  plan->right[cell] = (short)(left + width);
  plan->top[cell] = (short)(bottom + height);
}

/// The area of the smallest chip around the first `count` cells.
static int box_area(const struct plan* plan, int64_t count) {
  int width = 0, height = 0;
  for (int i = 0; i < count; i++) {
    width = larger(width, plan->right[i]);
    height = larger(height, plan->top[i]);
  }
  return width * height;
}

/// Copies `plan` with `cell` added into `next`. Returns a lower bound of the area of all plans that extend `next`; of a
/// complete plan, its area. The bound lays the missing cells with their least width and least height, which cannot make
/// the chip larger, and counts that cells do not overlap.
static int place_cell(const struct plan* plan, int cell, int shape, struct plan* next) {
  const struct shape size = cells[cell].shapes[shape];
  *next = *plan;
  next->shape[cell] = (signed char)shape;
  next->area_placed = plan->area_placed + size.width * size.height;
  lay(next, cell, size.width, size.height);
  // What is written behind `cell` here is written again before it is read.
  for (int later = cell + 1; later < cell_count; later++)
    lay(next, later, cells[later].least.width, cells[later].least.height);
  return larger(box_area(next, cell_count), next->area_placed + least_area_from[cell + 1]);
}

/// True if a plan with this lower bound may still beat the best known.
static bool is_promising(int bound) {
  int known;
#pragma omp atomic read
  known = best_area;
  return bound < known;
}

/// Takes note of a complete plan. It is rarely called once a good plan is known.
static void improve_best(const struct plan* plan) {
  const int area = box_area(plan, cell_count);
  if (!is_promising(area)) return;
#pragma omp critical(floorplan_best)
  if (area < best_area) { // only a holder of this lock writes `best_area`
    best_plan = *plan;
#pragma omp atomic write
    best_area = area;
  }
}

static int64_t sum(const int64_t* counts) {
  int64_t total = 0;
  for (int i = 0; i < shape_count; i++) total += counts[i];
  return total;
}

/// Returns how many partial plans it made, as all the searches do.
static int64_t search_serial(const struct plan* plan, int cell) {
  if (cell == cell_count) {
    improve_best(plan);
    return 0;
  }
  int64_t made = shape_count;
  for (int shape = 0; shape < shape_count; shape++) {
    struct plan next;
    if (is_promising(place_cell(plan, cell, shape, &next))) made += search_serial(&next, cell + 1);
  }
  return made;
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "floorplan_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "floorplan_tasks.h"

static void run_serial(void) { visited = search_serial(&empty_plan, 0); }

/// Shapes of about the same area, from slender to flat: a third to three times as wide as the square.
static void make_cell(struct cell* cell, uint64_t* state) {
  const int side = 10 + (int)random_below(state, 31);
  cell->least = (struct shape){INT16_MAX, INT16_MAX};
  cell->least_area = INT32_MAX;
  for (int i = 0; i < shape_count; i++) {
    const int width = side / 3 + (int)random_below(state, 3 * side - side / 3 + 1);
    const int height = (side * side + width - 1) / width;
    cell->shapes[i] = (struct shape){width, height};
    if (width < cell->least.width) cell->least.width = width;
    if (height < cell->least.height) cell->least.height = height;
    if (width * height < cell->least_area) cell->least_area = width * height;
  }
}

/// The ranks are a random permutation (Fisher and Yates); with the cells' order it is the sequence pair of
/// ../README.md.
static void prepare(void) {
  uint64_t state = (uint64_t)seed;
  for (int i = 0; i < cell_count; i++) {
    make_cell(&cells[i], &state);
    const int other = (int)random_below(&state, i + 1);
    cells[i].rank = cells[other].rank;
    cells[other].rank = i;
  }
  least_area_from[cell_count] = 0;
  for (int i = (int)cell_count - 1; i >= 0; i--) least_area_from[i] = least_area_from[i + 1] + cells[i].least_area;
  best_area = INT32_MAX;
}

/// Whether the best plan is a valid one: every cell has one of its shapes, lies as prescribed (so that no two overlap)
/// and within a chip of the best area. Works from the corners alone.
static bool is_plan_valid(void) {
  int width = 0, height = 0;
  for (int i = 0; i < cell_count; i++) {
    if (best_plan.shape[i] < 0 || best_plan.shape[i] >= shape_count) return false;
    const struct shape size = cells[i].shapes[best_plan.shape[i]];
    const int left = best_plan.right[i] - size.width, bottom = best_plan.top[i] - size.height;
    if (left < 0 || bottom < 0) return false;
    for (int j = 0; j < i; j++) {
      const bool separate = cells[j].rank < cells[i].rank ? left >= best_plan.right[j] : bottom >= best_plan.top[j];
      if (!separate) return false;
    }
    width = larger(width, best_plan.right[i]);
    height = larger(height, best_plan.top[i]);
  }
  return width * height == best_area;
}

/// Whether some plan has an area below `limit`: a serial search whose limit never moves; `exhaustive`, without bounds.
static bool is_beaten(const struct plan* plan, int cell, int limit, bool exhaustive) {
  if (cell == cell_count) return box_area(plan, cell_count) < limit;
  for (int shape = 0; shape < shape_count; shape++) {
    struct plan next;
    const int bound = place_cell(plan, cell, shape, &next);
    if ((exhaustive || bound < limit) && is_beaten(&next, cell + 1, limit, exhaustive)) return true;
  }
  return false;
}

/// The area is right if a plan has it and none has less. Up to a million combinations of shapes are all looked at,
/// which tests the bound as well.
static enum verification verify(void) {
  int64_t combinations = 1;
  for (int i = 0; i < cell_count && combinations <= 1000000; i++) combinations *= shape_count;
  const bool right = is_plan_valid() && !is_beaten(&empty_plan, 0, best_area, combinations <= 1000000);
  return right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) {
  report_text("Answer", "area %d", best_area);
  report_text("Nodes visited", "%" PRId64, visited);
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "cells", &cell_count, 1, MAXIMUM_CELLS},
      {'y', "shapes of a cell", &shape_count, 1, MAXIMUM_SHAPES},
      {'r', "seed of the input", &seed, 0, INT32_MAX},
      {'x', "cell from which no tasks are made, for -if, -final, -manual", &cutoff, 0, MAXIMUM_CELLS},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-floorplan",
      .summary = "the smallest floorplan by branch and bound, one task for every shape of a cell",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .prepare = prepare,
      .verify = verify,
      .report_answer = report_answer,
  };
  return benchmark_main(&benchmark, argc, argv);
}
