// Where several threads come for something that only some of them get, a machine that tries all orders (`chomp explore
// --exhaustive`) decides who comes first. Elsewhere this is nothing.
#pragma once

namespace chomp {

#if defined(CHOMP_VIRTUAL)
extern "C" void chomp_virtual_claim(const void* object, unsigned left); // tools/laboratory/virtual/tsan_entry.cpp
#endif

/// Called before the caller tries to take it. `object` stands for it, and so many can still get some.
inline void about_to_claim([[maybe_unused]] const void* object, [[maybe_unused]] unsigned left) {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_claim(object, left);
#endif
}

} // namespace chomp
