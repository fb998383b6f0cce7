// What every file of abi/ needs: how to declare an exported function, and the compiler's types that several files
// share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Begins the definition of a name that names.def lists.
#define CHOMP_EXPORT extern "C" __attribute__((visibility("default")))

namespace chomp::abi {

/// The compiler's `ident_t`, as far as files that only report a location read it. Passed by pointer, which may be null.
struct Location {
  int32_t reserved_1;
  int32_t flags;
  int32_t reserved_2;
  int32_t reserved_3;
  const char* psource; // ";file;function;line;column;;" or null
};
static_assert(offsetof(Location, psource) == 16);

/// A bool or an integer of one or two bytes, as an argument. The psABI of x86-64 does not define what a register holds
/// beyond the argument's own bytes, and GCC's callers leave anything there. Clang's callees assume an extension to 32
/// bits, and test all 32. So an entry point declares such a parameter as a word, about which the compiler can assume
/// nothing. The conversion drops the other bytes.
template <class T> struct Narrow {
  static_assert(sizeof(T) < sizeof(int32_t));
  uint64_t word;

  operator T() const {
    if constexpr (std::is_same_v<T, bool>)
      return static_cast<uint8_t>(word) != 0; // false is 0; true may be any other value
    else
      return static_cast<T>(word);
  }
};

/// The type that an entry point declares for a parameter of type T.
template <class T> struct ArgumentOf {
  using Type = T;
};
template <> struct ArgumentOf<bool> {
  using Type = Narrow<bool>;
};
template <> struct ArgumentOf<int8_t> {
  using Type = Narrow<int8_t>;
};
template <> struct ArgumentOf<uint8_t> {
  using Type = Narrow<uint8_t>;
};
template <> struct ArgumentOf<int16_t> {
  using Type = Narrow<int16_t>;
};
template <> struct ArgumentOf<uint16_t> {
  using Type = Narrow<uint16_t>;
};
template <class T> using Argument = typename ArgumentOf<T>::Type;

/// The int nearest to `value`.
inline int saturated(int64_t value) { return static_cast<int>(std::clamp<int64_t>(value, INT32_MIN, INT32_MAX)); }

/// The source string of a construct, or null when the compiler gave none.
inline const char* source_of(const Location* location) { return location ? location->psource : nullptr; }

} // namespace chomp::abi
