// Worksharing loops, sections, ordered and doacross as Clang and Flang call them. Every entry point comes in four
// widths: _4 and _8 bytes, u for unsigned. Each is one call to runtime/loops/.
#include "abi/abi.h"
#include "runtime/observe/announced.h"
#include "runtime/loops/collapse.h"
#include "runtime/loops/loop_calls.h"
#include "runtime/loops/sections.h"

using namespace chomp;
using chomp::abi::Location;

/// Which construct a static loop is.
static StaticConstruct construct_of(const Location* location) {
  constexpr int32_t kSections = 0x400, kDistribute = 0x800;
  int32_t flags = location != nullptr ? location->flags : 0;
  return {(flags & kDistribute) != 0, (flags & kSections) != 0};
}

#define LOOP_ENTRIES(suffix, T)                                                                                        \
  CHOMP_EXPORT void __kmpc_for_static_init_##suffix(Location* location, int32_t, int32_t schedule, int32_t* last,      \
                                                    T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,    \
                                                    SignedOf<T> chunk) {                                               \
    if (announcing())                                                                                                  \
      return announced_static_init<T>(schedule, last, lower, upper, stride, increment, chunk, construct_of(location),  \
                                      __builtin_return_address(0));                                                    \
    static_init<T>(schedule, last, lower, upper, stride, increment, chunk);                                            \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_dist_for_static_init_##suffix(Location*, int32_t, int32_t schedule, int32_t* last,          \
                                                         T* lower, T* upper, T* upper_of_team, SignedOf<T>* stride,    \
                                                         SignedOf<T> increment, SignedOf<T> chunk) {                   \
    uint64_t count = announcing() ? iterations_of<T>(*lower, *upper, increment) : 0;                                   \
    distribute_static_init<T>(schedule, last, lower, upper, upper_of_team, stride, increment, chunk);                  \
    if (announcing()) tell_static<T>(false, false, count, *lower, *upper, increment, __builtin_return_address(0));     \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_team_static_init_##suffix(Location*, int32_t, int32_t* last, T* lower, T* upper,            \
                                                     SignedOf<T>* stride, SignedOf<T> increment, SignedOf<T> chunk) {  \
    uint64_t count = announcing() ? iterations_of<T>(*lower, *upper, increment) : 0;                                   \
    team_static_init<T>(last, lower, upper, stride, increment, chunk);                                                 \
    if (announcing()) tell_static<T>(true, false, count, *lower, *upper, increment, __builtin_return_address(0));      \
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
  CHOMP_EXPORT void __kmpc_dispatch_fini_##suffix(Location*, int32_t) { ordered_finish_iteration(this_worker()); }

LOOP_ENTRIES(4, int32_t)
LOOP_ENTRIES(4u, uint32_t)
LOOP_ENTRIES(8, int64_t)
LOOP_ENTRIES(8u, uint64_t)

CHOMP_EXPORT void __kmpc_for_static_fini(Location*, int32_t) { end_work(__builtin_return_address(0)); }
/// libiomp5's, of `distribute parallel for`.
CHOMP_EXPORT void __kmpc_dist_for_static_fini(Location*, int32_t) { end_work(__builtin_return_address(0)); }

CHOMP_EXPORT void __kmpc_dispatch_deinit(Location*, int32_t) {
  loop_end(this_worker());
  end_work(__builtin_return_address(0));
}

// ---- collapsed nests whose bounds depend on outer loops -------------------------------------------------------------

CHOMP_EXPORT uint64_t __kmpc_process_loop_nest_rectang(Location*, int32_t, CollapsedLoop* nest, int32_t depth) {
  return collapse_count(nest, depth);
}
CHOMP_EXPORT void __kmpc_calc_original_ivs_rectang(Location*, uint64_t number, const CollapsedLoop* nest,
                                                   uint64_t* variables, int32_t depth) {
  collapse_variables(nest, depth, number, variables);
}
CHOMP_EXPORT int32_t __kmpc_for_collapsed_init(Location*, int32_t, CollapsedLoop* nest, CollapsedLoop* part,
                                               int32_t depth, int32_t* last) {
  return collapse_part(this_worker(), nest, part, depth, last);
}

// ---- sections -------------------------------------------------------------------------------------------------------

CHOMP_EXPORT int32_t __kmpc_sections_init(Location*, int32_t) {
  Worker* worker = this_worker();
  if (announcing()) event_work_begin(worker, WorkKind::kSections, 0, __builtin_return_address(0));
  return sections_begin(worker);
}

CHOMP_EXPORT int32_t __kmpc_next_section(Location*, int32_t, int32_t count) {
  Worker* worker = this_worker();
  int32_t section = sections_next(worker, count);
  if (announcing() && section < count) event_section(worker, __builtin_return_address(0));
  return section;
}

CHOMP_EXPORT void __kmpc_end_sections(Location*, int32_t) {
  loop_end(this_worker());
  end_work(__builtin_return_address(0));
}

// ---- ordered, doacross ----------------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_ordered(Location*, int32_t) { begin_ordered(__builtin_return_address(0)); }
CHOMP_EXPORT void __kmpc_end_ordered(Location*, int32_t) { end_ordered(__builtin_return_address(0)); }

CHOMP_EXPORT void __kmpc_doacross_init(Location*, int32_t, int32_t count, const DoacrossDimension* dimensions) {
  doacross_begin(this_worker(), count, dimensions);
}
CHOMP_EXPORT void __kmpc_doacross_wait(Location*, int32_t, const int64_t* vector) {
  if (doacross_wait(this_worker(), vector)) tell_doacross(true, vector);
}
CHOMP_EXPORT void __kmpc_doacross_post(Location*, int32_t, const int64_t* vector) {
  tell_doacross(false, vector);
  doacross_post(this_worker(), vector);
}
CHOMP_EXPORT void __kmpc_doacross_fini(Location*, int32_t) { doacross_end(this_worker()); }
