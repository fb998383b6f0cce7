// What a virtual machine decides for the runtime (`chomp explore`): who comes first of several threads that want
// something which only some of them get, and how iterations are shared out where OpenMP leaves that open. In other
// builds this does nothing.
#pragma once

#include <cstdint>

namespace chomp {

#if defined(CHOMP_VIRTUAL)
// tools/laboratory/virtual/tsan_entry.cpp
extern "C" void chomp_virtual_claim(const void* object, unsigned left);
extern "C" void chomp_virtual_claim_next(const void* counter, uint64_t all);
extern "C" int chomp_virtual_share(uint64_t last, uint64_t part, uint64_t parts, uint64_t* first, uint64_t* beyond);
#endif

/// Called before a thread tries to take something, for which `object` stands. `left` threads can still get some.
inline void about_to_claim([[maybe_unused]] const void* object, [[maybe_unused]] unsigned left) {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_claim(object, left);
#endif
}

/// The same where what is taken next is counted, up to `all`, in the 64-bit word at `counter`: nothing is read here.
inline void about_to_take_next([[maybe_unused]] const void* counter, [[maybe_unused]] uint64_t all) {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_claim_next(counter, all);
#endif
}

/// The iterations `*first` … `*beyond` - 1 of 0 … `last` that `part` of `parts` gets of a loop without a chunk size
/// (OpenMP 5.2, 11.5.3: their number is unspecified, and two loops that are as long are shared out alike). False: the
/// usual ones.
constexpr bool share_is_given([[maybe_unused]] uint64_t last, [[maybe_unused]] uint64_t part,
                              [[maybe_unused]] uint64_t parts, [[maybe_unused]] uint64_t* first,
                              [[maybe_unused]] uint64_t* beyond) {
#if defined(CHOMP_VIRTUAL)
  if (!__builtin_is_constant_evaluated()) return chomp_virtual_share(last, part, parts, first, beyond) != 0;
#endif
  return false;
}

} // namespace chomp
