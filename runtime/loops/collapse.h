// Collapsed loop nests whose bounds depend on outer loops (OpenMP 5.2, 4.4.2), for compilers that leave them to the
// runtime. Everything here works on the caller's own copy of the nest.
//
// The iterations of a nest are numbered in the order in which the program would execute them. They are counted exactly,
// whatever the shape. So every thread gets the same number, or one less, and none gets iterations that do not exist.
#pragma once

#include <cstdint>

namespace chomp {

struct Worker;

/// How a loop ends.
enum class LoopTest : int32_t { kLessOrEqual, kGreaterOrEqual, kNotEqual, kLess, kGreater };

/// Types of loop variables and bounds; bounds have one of the last four.
enum class LoopType : int32_t { kUint8, kInt8, kUint16, kInt16, kUint32, kInt32, kUint64, kInt64 };

/// One loop of the nest, as the compiler lays it out: for (iv = lower; iv <test> upper; iv += step). There `lower` is
/// lower_base + lower_slope * (variable of the loop number `outer`), and `upper` likewise. Where a value is narrower
/// than its field, only the lower bytes mean something.
struct CollapsedLoop {
  LoopType type;          // of the bounds
  LoopType variable_type; // of the loop variable
  LoopTest test;
  int32_t outer; // any loop when both slopes are 0
  uint64_t lower_base, lower_slope;
  uint64_t upper_base, upper_slope;
  int64_t step;
  uint64_t trips; // written by collapse_count()
};
static_assert(sizeof(CollapsedLoop) == 64);

/// For a nest in which no bound depends on another loop: brings all tests to <= and >=, counts each loop's iterations,
/// and returns their product.
uint64_t collapse_count(CollapsedLoop* nest, int32_t depth);

/// The loop variables of iteration `number` of such a nest, each extended to 64 bits according to its type.
void collapse_variables(const CollapsedLoop* nest, int32_t depth, uint64_t number, uint64_t* variables);

/// For any nest: the calling thread's part in its team. Returns false if the thread has none. Otherwise it brings all
/// tests to <= and >=. `part` is then the nest without slopes: its lower bounds are the variables of the first
/// iteration, its upper bounds those of the last one. `last` is 1 for the thread with the last iteration.
bool collapse_part(Worker* worker, CollapsedLoop* nest, CollapsedLoop* part, int32_t depth, int32_t* last);

} // namespace chomp
