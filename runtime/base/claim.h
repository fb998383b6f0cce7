// Where several threads come for something that one of them gets, a machine that tries all orders (`chomp explore
// --exhaustive`) decides who comes first. Elsewhere this is nothing.
#pragma once

namespace chomp {

#if defined(CHOMP_VIRTUAL)
extern "C" void chomp_virtual_claim(const void* object); // tools/laboratory/virtual/tsan_entry.cpp
#endif

/// Called before the caller tries to take it; `object` stands for it.
inline void about_to_claim([[maybe_unused]] const void* object) {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_claim(object);
#endif
}

} // namespace chomp
