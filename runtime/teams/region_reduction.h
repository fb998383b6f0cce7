// Reductions of parallel and worksharing constructs (OpenMP 5.2, 5.5.8): how the members' partial results come
// together. (Reductions over tasks are task_reduction.cpp's.)
//
// The compiler emits every way of combining and asks which to take. What its code does for each answer:
//
//   1  combine the member's result into the variable with plain accesses, then call reduction_end()
//   2  combine it atomically, then call reduction_end() unless the construct is nowait
//   0  nothing: the result has been combined into another member's
#pragma once

#include <cstdint>

#include "runtime/sync/program_lock.h"

namespace chomp {

struct Worker;

/// Combines *mine with *other into *mine.
using ReduceFunction = void (*)(void* mine, void* other);

struct ReductionOffer {
  bool atomic;             // the compiler has an atomic variant
  void* data;              // this member's partial results; null: no function
  ReduceFunction function; // null: none
  ProgramLock* lock;       // of the construct
  bool nowait;             // no barrier ends the construct
};

/// `site`: where the program calls, for tools.
int32_t reduction_begin(Worker* worker, const ReductionOffer& offer, const void* site);

/// Called after the answer 1 or 2. With `nowait` false, it is also the barrier that ends the construct.
void reduction_end(Worker* worker, ProgramLock* lock, bool nowait, const void* site);

} // namespace chomp
