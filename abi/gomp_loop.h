// How GCC's code describes loops and sections: for gomp_loop.cpp and the combined constructs of gomp_parallel.cpp.
#pragma once

#include <cstdint>

#include "runtime/core/worker.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/loop.h"
#include "runtime/loops/loop_schedule.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/sections.h"
#include "runtime/core/program_call.h"

namespace chomp::abi {

/// A loop from `start` to before `end`. T is long or unsigned long long; the latter does not show whether an increment
/// is negative.
template <class T> struct LoopBounds {
  bool up;
  T start, end, increment;
  const void* site; // as LoopRange::site

  bool empty() const { return up ? start >= end : start <= end; }

  LoopRange range() const {
    LoopRange range;
    range.empty = empty();
    if (range.empty) return range;
    range.site = site;
    range.end = static_cast<uint64_t>(end);
    range.lower = static_cast<uint64_t>(start);
    range.stride = static_cast<uint64_t>(increment);
    uint64_t step = up ? range.stride : uint64_t{0} - range.stride;
    uint64_t distance = up ? static_cast<uint64_t>(end) - range.lower : range.lower - static_cast<uint64_t>(end);
    range.last = (distance - 1) / step;
    return range;
  }
};

/// The calling member enters the loop. A chunk of 0 or less: none is given.
template <class T>
inline void enter_loop(Worker* worker, const LoopBounds<T>& bounds, ScheduleClause clause, T chunk, bool ordered) {
  uint64_t size = chunk > 0 ? static_cast<uint64_t>(chunk) : 0;
  const LoopSchedule schedule = loop_schedule_of(worker, clause, size, ordered);
  const LoopRange range = bounds.range();
  if (announcing()) event_work_begin(worker, work_kind_of(schedule), range.empty ? 0 : range.last + 1, bounds.site);
  loop_begin(worker, range, schedule);
}

inline void enter_sections(Worker* worker, unsigned count, const void* site = nullptr) {
  if (announcing()) event_work_begin(worker, WorkKind::kSections, count, site);
  sections_begin(worker, static_cast<int32_t>(count));
}

} // namespace chomp::abi
