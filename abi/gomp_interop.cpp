// The interop construct of GCC 15 and later, and gfortran's forms of the routines that describe interop objects
// (omp_misc.cpp has the others). Without devices every object is omp_interop_none, but the construct obeys its
// dependences.
#include <string.h>

#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "abi/omp_c_api.h"
#include "runtime/core/program_call.h"
#include "runtime/devices/interop.h"
#include "runtime/devices/target_region.h"

using namespace chomp;
using namespace chomp::abi;

namespace {

constexpr unsigned kNowait = 1; // of `flags`

/// On the host, objects that are initialised or destroyed become omp_interop_none.
void reset(int count, Interop** objects) {
  for (int i = 0; i < count; ++i) *objects[i] = nullptr;
}

void describe(const char* text, const char** result, size_t* length) {
  *result = text;
  *length = text != nullptr ? strlen(text) : 0;
}

} // namespace

/// For each object to initialise, `kinds` says target 1 or targetsync 2, and `preferred` the foreign runtimes that are
/// wanted. An object to use is passed itself; an object to initialise or destroy is passed by its address.
CHOMP_EXPORT void GOMP_interop(int device, int init_count, Interop** initialised, const int* kinds,
                               const char** preferred, int use_count, Interop* used, int destroy_count,
                               Interop** destroyed, unsigned flags, void** depend) {
  using Function = void(int, int, Interop**, const int*, const char**, int, Interop*, int, Interop**, unsigned, void**);
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  auto* offload = of_devices<Function>("GOMP_interop");
  with_dependences(worker, depend, [&](const DependenceList& list) {
    target_keeps_order(worker, offload == nullptr && (flags & kNowait) != 0, list);
  });
  if (offload != nullptr)
    return offload(device_of_interop(device), init_count, initialised, kinds, preferred, use_count, used, destroy_count,
                   destroyed, flags & ~kNowait, nullptr);
  reset(init_count, initialised);
  reset(destroy_count, destroyed);
}

// ---- gfortran -------------------------------------------------------------------------------------------------------
// The first two arguments return the address and the length of a text. gfortran passes objects and numbers as values,
// other Fortran compilers as references. So these are in libgomp's nodes only.

extern "C" {

void gcc_omp_get_interop_name_(const char** text, size_t* length, Interop object, int property) {
  describe(omp_get_interop_name(object, property), text, length);
}

void gcc_omp_get_interop_type_desc_(const char** text, size_t* length, Interop object, int property) {
  describe(omp_get_interop_type_desc(object, property), text, length);
}

void gcc_omp_get_interop_rc_desc_(const char** text, size_t* length, Interop object, int code) {
  describe(omp_get_interop_rc_desc(object, code), text, length);
}

void gcc_omp_get_interop_str_(const char** text, size_t* length, Interop object, int property, int* code) {
  describe(omp_get_interop_str(object, property, code), text, length);
}

} // extern "C"
