// What every file of abi/ needs: how an exported function is declared, and the part of the compiler's types that they
// share.
#pragma once

#include <cstddef>
#include <cstdint>

/// Begins the definition of a name that exports.map lists.
#define CHOMP_EXPORT extern "C" __attribute__((visibility("default")))

namespace chomp::abi {

/// The compiler's `ident_t`, as far as the files that only report a location read it. Passed by pointer, may be null.
struct Location {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  const char* psource; // ";file;function;line;column;;" or null
};
static_assert(offsetof(Location, psource) == 16);

/// The source string of a construct, or null when the compiler gave none.
inline const char* source_of(const Location* location) { return location ? location->psource : nullptr; }

} // namespace chomp::abi
