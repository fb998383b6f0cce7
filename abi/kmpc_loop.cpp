// Worksharing loops, sections, ordered and doacross as Clang and Flang call them. Every entry point comes in four
// widths: _4 and _8 bytes, u for unsigned. This file computes static schedules from the caller's number in its team
// (runtime/loops/loop_index.h). All else is one call to runtime/loops/.
#include "abi/abi.h"
#include "runtime/observe/announced.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/collapse.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/loop.h"
#include "runtime/loops/loop_index.h"
#include "runtime/loops/loop_schedule.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/sections.h"

using chomp::LoopChunk;
using chomp::LoopRange;
using chomp::Member;
using chomp::SignedOf;
using chomp::StaticKind;
using chomp::Team;
using chomp::this_worker;
using chomp::Worker;
using chomp::abi::Location;

namespace {

constexpr int32_t kModifiers = 3 << 29;
constexpr int32_t kStatic = 34, kDistributeStaticChunked = 91, kDistributeStatic = 92;

StaticKind static_kind(int32_t schedule) {
  switch (schedule) {
  case 33:
  case 65:
  case 161:
  case 193:
  case kDistributeStaticChunked: return StaticKind::kChunked;
  case 45: return StaticKind::kBlockOfMultiples;
  default: return StaticKind::kBlock;
  }
}

bool is_distribute(int32_t schedule) {
  schedule &= ~kModifiers;
  return schedule == kDistributeStatic || schedule == kDistributeStaticChunked;
}

/// How a static loop is shared out, and which part the calling thread executes (for the distribute codes: its team).
struct StaticShare {
  StaticKind kind;
  uint32_t part, parts;
};

inline StaticShare static_share(const Member* member, int32_t schedule) {
  const Team* team = member->team;
  auto number = static_cast<uint32_t>(member->tid), size = static_cast<uint32_t>(team->size());
  if (CHOMP_LIKELY(schedule == kStatic)) return {StaticKind::kBlock, number, size};
  StaticKind kind = static_kind(schedule & ~kModifiers);
  if (!is_distribute(schedule)) return {kind, number, size};
  return {kind, static_cast<uint32_t>(team->team_number), static_cast<uint32_t>(team->league_size)};
}

template <class T> uint64_t iterations_of(T lower, T upper, SignedOf<T> increment) {
  return chomp::loop_is_empty<T>(lower, upper, increment)
             ? 0
             : chomp::loop_last_index<T>(lower, upper, increment) + uint64_t{1};
}

template <class T> inline void note_loop(Member* member, T lower, T upper, SignedOf<T> increment) {
  chomp::MemberDoacross& doacross = member->worksharing.doacross;
  if (CHOMP_UNLIKELY(doacross.shared != nullptr))
    chomp::doacross_note_loop_slow(doacross, iterations_of<T>(lower, upper, increment));
}

template <class T>
inline void static_init(int32_t schedule, int32_t* last, T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,
                        SignedOf<T> chunk) {
  Member* member = this_worker()->member;
  note_loop<T>(member, *lower, *upper, increment);
  StaticShare share = static_share(member, schedule);
  bool has_last = false;
  if (chomp::loop_is_empty<T>(*lower, *upper, increment))
    *stride = increment; // the bounds stay: they hold no iteration
  else
    has_last = chomp::static_partition<T>(share.kind, share.part, share.parts, increment, chunk, lower, upper, stride);
  if (last != nullptr) *last = has_last;
}

template <class T>
[[gnu::noinline, gnu::cold]] void announced_static_init(int32_t schedule, int32_t* last, T* lower, T* upper,
                                                        SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk,
                                                        const Location* location, const void* site);

/// distribute parallel for, in one step: the team's block, then the thread's part of that.
template <class T>
inline void distribute_static_init(int32_t schedule, int32_t* last, T* lower, T* upper, T* upper_of_team,
                                   SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk) {
  const Member* member = this_worker()->member;
  const Team* team = member->team;
  bool has_last = false;
  *upper_of_team = *upper;
  if (chomp::loop_is_empty<T>(*lower, *upper, increment)) {
    *stride = increment;
  } else {
    bool team_has_last =
        chomp::static_partition<T>(StaticKind::kBlock, static_cast<uint32_t>(team->team_number),
                                   static_cast<uint32_t>(team->league_size), increment, 0, lower, upper, stride);
    *upper_of_team = *upper;
    if (!chomp::loop_is_empty<T>(*lower, *upper, increment))
      has_last =
          chomp::static_partition<T>(static_kind(schedule & ~kModifiers), static_cast<uint32_t>(member->tid),
                                     static_cast<uint32_t>(team->size()), increment, chunk, lower, upper, stride) &&
          team_has_last;
  }
  if (last != nullptr) *last = has_last;
}

/// distribute with chunks: the team's first chunk, and the stride to its next one.
template <class T>
inline void team_static_init(int32_t* last, T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,
                             SignedOf<T> chunk) {
  static_init<T>(kDistributeStaticChunked, last, lower, upper, stride, increment, chunk);
}

/// Reports a static loop to a tool: the construct, and the calling thread's first chunk.
template <class T>
[[gnu::noinline, gnu::cold]] void tell_static(bool distribute, bool sections, uint64_t count, T lower, T upper,
                                              SignedOf<T> increment, const void* site) {
  Worker* worker = this_worker();
  chomp::event_work_begin(worker,
                          sections     ? chomp::WorkKind::kSections
                          : distribute ? chomp::WorkKind::kDistribute
                                       : chomp::WorkKind::kLoopStatic,
                          count, site);
  if (sections) {
    uint64_t own = iterations_of<T>(lower, upper, increment);
    for (uint64_t i = 0; i < own; ++i) chomp::event_section(worker, site);
    return;
  }
  if (chomp::loop_is_empty<T>(lower, upper, increment)) return;
  chomp::event_chunk(worker, distribute ? chomp::ChunkKind::kDistribute : chomp::ChunkKind::kLoop,
                     static_cast<uint64_t>(lower), chomp::loop_last_index<T>(lower, upper, increment) + uint64_t{1});
}

[[gnu::noinline, gnu::cold]] void tell_end(const void* site) { chomp::event_work_end(this_worker(), site); }

inline void end_work(const void* site) {
  if (chomp::announcing()) tell_end(site);
}

template <class T> inline LoopRange range_of(T lower, T upper, SignedOf<T> increment, const void* site) {
  LoopRange range;
  range.site = site;
  range.empty = chomp::loop_is_empty<T>(lower, upper, increment);
  if (range.empty) return range;
  range.lower = static_cast<uint64_t>(lower); // sign-extended; dispatch_next() truncates values again
  range.stride = static_cast<uint64_t>(static_cast<int64_t>(increment));
  range.last = chomp::loop_last_index<T>(lower, upper, increment);
  return range;
}

/// The kind of the loop for a tool. A dynamic loop stays dynamic, even if one thread executes it as a static one.
chomp::WorkKind work_kind(int32_t schedule, const chomp::LoopSchedule& decoded) {
  bool dynamic = (schedule & ~kModifiers) % 32 == 3; // the codes repeat from 32, 64 and 160 on
  return dynamic ? chomp::WorkKind::kLoopDynamic : chomp::work_kind_of(decoded);
}

template <class T>
inline void dispatch_init(int32_t schedule, T lower, T upper, SignedOf<T> increment, SignedOf<T> chunk,
                          const void* site) {
  Worker* worker = this_worker();
  note_loop<T>(worker->member, lower, upper, increment);
  const chomp::LoopSchedule decoded = chomp::loop_schedule_decode(worker, schedule, chunk);
  if (chomp::announcing())
    chomp::event_work_begin(worker, work_kind(schedule, decoded), iterations_of<T>(lower, upper, increment), site);
  chomp::loop_begin(worker, range_of<T>(lower, upper, increment, site), decoded);
}

template <class T>
inline void distribute_dispatch_init(int32_t schedule, int32_t* last, T lower, T upper, SignedOf<T> increment,
                                     SignedOf<T> chunk, const void* site) {
  Worker* worker = this_worker();
  const Team* team = worker->member->team;
  LoopRange range =
      chomp::loop_range_part(range_of<T>(lower, upper, increment, site), static_cast<uint32_t>(team->team_number),
                             static_cast<uint32_t>(team->league_size));
  if (last != nullptr) *last = !range.empty && range.holds_last;
  if (chomp::announcing())
    chomp::event_work_begin(worker, chomp::WorkKind::kDistribute, iterations_of<T>(lower, upper, increment), site);
  chomp::loop_begin(worker, range, chomp::loop_schedule_decode(worker, schedule, chunk));
}

template <class T> inline int dispatch_next(int32_t* last, T* lower, T* upper, SignedOf<T>* stride, const void* site) {
  Worker* worker = this_worker();
  LoopChunk chunk;
  bool found = chomp::loop_next(worker, &chunk);
  if (last != nullptr) *last = chunk.last;
  if (!found) {
    end_work(site);
    return 0;
  }
  *lower = static_cast<T>(chunk.lower);
  *upper = static_cast<T>(chunk.upper);
  if (chomp::announcing()) {
    auto step = static_cast<SignedOf<T>>(worker->member->worksharing.loop.range.stride);
    CHECK(step != 0); // the loop has a chunk, so it was not empty
    chomp::event_chunk(worker, chomp::ChunkKind::kLoop, chunk.lower, iterations_of<T>(*lower, *upper, step));
  }
  if (stride != nullptr) *stride = static_cast<SignedOf<T>>(worker->member->worksharing.loop.range.stride);
  return 1;
}

template <class T>
void announced_static_init(int32_t schedule, int32_t* last, T* lower, T* upper, SignedOf<T>* stride,
                           SignedOf<T> increment, SignedOf<T> chunk, const Location* location, const void* site) {
  constexpr int32_t kSections = 0x400, kDistribute = 0x800; // Location::flags: which construct this is
  uint64_t count = iterations_of<T>(*lower, *upper, increment);
  this_worker(); // so that the tool knows the thread
  static_init<T>(schedule, last, lower, upper, stride, increment, chunk);
  int32_t flags = location != nullptr ? location->flags : 0;
  tell_static<T>(is_distribute(schedule) || (flags & kDistribute) != 0, (flags & kSections) != 0, count, *lower, *upper,
                 increment, site);
}

} // namespace

#define LOOP_ENTRIES(suffix, T)                                                                                        \
  CHOMP_EXPORT void __kmpc_for_static_init_##suffix(Location* location, int32_t, int32_t schedule, int32_t* last,      \
                                                    T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,    \
                                                    SignedOf<T> chunk) {                                               \
    if (chomp::announcing())                                                                                           \
      return announced_static_init<T>(schedule, last, lower, upper, stride, increment, chunk, location,                \
                                      __builtin_return_address(0));                                                    \
    static_init<T>(schedule, last, lower, upper, stride, increment, chunk);                                            \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_dist_for_static_init_##suffix(Location*, int32_t, int32_t schedule, int32_t* last,          \
                                                         T* lower, T* upper, T* upper_of_team, SignedOf<T>* stride,    \
                                                         SignedOf<T> increment, SignedOf<T> chunk) {                   \
    uint64_t count = chomp::announcing() ? iterations_of<T>(*lower, *upper, increment) : 0;                            \
    distribute_static_init<T>(schedule, last, lower, upper, upper_of_team, stride, increment, chunk);                  \
    if (chomp::announcing())                                                                                           \
      tell_static<T>(false, false, count, *lower, *upper, increment, __builtin_return_address(0));                     \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_team_static_init_##suffix(Location*, int32_t, int32_t* last, T* lower, T* upper,            \
                                                     SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk) {  \
    uint64_t count = chomp::announcing() ? iterations_of<T>(*lower, *upper, increment) : 0;                            \
    team_static_init<T>(last, lower, upper, stride, increment, chunk);                                                 \
    if (chomp::announcing())                                                                                           \
      tell_static<T>(true, false, count, *lower, *upper, increment, __builtin_return_address(0));                      \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_dispatch_init_##suffix(Location*, int32_t, int32_t schedule, T lower, T upper,              \
                                                  SignedOf<T> increment, SignedOf<T> chunk) {                          \
    dispatch_init<T>(schedule, lower, upper, increment, chunk, __builtin_return_address(0));                           \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_dist_dispatch_init_##suffix(Location*, int32_t, int32_t schedule, int32_t* last, T lower,   \
                                                       T upper, SignedOf<T> increment, SignedOf<T> chunk) {            \
    distribute_dispatch_init<T>(schedule, last, lower, upper, increment, chunk, __builtin_return_address(0));          \
  }                                                                                                                    \
  CHOMP_EXPORT int __kmpc_dispatch_next_##suffix(Location*, int32_t, int32_t* last, T* lower, T* upper,                \
                                                 SignedOf<T>* stride) {                                                \
    return dispatch_next<T>(last, lower, upper, stride, __builtin_return_address(0));                                  \
  }                                                                                                                    \
  /* This ends one iteration of an ordered loop, not the loop. */                                                      \
  CHOMP_EXPORT void __kmpc_dispatch_fini_##suffix(Location*, int32_t) {                                                \
    chomp::ordered_finish_iteration(this_worker());                                                                    \
  }

// Made here: __kmpc_dispatch_fini_4, __kmpc_dispatch_fini_4u, __kmpc_dispatch_fini_8, __kmpc_dispatch_fini_8u,
// __kmpc_dispatch_init_4, __kmpc_dispatch_init_4u, __kmpc_dispatch_init_8, __kmpc_dispatch_init_8u,
// __kmpc_dispatch_next_4, __kmpc_dispatch_next_4u, __kmpc_dispatch_next_8, __kmpc_dispatch_next_8u,
// __kmpc_dist_dispatch_init_4, __kmpc_dist_dispatch_init_4u, __kmpc_dist_dispatch_init_8,
// __kmpc_dist_dispatch_init_8u, __kmpc_dist_for_static_init_4, __kmpc_dist_for_static_init_4u,
// __kmpc_dist_for_static_init_8, __kmpc_dist_for_static_init_8u, __kmpc_for_static_init_4, __kmpc_for_static_init_4u,
// __kmpc_for_static_init_8, __kmpc_for_static_init_8u, __kmpc_team_static_init_4, __kmpc_team_static_init_4u,
// __kmpc_team_static_init_8, __kmpc_team_static_init_8u.
LOOP_ENTRIES(4, int32_t)
LOOP_ENTRIES(4u, uint32_t)
LOOP_ENTRIES(8, int64_t)
LOOP_ENTRIES(8u, uint64_t)

CHOMP_EXPORT void __kmpc_for_static_fini(Location*, int32_t) { end_work(__builtin_return_address(0)); }
/// libiomp5's, of `distribute parallel for`.
CHOMP_EXPORT void __kmpc_dist_for_static_fini(Location*, int32_t) { end_work(__builtin_return_address(0)); }

CHOMP_EXPORT void __kmpc_dispatch_deinit(Location*, int32_t) {
  chomp::loop_end(this_worker());
  end_work(__builtin_return_address(0));
}

// ---- collapsed nests whose bounds depend on outer loops -------------------------------------------------------------

CHOMP_EXPORT uint64_t __kmpc_process_loop_nest_rectang(Location*, int32_t, chomp::CollapsedLoop* nest, int32_t depth) {
  return chomp::collapse_count(nest, depth);
}
CHOMP_EXPORT void __kmpc_calc_original_ivs_rectang(Location*, uint64_t number, const chomp::CollapsedLoop* nest,
                                                   uint64_t* variables, int32_t depth) {
  chomp::collapse_variables(nest, depth, number, variables);
}
CHOMP_EXPORT int32_t __kmpc_for_collapsed_init(Location*, int32_t, chomp::CollapsedLoop* nest,
                                               chomp::CollapsedLoop* part, int32_t depth, int32_t* last) {
  return chomp::collapse_part(this_worker(), nest, part, depth, last);
}

// ---- sections -------------------------------------------------------------------------------------------------------

/// Whether the sections are shared out. In a serial team the caller executes all.
CHOMP_EXPORT int32_t __kmpc_sections_init(Location*, int32_t) {
  Worker* worker = this_worker();
  if (chomp::announcing()) chomp::event_work_begin(worker, chomp::WorkKind::kSections, 0, __builtin_return_address(0));
  if (worker->member->team->serial()) return 0;
  chomp::sections_begin(worker);
  return 1;
}

CHOMP_EXPORT int32_t __kmpc_next_section(Location*, int32_t, int32_t count) {
  Worker* worker = this_worker();
  int32_t section = chomp::sections_next(worker, count);
  if (chomp::announcing() && section < count) chomp::event_section(worker, __builtin_return_address(0));
  return section;
}

CHOMP_EXPORT void __kmpc_end_sections(Location*, int32_t) {
  chomp::loop_end(this_worker());
  end_work(__builtin_return_address(0));
}

// ---- ordered, doacross ----------------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_ordered(Location*, int32_t) { chomp::begin_ordered(__builtin_return_address(0)); }
CHOMP_EXPORT void __kmpc_end_ordered(Location*, int32_t) { chomp::end_ordered(__builtin_return_address(0)); }

CHOMP_EXPORT void __kmpc_doacross_init(Location*, int32_t, int32_t count, const chomp::DoacrossDimension* dimensions) {
  chomp::doacross_begin(this_worker(), count, dimensions);
}
CHOMP_EXPORT void __kmpc_doacross_wait(Location*, int32_t, const int64_t* vector) {
  if (chomp::doacross_wait(this_worker(), vector)) chomp::tell_doacross(true, vector);
}
CHOMP_EXPORT void __kmpc_doacross_post(Location*, int32_t, const int64_t* vector) {
  chomp::tell_doacross(false, vector);
  chomp::doacross_post(this_worker(), vector);
}
CHOMP_EXPORT void __kmpc_doacross_fini(Location*, int32_t) { chomp::doacross_end(this_worker()); }
