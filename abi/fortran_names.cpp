// Other names for functions that are defined elsewhere: the Fortran twins (a trailing underscore, arguments by
// reference) and the C twins that Intel's headers use (ompc_*, kmpc_*). Each calls the C function. Functions in
// omp_alloc.cpp and omp_misc.cpp have their twins beside them.
//
// The code that gfortran emits shows how it passes arguments. All go by reference, but for the event of
// omp_fulfill_event. Integers and logicals have 4 bytes; a string is an address, with the length after the other
// arguments. (libomp 19 takes the arguments of a few of these by value and a lock hint as 8 bytes, which gfortran's
// callers do not provide.) Flang and Intel's compilers bind to the C names, except for the affinity-format functions
// and omp_init_allocator.
#include <string.h>

#include "abi/abi.h"
#include "abi/omp_c_api.h"

// ---- Fortran: name_(references) → name(values) --------------------------------------------------------------------

#define NO_ARGUMENT(Return, name)                                                                                      \
  CHOMP_EXPORT Return name##_(void) { return name(); }

#define ONE_VALUE(Return, name, T)                                                                                     \
  CHOMP_EXPORT Return name##_(const T* a) { return name(*a); }

#define TWO_VALUES(Return, name, T, U)                                                                                 \
  CHOMP_EXPORT Return name##_(const T* a, const U* b) { return name(*a, *b); }

#define POINTERS(Return, name, T)                                                                                      \
  CHOMP_EXPORT Return name##_(T* a) { return name(a); }

#define VALUE_AND_POINTER(Return, name, T, U)                                                                          \
  CHOMP_EXPORT Return name##_(const T* a, U* b) { return name(*a, b); }

#include "abi/fortran_twins.def"

CHOMP_EXPORT void omp_get_schedule_(int* kind, int* chunk) { omp_get_schedule(kind, chunk); }
extern "C" void gcc_omp_get_schedule_(int* kind, int* chunk) { gcc_omp_get_schedule(kind, chunk); }
CHOMP_EXPORT void omp_fulfill_event_(omp_event_handle_t event) { omp_fulfill_event(event); }
CHOMP_EXPORT void omp_init_lock_with_hint_(void** lock, const int* hint) { omp_init_lock_with_hint(lock, *hint); }
CHOMP_EXPORT void omp_init_nest_lock_with_hint_(void** lock, const int* hint) {
  omp_init_nest_lock_with_hint(lock, *hint);
}

// ---- Fortran with integers and logicals of 8 bytes: name_8_ --------------------------------------------------------
// gfortran's omp_lib picks these for such arguments; results and kinds (omp_sched_kind) keep their size. A number that
// does not fit becomes the nearest that does.

using chomp::abi::saturated;

#define ONE_LONG(Return, name)                                                                                         \
  CHOMP_EXPORT Return name##_8_(const int64_t* a) { return name(saturated(*a)); }

ONE_LONG(void, omp_set_num_threads)
ONE_LONG(void, omp_set_dynamic)
ONE_LONG(void, omp_set_nested)
ONE_LONG(void, omp_set_max_active_levels)
ONE_LONG(int, omp_get_ancestor_thread_num)
ONE_LONG(int, omp_get_team_size)
ONE_LONG(void, omp_set_num_teams)
ONE_LONG(void, omp_set_teams_thread_limit)
ONE_LONG(void, omp_set_default_device)
ONE_LONG(int, omp_get_place_num_procs)
ONE_LONG(void, omp_display_env)

CHOMP_EXPORT void omp_set_schedule_8_(const int* kind, const int64_t* chunk) {
  omp_set_schedule(*kind, saturated(*chunk));
}
CHOMP_EXPORT void omp_get_schedule_8_(int* kind, int64_t* chunk) { // gfortran's alone
  int small;
  gcc_omp_get_schedule(kind, &small);
  *chunk = small;
}

/// Widens `count` ints to integers of 8 bytes, in place, from the last to the first.
static void widen(int64_t* values, int count) {
  char* bytes = reinterpret_cast<char*>(values);
  for (int i = count - 1; i >= 0; --i) {
    int value;
    memcpy(&value, bytes + sizeof value * static_cast<size_t>(i), sizeof value);
    values[i] = value;
  }
}

CHOMP_EXPORT void omp_get_place_proc_ids_8_(const int64_t* place, int64_t* ids) {
  int number = saturated(*place);
  omp_get_place_proc_ids(number, reinterpret_cast<int*>(ids));
  widen(ids, omp_get_place_num_procs(number));
}
CHOMP_EXPORT void omp_get_partition_place_nums_8_(int64_t* places) {
  omp_get_partition_place_nums(reinterpret_cast<int*>(places));
  widen(places, omp_get_partition_num_places());
}

// ---- Fortran strings: the affinity format -------------------------------------------------------------------------

namespace chomp::abi {
namespace {

constexpr size_t kLongestFormat = 1024;

/// A Fortran string (no terminator) as a C string, cut if it is too long.
class CString {
public:
  CString(const char* text, size_t length) {
    if (length >= kLongestFormat) length = kLongestFormat - 1;
    memcpy(text_, text, length);
    text_[length] = '\0';
  }
  const char* get() const { return text_; }

private:
  char text_[kLongestFormat];
};

/// Copies a C string to a Fortran string: cuts it, or adds blanks.
void to_fortran(char* to, size_t size, const char* from) {
  const size_t length = strnlen(from, size);
  memcpy(to, from, length);
  memset(to + length, ' ', size - length);
}

} // namespace
} // namespace chomp::abi

using namespace chomp::abi;

// Both the plain name and the one with the underscore take Fortran strings in node VERSION. C programs call ompc_*
// (omp.h renames), or the plain name in node OMP_5.0, which names.def directs to ompc_*.
#define BOTH_NAMES(Return, name, parameters, arguments)                                                                \
  namespace chomp::abi {                                                                                               \
  static Return fortran_##name parameters;                                                                             \
  }                                                                                                                    \
  CHOMP_EXPORT Return omp_##name parameters { return fortran_##name arguments; }                                       \
  CHOMP_EXPORT Return omp_##name##_ parameters { return fortran_##name arguments; }                                    \
  static Return chomp::abi::fortran_##name parameters

BOTH_NAMES(void, set_affinity_format, (const char* format, size_t length), (format, length)) {
  ompc_set_affinity_format(CString(format, length).get());
}

BOTH_NAMES(size_t, get_affinity_format, (char* buffer, size_t size), (buffer, size)) {
  char text[kLongestFormat];
  const size_t length = ompc_get_affinity_format(text, sizeof text);
  if (buffer) to_fortran(buffer, size, text);
  return length;
}

BOTH_NAMES(void, display_affinity, (const char* format, size_t length), (format, length)) {
  ompc_display_affinity(CString(format, length).get());
}

BOTH_NAMES(size_t, capture_affinity, (char* buffer, const char* format, size_t size, size_t length),
           (buffer, format, size, length)) {
  char text[kLongestFormat];
  const size_t needed = ompc_capture_affinity(text, sizeof text, CString(format, length).get());
  if (buffer) to_fortran(buffer, size, text);
  return needed;
}

// ---- C twins ------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void ompc_set_num_threads(int count) { omp_set_num_threads(count); }
CHOMP_EXPORT void ompc_set_dynamic(int on) { omp_set_dynamic(on); }
CHOMP_EXPORT void ompc_set_nested(int on) { omp_set_nested(on); }
CHOMP_EXPORT void ompc_set_max_active_levels(int levels) { omp_set_max_active_levels(levels); }
CHOMP_EXPORT void ompc_set_schedule(int kind, int chunk) { omp_set_schedule(kind, chunk); }
CHOMP_EXPORT int ompc_get_ancestor_thread_num(int level) { return omp_get_ancestor_thread_num(level); }
CHOMP_EXPORT int ompc_get_team_size(int level) { return omp_get_team_size(level); }

CHOMP_EXPORT void kmpc_set_stacksize(int bytes) { kmp_set_stacksize(bytes); }
CHOMP_EXPORT void kmpc_set_stacksize_s(size_t bytes) { kmp_set_stacksize_s(bytes); }
CHOMP_EXPORT void kmpc_set_blocktime(int milliseconds) { kmp_set_blocktime(milliseconds); }
CHOMP_EXPORT void kmpc_set_library(int kind) { kmp_set_library(kind); }
CHOMP_EXPORT int kmpc_set_affinity_mask_proc(int proc, void** mask) { return kmp_set_affinity_mask_proc(proc, mask); }
CHOMP_EXPORT int kmpc_unset_affinity_mask_proc(int proc, void** mask) {
  return kmp_unset_affinity_mask_proc(proc, mask);
}
CHOMP_EXPORT int kmpc_get_affinity_mask_proc(int proc, void** mask) { return kmp_get_affinity_mask_proc(proc, mask); }
