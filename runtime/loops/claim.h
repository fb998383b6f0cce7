// If several threads want something that only some of them get, a virtual machine that tries all orders (`chomp explore
// --exhaustive`) decides who comes first. In other builds this does nothing.
#pragma once

namespace chomp {

#if defined(CHOMP_VIRTUAL)
extern "C" void chomp_virtual_claim(const void* object, unsigned left); // tools/laboratory/virtual/tsan_entry.cpp
#endif

/// Called before a thread tries to take something, for which `object` stands. `left` threads can still get some.
inline void about_to_claim([[maybe_unused]] const void* object, [[maybe_unused]] unsigned left) {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_claim(object, left);
#endif
}

} // namespace chomp
