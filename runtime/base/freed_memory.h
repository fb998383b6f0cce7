// Tells the virtual build which memory is free, so that this build reports any access to such memory
// (tools/laboratory/virtual). No other build has any code here.
#pragma once

#include <cstddef>

namespace chomp {

#ifdef CHOMP_VIRTUAL
// tools/laboratory/virtual/tsan_entry.cpp
extern "C" void chomp_virtual_freed(const void* memory, size_t bytes);
extern "C" void chomp_virtual_in_use(const void* memory, size_t bytes);
/// Nobody may touch the memory until it is in use again.
inline void mark_freed(const void* memory, size_t bytes) { chomp_virtual_freed(memory, bytes); }
inline void mark_in_use(const void* memory, size_t bytes) { chomp_virtual_in_use(memory, bytes); }
#else
inline void mark_freed(const void*, size_t) {}
inline void mark_in_use(const void*, size_t) {}
#endif

} // namespace chomp
