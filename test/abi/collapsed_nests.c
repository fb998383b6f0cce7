// Collapsed loop nests that a compiler leaves to the runtime (__kmpc_for_collapsed_init and its siblings; Clang does
// not, so the calls are made here): every iteration of the program's own nest is executed once, in order within a
// thread, by threads whose shares differ by at most one iteration, and one thread has the last one. For nests of all
// directions, tests and types whose inner bounds depend on outer variables, empty inner loops among them.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"
#include "support/random.h"

enum { LESS_EQUAL, GREATER_EQUAL, NOT_EQUAL, LESS, GREATER };
enum { UINT32 = 4, INT32, UINT64, INT64 };
enum { DEPTH = 3, MOST = 100000 };

typedef struct {
  int32_t type, variable_type, test, outer;
  uint64_t lower, lower_slope, upper, upper_slope;
  int64_t step;
  uint64_t trips;
} Loop;

int32_t __kmpc_for_collapsed_init(void*, int32_t, Loop* nest, Loop* part, int32_t depth, int32_t* last);
uint64_t __kmpc_process_loop_nest_rectang(void*, int32_t, Loop* nest, int32_t depth);
void __kmpc_calc_original_ivs_rectang(void*, uint64_t number, const Loop* nest, uint64_t* variables, int32_t depth);

typedef struct {
  int64_t at[DEPTH];
} Point;

/// All values here are small, so that they have one meaning in every type.
static int64_t value(uint64_t bits, int type) {
  return type == UINT32 || type == INT32 ? (int32_t)bits : (int64_t)bits;
}

static int64_t bound(uint64_t base, uint64_t slope, const Loop* loop, const Point* point) {
  return value(base, loop->type) + value(slope, loop->type) * point->at[loop->outer];
}

static int goes_on(int test, int64_t variable, int64_t upper) {
  switch (test) {
  case LESS_EQUAL: return variable <= upper;
  case GREATER_EQUAL: return variable >= upper;
  case NOT_EQUAL: return variable != upper;
  case LESS: return variable < upper;
  default: return variable > upper;
  }
}

/// The nest as the program would run it.
static int enumerate(const Loop* nest, int level, Point* point, Point* all, int count) {
  if (level == DEPTH) {
    CHECK(count < MOST);
    all[count] = *point;
    return count + 1;
  }
  const Loop* loop = &nest[level];
  int64_t upper = bound(loop->upper, loop->upper_slope, loop, point);
  for (int64_t i = bound(loop->lower, loop->lower_slope, loop, point); goes_on(loop->test, i, upper); i += loop->step) {
    point->at[level] = i;
    count = enumerate(nest, level + 1, point, all, count);
  }
  return count;
}

static int find(const Point* all, int count, const Loop* part, int upper) {
  for (int n = 0; n < count; n++) {
    int same = 1;
    for (int level = 0; level < DEPTH; level++)
      same &= all[n].at[level] == value(upper ? part[level].upper : part[level].lower, part[level].variable_type);
    if (same) return n;
  }
  return -1;
}

static Point all[MOST];
static uint8_t executed[MOST];

static void check_parts(const Loop* nest) {
  Point point;
  int count = enumerate(nest, 0, &point, all, 0), lasts = 0;
  memset(executed, 0, sizeof executed);
#pragma omp parallel reduction(+ : lasts)
  {
    Loop own[DEPTH], part[DEPTH];
    memcpy(own, nest, sizeof own);
    int32_t last = 7;
    if (__kmpc_for_collapsed_init(0, 0, own, part, DEPTH, &last)) {
      for (int level = 0; level < DEPTH; level++) {
        CHECK(own[level].test == LESS_EQUAL || own[level].test == GREATER_EQUAL);
        CHECK(part[level].lower_slope == 0 && part[level].upper_slope == 0);
      }
      int first = find(all, count, part, 0), end = find(all, count, part, 1), size = omp_get_num_threads();
      CHECK(0 <= first && first <= end);
      CHECK(end - first + 1 == count / size || end - first + 1 == count / size + 1);
      for (int n = first; n <= end; n++) executed[n]++; // each element belongs to one thread
      CHECK_EQ(last, end == count - 1);
      lasts = last;
    } else {
      CHECK_EQ(last, 0);
    }
  }
  CHECK_EQ(lasts, count > 0);
  for (int n = 0; n < count; n++) CHECK_EQ(executed[n], 1);
}

static void check_rectangle(const Loop* given) {
  Loop nest[DEPTH];
  memcpy(nest, given, sizeof nest);
  for (int level = 0; level < DEPTH; level++) nest[level].lower_slope = nest[level].upper_slope = 0;
  Point point;
  int count = enumerate(nest, 0, &point, all, 0);
  CHECK_EQ(__kmpc_process_loop_nest_rectang(0, 0, nest, DEPTH), (uint64_t)count);
  for (int n = 0; n < count; n++) {
    uint64_t variables[DEPTH];
    __kmpc_calc_original_ivs_rectang(0, (uint64_t)n, nest, variables, DEPTH);
    for (int level = 0; level < DEPTH; level++)
      CHECK_EQ(value(variables[level], nest[level].variable_type), all[n].at[level]);
  }
}

/// Bounds go into 32-bit types with garbage above, as compiled code leaves it.
static uint64_t field(int64_t number, int type) {
  uint64_t bits = (uint64_t)number;
  return type == UINT32 || type == INT32 ? (bits & 0xffffffffu) | 0x5a5a5a5a00000000u : bits;
}

static uint64_t random_state;

static int between(int least, int most) {
  return least + (int)(random_hash(random_state++) % (uint64_t)(most - least + 1));
}

int main(void) {
  random_state = random_seed();
  for (int round = 0; round < SCALED(400); round++) {
    Loop nest[DEPTH];
    int type = round % 4 + UINT32, is_signed = type == INT32 || type == INT64;
    for (int level = 0; level < DEPTH; level++) {
      int up = between(0, 1), strict = between(0, 1), step = between(1, 4);
      int slope = level > 0 ? between(0, 2) : 0;
      // Unsigned variables stay above 0: lower ends from 40, slopes that add.
      int base = is_signed ? between(-9, 9) : 40 + between(0, 9), length = between(-2, 14);
      int other_slope = level > 0 && is_signed ? slope + between(-1, 1) : slope;
      if (!up) base += length;
      nest[level] = (Loop){
          .type = type,
          .variable_type = type,
          .test = up ? (strict ? LESS : LESS_EQUAL) : (strict ? GREATER : GREATER_EQUAL),
          .outer = level > 0 ? between(0, level - 1) : 0,
          .lower = field(base, type),
          .lower_slope = field(slope, type),
          .upper = field(up ? base + length : base - length, type),
          .upper_slope = field(other_slope, type),
          .step = up ? step : -step,
      };
      // != needs a distance that the step divides.
      if (length >= 0 && slope == other_slope && length % step == 0 && between(0, 1)) nest[level].test = NOT_EQUAL;
    }
    check_parts(nest);
    check_rectangle(nest);
  }
  // An unsigned triangle: the first row is empty, its upper bound being below 0 in the form with <=.
  Loop triangle[DEPTH] = {
      {.type = UINT32, .variable_type = UINT32, .test = LESS, .upper = 20, .step = 1},
      {.type = UINT32, .variable_type = UINT32, .test = LESS, .upper_slope = 1, .step = 1},
      {.type = UINT32, .variable_type = UINT32, .test = LESS, .upper = 3, .step = 1},
  };
  check_parts(triangle);
  return 0;
}
