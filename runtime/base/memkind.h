// Kinds of memory that libmemkind manages (high-bandwidth memory, large persistent memory used as RAM). The library is
// opened when a program first asks for such memory, if it is installed; nothing links with it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chomp {

enum class MemoryKind : uint8_t { kPlain, kHighBandwidth, kLargeCapacity };

/// Whether libmemkind is installed and finds such memory on this machine. The answer never changes.
bool memory_kind_available(MemoryKind kind);

/// Allocates memory of a kind that is available. Null when that memory is used up.
void* memory_kind_allocate(MemoryKind kind, size_t bytes);
void memory_kind_free(MemoryKind kind, void* block);

/// Called in the child of fork(): another thread may have been looking for the library.
void memory_kind_reset_after_fork();

} // namespace chomp
