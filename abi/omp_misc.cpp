// Entry points that need little of the runtime: time, interoperability objects, warnings, the `error` directive; and
// their Fortran twins (a trailing underscore, arguments by reference; see fortran_names.cpp).
#include <algorithm>
#include <string.h>
#include <time.h>

#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/base/log.h"
#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/worker.h"
#include "runtime/devices/interop.h"
#include "runtime/observe/error_directive.h"
#include "runtime/observe/ompt_types.h"
#include "runtime/observe/ompt_tool.h"

namespace chomp::abi {
namespace {

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

} // namespace
} // namespace chomp::abi

using namespace chomp::abi;
using chomp::this_worker;

// ---- Time (OpenMP 5.2, 18.10) -------------------------------------------------------------------------------------

CHOMP_EXPORT double omp_get_wtime(void) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}

CHOMP_EXPORT double omp_get_wtick(void) {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return seconds(resolution);
}

CHOMP_EXPORT double omp_get_wtime_(void) { return omp_get_wtime(); }
CHOMP_EXPORT double omp_get_wtick_(void) { return omp_get_wtick(); }

// ---- Interoperability objects (18.12) -------------------------------------------------------------------------------

using chomp::Interop;

CHOMP_EXPORT int omp_get_num_interop_properties(Interop object) { return chomp::interop_property_count(object); }

#define INTEROP_PROPERTY(name, Value)                                                                                  \
  CHOMP_EXPORT Value name(Interop object, int id, int* return_code) {                                                  \
    return chomp::interop_property<Value>(#name, object, id, return_code);                                             \
  }                                                                                                                    \
  CHOMP_EXPORT Value name##_(const Interop* object, const int* id, int* return_code) {                                 \
    return name(*object, *id, return_code);                                                                            \
  }

#define INTEROP_DESCRIPTION(name, answer)                                                                              \
  CHOMP_EXPORT const char* name(Interop object, int number) { return answer; }                                         \
  CHOMP_EXPORT const char* name##_(const Interop* object, const int* number) { return name(*object, *number); }

INTEROP_PROPERTY(omp_get_interop_int, intptr_t)
INTEROP_PROPERTY(omp_get_interop_ptr, void*)
INTEROP_PROPERTY(omp_get_interop_str, const char*)
INTEROP_DESCRIPTION(omp_get_interop_name, chomp::interop_name(object, number))
INTEROP_DESCRIPTION(omp_get_interop_type_desc, chomp::interop_text("omp_get_interop_type_desc", object, number))
INTEROP_DESCRIPTION(omp_get_interop_rc_desc, chomp::interop_return_text(object, number))

CHOMP_EXPORT int omp_get_num_interop_properties_(const Interop* object) {
  return omp_get_num_interop_properties(*object);
}

// ---- Tools --------------------------------------------------------------------------------------------------------

CHOMP_EXPORT int omp_control_tool(int command, int modifier, void* argument) {
  return chomp::tool_control(command, modifier, argument, __builtin_return_address(0), __builtin_frame_address(0));
}
CHOMP_EXPORT int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return chomp::tool_control(*command, *modifier, argument, __builtin_return_address(0), __builtin_frame_address(0));
}

/// LLVM's offload library calls this to get the callbacks of devices, since it reports their events.
CHOMP_EXPORT void ompt_libomp_connect(void* start_result) {
  this_worker();
  chomp::tool_connect_offload(start_result);
}

/// Weak, and only forwards the call: a tool's own definition, in the program or a library, counts. Exported because
/// programs that are linked against libomp may name it.
CHOMP_EXPORT __attribute__((weak)) chomp::ompt::StartResult* ompt_start_tool(unsigned openmp_version,
                                                                             const char* runtime_version) {
  auto* next = chomp::next_definition<chomp::ompt::StartTool>("ompt_start_tool");
  return next ? next(openmp_version, runtime_version) : nullptr;
}

// ---- Start and end of a program: nothing to do, chomp starts at the first construct that needs it -----------------

CHOMP_EXPORT void __kmpc_begin(Location*, int) {}
CHOMP_EXPORT void __kmpc_end(Location*) {}

// ---- The error directive (8.5) ------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_error(Location* location, int severity, const char* message) {
  chomp::error_directive(severity, source_of(location), message, __builtin_return_address(0));
}

/// GCC's form of a message, which may be null. A length of all ones: the string ends with a zero.
static void gcc_error(int severity, const char* message, size_t length, const void* site) {
  if (message == nullptr || length == SIZE_MAX) return chomp::error_directive(severity, nullptr, message, site);
  char text[1024];
  text[std::min(length, sizeof text - 1)] = '\0';
  memcpy(text, message, std::min(length, sizeof text - 1));
  chomp::error_directive(severity, nullptr, text, site);
}

CHOMP_EXPORT void GOMP_warning(const char* message, size_t length) {
  gcc_error(chomp::kWarning, message, length, __builtin_return_address(0));
}
CHOMP_EXPORT void GOMP_error(const char* message, size_t length) {
  gcc_error(chomp::kFatal, message, length, __builtin_return_address(0));
}

// ---- Intel's extensions -------------------------------------------------------------------------------------------

CHOMP_EXPORT void kmp_set_warnings_on(void) { chomp::set_warnings(true); }
CHOMP_EXPORT void kmp_set_warnings_off(void) { chomp::set_warnings(false); }
CHOMP_EXPORT void kmp_set_warnings_on_(void) { chomp::set_warnings(true); }
CHOMP_EXPORT void kmp_set_warnings_off_(void) { chomp::set_warnings(false); }

/// In libomp: how many loops may be in flight. chomp has no such limit.
CHOMP_EXPORT void kmp_set_disp_num_buffers(int) {}
CHOMP_EXPORT void kmp_set_disp_num_buffers_(const int*) {}
CHOMP_EXPORT void kmpc_set_disp_num_buffers(int) {}

/// Settings as in the environment ("KMP_BLOCKTIME=0|OMP_DYNAMIC=true"), from now on.
CHOMP_EXPORT void kmp_set_defaults(const char* settings) { chomp::settings_change(this_worker(), settings); }
CHOMP_EXPORT void kmpc_set_defaults(const char* settings) { kmp_set_defaults(settings); }
CHOMP_EXPORT void kmp_set_defaults_(const char* settings, int length) {
  chomp::settings_change(this_worker(), {settings, strnlen(settings, static_cast<size_t>(length))});
}
