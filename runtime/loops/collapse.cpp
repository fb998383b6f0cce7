// Counting and numbering the iterations of collapsed loop nests. See collapse.h.
#include "runtime/loops/collapse.h"

#include "runtime/base/check.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/loop_index.h"

namespace chomp {

namespace {

constexpr int32_t kDeepestNest = 64; // Nest::depended_on has a bit per loop

/// The value that the lower bytes have in that type, extended to 64 bits.
uint64_t extend(LoopType type, uint64_t value) {
  switch (type) {
  case LoopType::kUint8: return static_cast<uint8_t>(value);
  case LoopType::kInt8: return static_cast<uint64_t>(static_cast<int8_t>(value));
  case LoopType::kUint16: return static_cast<uint16_t>(value);
  case LoopType::kInt16: return static_cast<uint64_t>(static_cast<int16_t>(value));
  case LoopType::kUint32: return static_cast<uint32_t>(value);
  case LoopType::kInt32: return static_cast<uint64_t>(static_cast<int32_t>(value));
  case LoopType::kUint64:
  case LoopType::kInt64: return value;
  }
  fatal("a collapsed loop of unknown type %d", static_cast<int>(type));
}

bool is_signed(LoopType type) { return static_cast<int32_t>(type) % 2 != 0; }

/// Steps are signed, also those of unsigned loops.
int64_t step_of(const CollapsedLoop& loop) {
  bool narrow = loop.type == LoopType::kUint32 || loop.type == LoopType::kInt32;
  return narrow ? static_cast<int32_t>(loop.step) : loop.step;
}

/// base + slope * outer variable, in the type of the bounds.
uint64_t bound(const CollapsedLoop& loop, uint64_t base, uint64_t slope, const uint64_t* variables) {
  // Modulo 2^64, hence right modulo 2^32 as well. Without a slope no variable is read: the outermost loop has none.
  uint64_t narrow_slope = extend(loop.type, slope);
  return extend(loop.type, narrow_slope == 0 ? base : base + narrow_slope * variables[loop.outer]);
}

LoopTest test_of(const CollapsedLoop& loop) {
  if (loop.test != LoopTest::kNotEqual) return loop.test;
  return step_of(loop) > 0 ? LoopTest::kLess : LoopTest::kGreater;
}

/// Puts <= or >= in place of the test. For an unsigned loop that ends below 0 this makes an empty loop endless; so it
/// is done last, when the iterations have been counted.
void canonicalize(CollapsedLoop* loop) {
  loop->test = test_of(*loop);
  if (loop->test == LoopTest::kLess) {
    loop->upper_base = extend(loop->type, loop->upper_base - 1);
    loop->test = LoopTest::kLessOrEqual;
  } else if (loop->test == LoopTest::kGreater) {
    loop->upper_base = extend(loop->type, loop->upper_base + 1);
    loop->test = LoopTest::kGreaterOrEqual;
  }
}

/// How often a loop runs from one bound to the other.
uint64_t trips_between(const CollapsedLoop& loop, uint64_t lower, uint64_t upper) {
  LoopTest test = test_of(loop);
  bool up = test == LoopTest::kLess || test == LoopTest::kLessOrEqual;
  bool strict = test == LoopTest::kLess || test == LoopTest::kGreater;
  uint64_t least = up ? lower : upper, most = up ? upper : lower;
  bool below = is_signed(loop.type) ? static_cast<int64_t>(least) < static_cast<int64_t>(most) : least < most;
  int64_t step = step_of(loop);
  if (step == 0 || !(below || (!strict && least == most))) return 0;
  uint64_t stride = step < 0 ? -static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  return (most - least - strict) / stride + 1;
}

/// How often a loop runs, for given variables of the loops around it.
uint64_t trips(const CollapsedLoop& loop, const uint64_t* variables) {
  return trips_between(loop, bound(loop, loop.lower_base, loop.lower_slope, variables),
                       bound(loop, loop.upper_base, loop.upper_slope, variables));
}

/// Sets the variable of loop `level` to its value in iteration `number`.
void set_variable(const CollapsedLoop* nest, int32_t level, uint64_t number, uint64_t* variables) {
  const CollapsedLoop& loop = nest[level];
  uint64_t lower = bound(loop, loop.lower_base, loop.lower_slope, variables);
  variables[level] = extend(loop.variable_type, lower + number * static_cast<uint64_t>(step_of(loop)));
}

/// A nest of any shape. Only loops on which others depend are walked through; the trips of the others are multiplied.
/// So counting a triangle takes as many steps as its outer loop has iterations.
struct Nest {
  const CollapsedLoop* loops;
  int32_t depth;
  uint64_t depended_on = 0; // bit i: the bounds of an inner loop depend on loop i
  uint64_t variables[kDeepestNest];

  Nest(const CollapsedLoop* nest, int32_t nest_depth) : loops(nest), depth(nest_depth) {
    for (int32_t level = 1; level < depth; ++level) {
      const CollapsedLoop& loop = loops[level];
      bool slopes = extend(loop.type, loop.lower_slope) != 0 || extend(loop.type, loop.upper_slope) != 0;
      if (slopes) depended_on |= uint64_t{1} << loop.outer;
    }
  }

  bool shapes_inner(int32_t level) const { return (depended_on >> level & 1) != 0; }

  /// Iterations of the loops from `level` inwards, for the variables of those around them.
  uint64_t count(int32_t level) {
    if (level == depth) return 1;
    uint64_t own = trips(loops[level], variables);
    if (own == 0) return 0;
    if (!shapes_inner(level)) return own * count(level + 1);
    uint64_t sum = 0;
    for (uint64_t number = 0; number < own; ++number) {
      set_variable(loops, level, number, variables);
      sum += count(level + 1);
    }
    return sum;
  }

  /// Sets the variables of iteration `number`, which exists.
  void seek(uint64_t number) {
    for (int32_t level = 0; level < depth; ++level) {
      uint64_t own = 0, inside;
      if (shapes_inner(level)) {
        for (;; ++own) {
          set_variable(loops, level, own, variables);
          inside = count(level + 1);
          if (number < inside) break;
          number -= inside;
        }
      } else {
        inside = count(level + 1);
        own = number / inside;
        number %= inside;
        set_variable(loops, level, own, variables);
      }
    }
  }
};

void check_depth(int32_t depth) {
  if (depth < 1 || depth > kDeepestNest) fatal("collapse(%d): chomp collapses at most %d loops", depth, kDeepestNest);
}

} // namespace

uint64_t collapse_count(CollapsedLoop* nest, int32_t depth) {
  uint64_t product = 1;
  for (int32_t level = 0; level < depth; ++level) {
    CollapsedLoop& loop = nest[level];
    loop.trips = trips_between(loop, extend(loop.type, loop.lower_base), extend(loop.type, loop.upper_base));
    canonicalize(&loop);
    product *= loop.trips;
  }
  return product;
}

void collapse_variables(const CollapsedLoop* nest, int32_t depth, uint64_t number, uint64_t* variables) {
  for (int32_t level = depth - 1; level >= 0; --level) {
    set_variable(nest, level, number % nest[level].trips, variables);
    number /= nest[level].trips;
  }
}

bool collapse_part(Worker* worker, CollapsedLoop* nest, CollapsedLoop* part, int32_t depth, int32_t* last) {
  check_depth(depth);
  if (last != nullptr) *last = 0;
  Nest shape(nest, depth);
  uint64_t total = shape.count(0);
  if (total == 0) return false;

  auto threads = static_cast<uint64_t>(worker->member->team->size()), tid = static_cast<uint64_t>(worker->member->tid);
  IndexBlock<uint64_t> own = balanced_block<uint64_t>(total - 1, tid, threads);
  if (own.empty()) return false;
  shape.seek(own.first);
  for (int32_t level = 0; level < depth; ++level) part[level].lower_base = shape.variables[level];
  shape.seek(own.last);
  for (int32_t level = 0; level < depth; ++level) {
    CollapsedLoop& loop = nest[level];
    canonicalize(&loop);
    part[level] = {.type = loop.type,
                   .variable_type = loop.variable_type,
                   .test = loop.test,
                   .outer = loop.outer,
                   .lower_base = part[level].lower_base,
                   .lower_slope = 0,
                   .upper_base = shape.variables[level],
                   .upper_slope = 0,
                   .step = loop.step,
                   .trips = loop.trips};
  }
  if (last != nullptr) *last = own.last == total - 1;
  return true;
}

} // namespace chomp
