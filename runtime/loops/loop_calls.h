// Worksharing loops as the calls of compiled code enter, continue and leave them, for each type of the loop's variable.
// Static schedules are computed here, from the caller's number in its team (loop_index.h); all else is loop.h. Every
// step is announced to a tool, if there is one.
#pragma once

#include "runtime/core/program_call.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/loop.h"
#include "runtime/loops/loop_index.h"
#include "runtime/loops/loop_schedule.h"

namespace chomp {

inline StaticKind static_kind(int32_t schedule) {
  switch (schedule) {
  case kCodeStaticChunked:
  case kCodeStaticChunked + kCodeOrderedOffset:
  case kCodeStaticChunked + kCodeOneByOneOffset:
  case kCodeStaticChunked + kCodeOrderedOffset + kCodeOneByOneOffset:
  case kCodeDistributeStaticChunked: return StaticKind::kChunked;
  case kCodeStaticBalancedChunked: return StaticKind::kBlockOfMultiples;
  default: return StaticKind::kBlock;
  }
}

inline bool is_distribute(int32_t schedule) {
  schedule &= ~kCodeModifiers;
  return schedule == kCodeDistributeStatic || schedule == kCodeDistributeStaticChunked;
}

/// How a static loop is shared out, and which part the calling thread executes (for the distribute codes: its team).
struct StaticShare {
  StaticKind kind;
  uint32_t part, parts;
};

inline StaticShare static_share(const Member* member, int32_t schedule) {
  const Team* team = member->team;
  auto number = static_cast<uint32_t>(member->tid), size = static_cast<uint32_t>(team->size());
  if (CHOMP_LIKELY(schedule == kCodeStatic)) return {StaticKind::kBlock, number, size};
  StaticKind kind = static_kind(schedule & ~kCodeModifiers);
  if (!is_distribute(schedule)) return {kind, number, size};
  return {kind, static_cast<uint32_t>(team->team_number), static_cast<uint32_t>(team->league_size)};
}

template <class T> uint64_t iterations_of(T lower, T upper, SignedOf<T> increment) {
  // Where the bounds hold every value of the type, the loop is empty, too: static_partition().
  return loop_is_empty<T>(lower, upper, increment) ? 0 : UnsignedOf<T>(loop_last_index<T>(lower, upper, increment) + 1);
}

template <class T> inline void note_loop(Member* member, T lower, T upper, SignedOf<T> increment) {
  MemberDoacross& doacross = member->worksharing.doacross;
  if (CHOMP_UNLIKELY(doacross.shared != nullptr))
    doacross_note_loop_slow(doacross, iterations_of<T>(lower, upper, increment));
}

/// The calling thread's first chunk, and how far it is to the next.
template <class T>
inline void static_bounds(const Member* member, int32_t schedule, int32_t* last, T* lower, T* upper,
                          SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk) {
  StaticShare share = static_share(member, schedule);
  bool has_last = false;
  if (loop_is_empty<T>(*lower, *upper, increment))
    *stride = increment; // the bounds stay: they hold no iteration
  else
    has_last = static_partition<T>(share.kind, share.part, share.parts, increment, chunk, lower, upper, stride);
  if (last != nullptr) *last = has_last;
}

template <class T>
inline void static_init(int32_t schedule, int32_t* last, T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,
                        SignedOf<T> chunk) {
  Member* member = this_worker()->member;
  note_loop<T>(member, *lower, *upper, increment);
  static_bounds<T>(member, schedule, last, lower, upper, stride, increment, chunk);
}

/// distribute parallel for, in one step: the team's block, then the thread's part of that.
template <class T>
inline void distribute_static_init(int32_t schedule, int32_t* last, T* lower, T* upper, T* upper_of_team,
                                   SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk) {
  const Member* member = this_worker()->member;
  const Team* team = member->team;
  bool has_last = false;
  *upper_of_team = *upper;
  if (loop_is_empty<T>(*lower, *upper, increment)) {
    *stride = increment;
  } else {
    bool team_has_last =
        static_partition<T>(StaticKind::kBlock, static_cast<uint32_t>(team->team_number),
                            static_cast<uint32_t>(team->league_size), increment, 0, lower, upper, stride);
    *upper_of_team = *upper;
    if (!loop_is_empty<T>(*lower, *upper, increment))
      has_last = static_partition<T>(static_kind(schedule & ~kCodeModifiers), static_cast<uint32_t>(member->tid),
                                     static_cast<uint32_t>(team->size()), increment, chunk, lower, upper, stride) &&
                 team_has_last;
  }
  if (last != nullptr) *last = has_last;
}

/// distribute with chunks: the team's first chunk, and the stride to its next one.
template <class T>
inline void team_static_init(int32_t* last, T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,
                             SignedOf<T> chunk) {
  static_init<T>(kCodeDistributeStaticChunked, last, lower, upper, stride, increment, chunk);
}

struct StaticConstruct {
  bool distribute, sections;
};

/// Reports a static loop to a tool: the construct, and the calling thread's first chunk.
template <class T>
[[gnu::noinline, gnu::cold]] void tell_static(bool distribute, bool sections, uint64_t count, T lower, T upper,
                                              SignedOf<T> increment, const void* site) {
  Worker* worker = this_worker();
  event_work_begin(worker,
                   sections     ? WorkKind::kSections
                   : distribute ? WorkKind::kDistribute
                                : WorkKind::kLoopStatic,
                   count, site);
  if (sections) {
    uint64_t own = iterations_of<T>(lower, upper, increment);
    for (uint64_t i = 0; i < own; ++i) event_section(worker, site);
    return;
  }
  if (loop_is_empty<T>(lower, upper, increment)) return;
  event_chunk(worker, distribute ? ChunkKind::kDistribute : ChunkKind::kLoop, static_cast<uint64_t>(lower),
              loop_last_index<T>(lower, upper, increment) + uint64_t{1});
}

[[gnu::noinline, gnu::cold]] inline void tell_end(const void* site) { event_work_end(this_worker(), site); }

inline void end_work(const void* site) {
  if (announcing()) tell_end(site);
}

template <class T> inline LoopRange range_of(T lower, T upper, SignedOf<T> increment, const void* site) {
  LoopRange range;
  range.site = site;
  range.empty = loop_is_empty<T>(lower, upper, increment);
  if (range.empty) return range;
  range.lower = static_cast<uint64_t>(lower); // sign-extended; dispatch_next() truncates values again
  range.stride = static_cast<uint64_t>(static_cast<int64_t>(increment));
  range.last = loop_last_index<T>(lower, upper, increment);
  return range;
}

/// The kind of the loop for a tool. A dynamic loop stays dynamic, even if one thread executes it as a static one.
inline WorkKind work_kind(int32_t schedule, const LoopSchedule& decoded) {
  bool dynamic = (schedule & ~kCodeModifiers) % 32 == 3; // the codes repeat from 32, 64 and 160 on
  return dynamic ? WorkKind::kLoopDynamic : work_kind_of(decoded);
}

template <class T>
inline void dispatch_init(int32_t schedule, T lower, T upper, SignedOf<T> increment, SignedOf<T> chunk,
                          const void* site) {
  Worker* worker = this_worker();
  note_loop<T>(worker->member, lower, upper, increment);
  const LoopSchedule decoded = loop_schedule_decode(worker, schedule, chunk);
  if (announcing())
    event_work_begin(worker, work_kind(schedule, decoded), iterations_of<T>(lower, upper, increment), site);
  loop_begin(worker, range_of<T>(lower, upper, increment, site), decoded);
}

template <class T>
inline void distribute_dispatch_init(int32_t schedule, int32_t* last, T lower, T upper, SignedOf<T> increment,
                                     SignedOf<T> chunk, const void* site) {
  Worker* worker = this_worker();
  const Team* team = worker->member->team;
  LoopRange range = loop_range_part(range_of<T>(lower, upper, increment, site),
                                    static_cast<uint32_t>(team->team_number), static_cast<uint32_t>(team->league_size));
  if (last != nullptr) *last = !range.empty && range.holds_last;
  if (announcing()) event_work_begin(worker, WorkKind::kDistribute, iterations_of<T>(lower, upper, increment), site);
  loop_begin(worker, range, loop_schedule_decode(worker, schedule, chunk));
}

template <class T> inline int dispatch_next(int32_t* last, T* lower, T* upper, SignedOf<T>* stride, const void* site) {
  Worker* worker = this_worker();
  LoopChunk chunk;
  bool found = loop_next(worker, &chunk);
  if (last != nullptr) *last = chunk.last;
  if (!found) {
    end_work(site);
    return 0;
  }
  *lower = static_cast<T>(chunk.lower);
  *upper = static_cast<T>(chunk.upper);
  if (announcing()) {
    auto step = static_cast<SignedOf<T>>(worker->member->worksharing.loop.range.stride);
    CHECK(step != 0); // the loop has a chunk, so it was not empty
    event_chunk(worker, ChunkKind::kLoop, chunk.lower, iterations_of<T>(*lower, *upper, step));
  }
  if (stride != nullptr) *stride = static_cast<SignedOf<T>>(worker->member->worksharing.loop.range.stride);
  return 1;
}

/// `is` says which construct this is, as far as the schedule does not.
template <class T>
[[gnu::noinline, gnu::cold]] void announced_static_init(int32_t schedule, int32_t* last, T* lower, T* upper,
                                                        SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk,
                                                        StaticConstruct is, const void* site) {
  uint64_t count = iterations_of<T>(*lower, *upper, increment);
  this_worker(); // so that the tool knows the thread
  static_init<T>(schedule, last, lower, upper, stride, increment, chunk);
  tell_static<T>(is_distribute(schedule) || is.distribute, is.sections, count, *lower, *upper, increment, site);
}

} // namespace chomp
