// See allocator.h. Memory comes from libc. If libmemkind is installed and finds high-bandwidth or large-capacity
// memory, the spaces of these names use that. Before every block lies a BlockHeader with its allocator, so that it can
// be freed whatever allocator is given then. The invariant of a pool: `used` is the sum of charge_of() over the live
// blocks of the allocator.
//
// Memory of the target spaces (handles 100 to 102) is libomptarget's, if that is in the process; such blocks have no
// header.
#include "runtime/memory/allocator.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/dynamic.h"
#include "runtime/base/log.h"
#include "runtime/base/memkind.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/worker.h"
#include "runtime/memory/devices.h"

namespace chomp {

using Handle = AllocatorHandle;
using Space = MemorySpace;

namespace {

// ---- Handles (omp.h) ----------------------------------------------------------------------------------------------

constexpr Handle kDefaultMemory = 1;
constexpr Handle kLastPredefined = 1024; // no Allocator has so low an address
constexpr Handle kLargeCapacityMemory = 2, kHighBandwidthMemory = 4;
constexpr Handle kPinnedMemory = 200; // ompx_gnu_pinned_mem_alloc of GCC's <omp.h>
constexpr Space kLargeCapacitySpace = 1, kHighBandwidthSpace = 3;

bool is_target(uintptr_t allocator_or_space) {
  return allocator_or_space >= kTargetHost && allocator_or_space <= kTargetDevice;
}

enum TraitKey { kAlignment = 2, kPoolSize = 4, kFallback = 5, kFallbackData = 6, kPinned = 7, kLastTrait = 14 };
constexpr uintptr_t kTraitTrue = 1;                // omp_atv_true; false is 0
constexpr uintptr_t kTraitDefault = ~uintptr_t{0}; // omp_atv_default
enum class Fallback : uintptr_t { kDefaultMemory = 11, kNull = 12, kAbort = 13, kAllocator = 14 };

struct Allocator {
  Space space = 0;
  size_t alignment = 0;        // 0: not asked for
  size_t pool_size = SIZE_MAX; // bytes
  Fallback fallback = Fallback::kDefaultMemory;
  Handle fallback_allocator = kNullAllocator; // of Fallback::kAllocator
  bool pinned = false;                        // its blocks are never swapped out: pages of their own, locked
  size_t used = 0;                            // bytes; only for a pool, only by atomic operations
};

Allocator* user_made(Handle handle) {
  return handle > kLastPredefined ? reinterpret_cast<Allocator*>(handle) : nullptr;
}

// ---- Kinds of memory ----------------------------------------------------------------------------------------------

MemoryKind kind_of_space(Space space) {
  if (space == kHighBandwidthSpace) return MemoryKind::kHighBandwidth;
  return space == kLargeCapacitySpace ? MemoryKind::kLargeCapacity : MemoryKind::kPlain;
}

/// The kind of memory that serves an allocator here.
MemoryKind memory_kind(Handle handle) {
  MemoryKind kind = MemoryKind::kPlain;
  if (const Allocator* allocator = user_made(handle))
    kind = kind_of_space(allocator->space);
  else if (handle == kHighBandwidthMemory || handle == kLargeCapacityMemory)
    kind = handle == kHighBandwidthMemory ? MemoryKind::kHighBandwidth : MemoryKind::kLargeCapacity;
  return kind != MemoryKind::kPlain && memory_kind_available(kind) ? kind : MemoryKind::kPlain;
}

void* allocate_pinned(size_t bytes) {
  void* pages = map_pages(bytes);
  if (pages == nullptr || lock_pages(pages, bytes)) return pages;
  unmap_pages(pages, bytes);
  return nullptr;
}

void* kind_allocate(MemoryKind kind, size_t bytes) {
  return kind == MemoryKind::kPlain ? malloc(bytes) : memory_kind_allocate(kind, bytes);
}

void kind_free(MemoryKind kind, void* start) {
  kind == MemoryKind::kPlain ? free(start) : memory_kind_free(kind, start);
}

// ---- Target memory ------------------------------------------------------------------------------------------------

constexpr const char* kTargetAlloc[] = {"llvm_omp_target_alloc_host", "llvm_omp_target_alloc_shared",
                                        "llvm_omp_target_alloc_device"};
constexpr const char* kTargetFree[] = {"llvm_omp_target_free_host", "llvm_omp_target_free_shared",
                                       "llvm_omp_target_free_device"};

void* target_alloc(uintptr_t kind, size_t size) {
  auto* function = any_definition<void*(size_t, int)>(kTargetAlloc[kind - kTargetHost]);
  return function ? function(size, default_device()) : nullptr;
}

/// False: there is no offload library, so the block is one of ours.
bool target_free(uintptr_t kind, void* block) {
  auto* function = any_definition<void(void*, int)>(kTargetFree[kind - kTargetHost]);
  if (!function) return false;
  function(block, default_device());
  return true;
}

bool target_memory_exists() { return others_define(kTargetAlloc[0]); }

/// Which of the three kinds an allocator stands for, or 0.
uintptr_t target_kind(Handle handle) {
  if (is_target(handle)) return handle;
  const Allocator* allocator = user_made(handle);
  return allocator && is_target(allocator->space) ? allocator->space : 0;
}

// ---- Blocks -------------------------------------------------------------------------------------------------------

struct BlockHeader {
  void* start; // what malloc, or libmemkind, returned
  size_t size; // bytes that the program asked for
  MemoryKind kind;
  uint32_t pinned_pages; // of a block that has pages of its own, locked; else 0
  Handle allocator;
};
static_assert(sizeof(BlockHeader) == 32);

constexpr size_t kLeastAlignment = alignof(max_align_t);

/// What a block of that size takes from a pool. libgomp charges as much, and more for an alignment; libomp more. LLVM's
/// tests expect that a pool of two blocks' size has one.
size_t charge_of(size_t size) { return size + sizeof(BlockHeader); }

BlockHeader* header_of(void* block) { return static_cast<BlockHeader*>(block) - 1; }

bool take_from_pool(Allocator& allocator, size_t bytes) {
  if (allocator.pool_size == SIZE_MAX) return true;
  // relaxed, both: a counter that publishes nothing.
  if (__atomic_add_fetch(&allocator.used, bytes, __ATOMIC_RELAXED) <= allocator.pool_size) return true;
  __atomic_sub_fetch(&allocator.used, bytes, __ATOMIC_RELAXED);
  return false;
}

// relaxed: as in take_from_pool().
void give_back(Allocator& allocator, size_t bytes) {
  if (allocator.pool_size != SIZE_MAX) __atomic_sub_fetch(&allocator.used, bytes, __ATOMIC_RELAXED);
}

/// A block that is being replaced. A new block from the same allocator takes over the old one's bytes of the pool.
struct Replaced {
  Handle allocator = kNullAllocator;
  size_t charge = 0;
};

/// A block from this allocator alone: null when its pool or the process has no memory left.
void* allocate_without_fallback(Handle handle, size_t alignment, size_t size, Replaced replaced) {
  Allocator* allocator = user_made(handle);
  if (allocator && allocator->alignment > alignment) alignment = allocator->alignment;
  if (alignment < kLeastAlignment) alignment = kLeastAlignment;
  size_t bytes;
  if (__builtin_add_overflow(size, sizeof(BlockHeader) + alignment, &bytes)) return nullptr;
  const size_t charge = charge_of(size), inherited = handle == replaced.allocator ? replaced.charge : 0;
  const size_t missing = charge > inherited ? charge - inherited : 0;
  if (allocator && !take_from_pool(*allocator, missing)) return nullptr;
  const MemoryKind kind = memory_kind(handle);
  const bool pinned = allocator != nullptr ? allocator->pinned : handle == kPinnedMemory;
  const size_t pages = pinned ? (bytes + page_size() - 1) / page_size() : 0;
  void* start = nullptr;
  if (pages <= UINT32_MAX) start = pinned ? allocate_pinned(bytes) : kind_allocate(kind, bytes);
  if (!start) {
    if (allocator) give_back(*allocator, missing);
    return nullptr;
  }
  if (allocator) give_back(*allocator, inherited + missing - charge);
  const uintptr_t address = (reinterpret_cast<uintptr_t>(start) + sizeof(BlockHeader) + alignment - 1) & -alignment;
  void* block = reinterpret_cast<void*>(address);
  *header_of(block) = {start, size, kind, static_cast<uint32_t>(pages), handle};
  return block;
}

void* allocate(size_t alignment, size_t size, Handle handle, Replaced replaced = {}) {
  if (size == 0) return nullptr;
  if (alignment != 0 && !std::has_single_bit(alignment))
    fatal("memory allocation: alignment %zu is not a power of two", alignment);
  if (handle == kNullAllocator) handle = allocator_default();
  for (;;) {
    if (const uintptr_t kind = target_kind(handle); kind && target_memory_exists()) return target_alloc(kind, size);
    void* block = allocate_without_fallback(handle, alignment, size, replaced);
    const Allocator* allocator = user_made(handle);
    if (block || !allocator) return block;
    switch (allocator->fallback) {
    case Fallback::kNull: return nullptr;
    case Fallback::kAbort: fatal("out of memory: %zu bytes, and the allocator's fallback is abort_fb", size);
    case Fallback::kDefaultMemory: handle = kDefaultMemory; break;
    case Fallback::kAllocator: handle = allocator->fallback_allocator; break;
    }
  }
}

/// Sets one trait. False: OpenMP does not know the value.
bool set_trait(Allocator& allocator, const AllocatorTrait& trait) {
  if (trait.value == kTraitDefault) return true;
  switch (trait.key) {
  case kAlignment: allocator.alignment = trait.value; return std::has_single_bit(trait.value);
  case kPoolSize:
    if (trait.value != 0) allocator.pool_size = trait.value;
    return true;
  case kFallback:
    allocator.fallback = Fallback{trait.value};
    return trait.value >= uintptr_t(Fallback::kDefaultMemory) && trait.value <= uintptr_t(Fallback::kAllocator);
  case kFallbackData: allocator.fallback_allocator = trait.value; return true;
  case kPinned: allocator.pinned = trait.value == kTraitTrue; return trait.value <= kTraitTrue;
  // The other traits always hold: all threads have access; a space is one resource, so a partition has one part; and
  // hints demand nothing.
  default: return trait.key >= 1 && trait.key <= kLastTrait;
  }
}

} // namespace

// ---- Allocators ---------------------------------------------------------------------------------------------------

bool memory_space_is_served(Space space) {
  if (space == kHighBandwidthSpace) return memory_kind_available(MemoryKind::kHighBandwidth);
  return !is_target(space) || target_memory_exists();
}

Handle allocator_create(Space space, int trait_count, const AllocatorTrait* traits) {
  if (!memory_space_is_served(space)) return kNullAllocator;
  Allocator wanted;
  wanted.space = space;
  for (int i = 0; i < trait_count; ++i)
    if (!set_trait(wanted, traits[i])) return kNullAllocator;
  if (wanted.fallback == Fallback::kAllocator && wanted.fallback_allocator == kNullAllocator) return kNullAllocator;
  auto* allocator = static_cast<Allocator*>(malloc(sizeof(Allocator)));
  if (!allocator) return kNullAllocator;
  *allocator = wanted;
  return reinterpret_cast<Handle>(allocator);
}

void allocator_destroy(Handle handle) { free(user_made(handle)); }

/// The allocator of OMP_ALLOCATOR, made at the first call. If its space does not exist: the default allocator.
static Handle environment_allocator() {
  static Handle made;
  // acquire: pairs with the release of the exchange: the allocator is complete.
  Handle handle = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
  if (handle != kNullAllocator) return handle;
  const EnvironmentAllocator& wanted = config.environment_allocator;
  const AllocatorTrait traits[] = {
      {kAlignment, wanted.alignment != 0 ? wanted.alignment : kTraitDefault},
      {kPoolSize, wanted.pool_size != 0 ? wanted.pool_size : kTraitDefault},
      {kPinned, wanted.pinned ? kTraitTrue : kTraitDefault},
      {kFallbackData, wanted.fallback_allocator},
      {kFallback, wanted.fallback != 0 ? wanted.fallback : kTraitDefault},
  };
  Handle fresh = allocator_create(wanted.space, sizeof traits / sizeof *traits, traits);
  if (fresh == kNullAllocator) fresh = kDefaultMemory;
  // release: pairs with the acquire above and, on failure, here.
  if (__atomic_compare_exchange_n(&made, &handle, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fresh;
  allocator_destroy(fresh);
  return handle;
}

// def-allocator-var of the current task; null stands for the allocator that OMP_ALLOCATOR describes.
Handle allocator_default() {
  Handle handle = icvs(this_worker()).default_allocator;
  return handle != kNullAllocator ? handle : environment_allocator();
}

void allocator_set_default(Handle handle) {
  if (handle == kNullAllocator) handle = kDefaultMemory;
  icv_change(
      this_worker(),
      [](Icvs& changed, const void* wanted) { changed.default_allocator = *static_cast<const Handle*>(wanted); },
      &handle);
}

// ---- What programs call -------------------------------------------------------------------------------------------

void* allocator_allocate(size_t alignment, size_t size, Handle handle) { return allocate(alignment, size, handle); }

void* allocator_allocate_or_end(size_t alignment, size_t size, Handle handle) {
  void* block = allocate(alignment, size, handle);
  if (block == nullptr && size != 0) fatal("out of memory: %zu bytes for an allocate clause", size);
  return block;
}

void* allocator_allocate_zeroed(size_t alignment, size_t count, size_t size, Handle handle) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    const Allocator* allocator = user_made(handle == kNullAllocator ? allocator_default() : handle);
    if (allocator && allocator->fallback == Fallback::kAbort)
      fatal("out of memory: %zu times %zu bytes, and the allocator's fallback is abort_fb", count, size);
    return nullptr;
  }
  void* block = allocate(alignment, bytes, handle);
  if (block) memset(block, 0, bytes);
  return block;
}

void allocator_release(void* block, Handle handle) {
  if (!block) return;
  if (const uintptr_t kind = target_kind(handle); kind && target_free(kind, block)) return;
  const BlockHeader header = *header_of(block);
  if (Allocator* allocator = user_made(header.allocator)) give_back(*allocator, charge_of(header.size));
  if (header.pinned_pages != 0) return unmap_pages(header.start, header.pinned_pages * page_size());
  kind_free(header.kind, header.start);
}

/// If only one allocator is given, it is used for both; if none is, the block's own.
void* allocator_reallocate(void* block, size_t size, Handle handle, Handle free_handle) {
  if (!block) return allocate(0, size, handle);
  if (handle == kNullAllocator) handle = free_handle != kNullAllocator ? free_handle : header_of(block)->allocator;
  if (size == 0) {
    allocator_release(block, free_handle);
    return nullptr;
  }
  BlockHeader* old = header_of(block);
  void* fresh = allocate(0, size, handle, {old->allocator, charge_of(old->size)});
  if (!fresh) return nullptr;
  memcpy(fresh, block, std::min(size, old->size));
  const bool taken_over = !target_kind(handle) && header_of(fresh)->allocator == old->allocator;
  if (taken_over) old->allocator = kNullAllocator; // it gives nothing back
  allocator_release(block, free_handle);
  return fresh;
}

void* libc_reallocate(void* block, size_t size) {
  if (size != 0 || !block) return realloc(block, size);
  free(block);
  return nullptr;
}

void* libc_aligned_allocate(size_t size, size_t alignment) {
  void* block = nullptr;
  const int error = posix_memalign(&block, std::max(alignment, sizeof(void*)), size);
  if (error == 0) return block;
  errno = error; // EINVAL: not a power of two
  return nullptr;
}

} // namespace chomp
