// The stubs of unimplemented.def: names that are exported so that no call binds to another OpenMP runtime in the
// process. A call prints which name is missing, and aborts. The stubs are weak: a real definition elsewhere in the
// library wins at link time.
#include "abi/abi.h"
#include "runtime/base/log.h"

namespace chomp::abi {
namespace {

[[noreturn]] [[maybe_unused]] [[gnu::cold]] [[gnu::noinline]] void not_implemented(const char* name,
                                                                                   const char* source) {
  fatal_at(source, "%s is not implemented", name);
}

} // namespace
} // namespace chomp::abi

#define PARAMETER_0
#define PARAMETER_1 const chomp::abi::Location* location
#define SOURCE_0 nullptr
#define SOURCE_1 chomp::abi::source_of(location)

#define UNIMPLEMENTED(name, has_location)                                                                              \
  CHOMP_EXPORT __attribute__((weak)) void name(PARAMETER_##has_location) {                                             \
    chomp::abi::not_implemented(#name, SOURCE_##has_location);                                                         \
  }
#include "abi/unimplemented.def"
