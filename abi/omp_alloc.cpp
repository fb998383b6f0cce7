// Memory allocators (OpenMP 5.2, chapters 6 and 18.13): omp_alloc and its relatives, the __kmpc_ functions that
// compiled code calls for `allocate` clauses, and Intel's kmp_malloc family. Any thread may call these. From the
// runtime they need the current task's default allocator.
//
// Memory comes from libc. If libmemkind is installed and finds high-bandwidth or large-capacity memory, the spaces of
// these names use that. Before every block that omp_alloc returns lies a BlockHeader with its allocator, for omp_free
// and omp_realloc, whatever allocator they are given. The invariant of a pool: `used` is the sum of the sizes that the
// program asked for, over the live blocks of the allocator. So what fits into a pool can be had.
//
// Memory of the target spaces (handles 100 to 102) is libomptarget's, if that is in the process; such blocks have no
// header.
#include <bit>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/next_definition.h"
#include "abi/omp_c_api.h"
#include "runtime/base/dynamic.h"
#include "runtime/base/log.h"
#include "runtime/base/memkind.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/worker.h"

namespace chomp::abi {
namespace {

// ---- Handles (omp.h) ----------------------------------------------------------------------------------------------

using Handle = omp_allocator_handle_t; // a predefined allocator, or the address of an Allocator
using Space = omp_memspace_handle_t;

constexpr Handle kNullAllocator = 0;
constexpr Handle kDefaultMemory = 1;
constexpr Handle kLastPredefined = 1024; // no Allocator has so low an address
constexpr Handle kLargeCapacityMemory = 2, kHighBandwidthMemory = 4;
constexpr Handle kPinnedMemory = 200; // ompx_gnu_pinned_mem_alloc of GCC's <omp.h>
constexpr Space kLargeCapacitySpace = 1, kHighBandwidthSpace = 3;
constexpr uintptr_t kTargetHost = 100; // allocators and spaces have the same three numbers
constexpr uintptr_t kTargetDevice = 102;

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

Handle environment_allocator();

// def-allocator-var of the current task; null stands for the allocator that OMP_ALLOCATOR describes.
Handle get_default() {
  Handle handle = icvs(this_worker()).default_allocator;
  return handle != kNullAllocator ? handle : environment_allocator();
}

void set_default(Handle handle) {
  if (handle == kNullAllocator) handle = kDefaultMemory;
  icv_change(
      this_worker(),
      [](Icvs& changed, const void* wanted) { changed.default_allocator = *static_cast<const Handle*>(wanted); },
      &handle);
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
  auto* function = chomp::abi::any_definition<void*(size_t, int)>(kTargetAlloc[kind - kTargetHost]);
  return function ? function(size, omp_get_default_device()) : nullptr;
}

/// False: there is no offload library, so the block is one of ours.
bool target_free(uintptr_t kind, void* block) {
  auto* function = chomp::abi::any_definition<void(void*, int)>(kTargetFree[kind - kTargetHost]);
  if (!function) return false;
  function(block, omp_get_default_device());
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
  size_t size = 0;
};

/// A block from this allocator alone: null when its pool or the process has no memory left.
void* allocate_without_fallback(Handle handle, size_t alignment, size_t size, Replaced replaced) {
  Allocator* allocator = user_made(handle);
  if (allocator && allocator->alignment > alignment) alignment = allocator->alignment;
  if (alignment < kLeastAlignment) alignment = kLeastAlignment;
  size_t bytes;
  if (__builtin_add_overflow(size, sizeof(BlockHeader) + alignment, &bytes)) return nullptr;
  const size_t inherited = handle == replaced.allocator ? replaced.size : 0;
  const size_t missing = size > inherited ? size - inherited : 0;
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
  if (allocator) give_back(*allocator, inherited + missing - size);
  const uintptr_t address = (reinterpret_cast<uintptr_t>(start) + sizeof(BlockHeader) + alignment - 1) & -alignment;
  void* block = reinterpret_cast<void*>(address);
  *header_of(block) = {start, size, kind, static_cast<uint32_t>(pages), handle};
  return block;
}

void* allocate(size_t alignment, size_t size, Handle handle, Replaced replaced = {}) {
  if (size == 0) return nullptr;
  if (alignment != 0 && !std::has_single_bit(alignment))
    fatal("memory allocation: alignment %zu is not a power of two", alignment);
  if (handle == kNullAllocator) handle = get_default();
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

void release(void* block, Handle handle) {
  if (!block) return;
  if (const uintptr_t kind = target_kind(handle); kind && target_free(kind, block)) return;
  const BlockHeader header = *header_of(block);
  if (Allocator* allocator = user_made(header.allocator)) give_back(*allocator, header.size);
  if (header.pinned_pages != 0) return unmap_pages(header.start, header.pinned_pages * page_size());
  kind_free(header.kind, header.start);
}

void* allocate_zeroed(size_t alignment, size_t count, size_t size, Handle handle) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    const Allocator* allocator = user_made(handle == kNullAllocator ? get_default() : handle);
    if (allocator && allocator->fallback == Fallback::kAbort)
      fatal("out of memory: %zu times %zu bytes, and the allocator's fallback is abort_fb", count, size);
    return nullptr;
  }
  void* block = allocate(alignment, bytes, handle);
  if (block) memset(block, 0, bytes);
  return block;
}

/// If only one allocator is given, it is used for both; if none is, the block's own.
void* reallocate(void* block, size_t size, Handle handle, Handle free_handle) {
  if (!block) return allocate(0, size, handle);
  if (handle == kNullAllocator) handle = free_handle != kNullAllocator ? free_handle : header_of(block)->allocator;
  if (size == 0) {
    release(block, free_handle);
    return nullptr;
  }
  BlockHeader* old = header_of(block);
  void* fresh = allocate(0, size, handle, {old->allocator, old->size});
  if (!fresh) return nullptr;
  memcpy(fresh, block, size < old->size ? size : old->size);
  if (!target_kind(handle) && header_of(fresh)->allocator == old->allocator) old->size = 0; // taken over
  release(block, free_handle);
  return fresh;
}

/// Sets one trait. False: OpenMP does not know the value.
bool set_trait(Allocator& allocator, const omp_alloctrait_t& trait) {
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

/// As the specification asks, null if the space does not exist here (high bandwidth, target) or a trait makes no sense.
Handle create(Space space, int trait_count, const omp_alloctrait_t* traits) {
  if ((space == kHighBandwidthSpace && !memory_kind_available(MemoryKind::kHighBandwidth)) ||
      (is_target(space) && !target_memory_exists()))
    return kNullAllocator;
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

void destroy(Handle handle) { free(user_made(handle)); }

/// The allocator of OMP_ALLOCATOR, made at the first call. If its space does not exist: the default allocator.
Handle environment_allocator() {
  static Handle made;
  // acquire: pairs with the release of the exchange: the allocator is complete.
  Handle handle = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
  if (handle != kNullAllocator) return handle;
  const EnvironmentAllocator& wanted = config.environment_allocator;
  const omp_alloctrait_t traits[] = {
      {kAlignment, wanted.alignment != 0 ? wanted.alignment : kTraitDefault},
      {kPoolSize, wanted.pool_size != 0 ? wanted.pool_size : kTraitDefault},
      {kPinned, wanted.pinned ? kTraitTrue : kTraitDefault},
      {kFallbackData, wanted.fallback_allocator},
      {kFallback, wanted.fallback != 0 ? wanted.fallback : kTraitDefault},
  };
  Handle fresh = create(wanted.space, sizeof traits / sizeof *traits, traits);
  if (fresh == kNullAllocator) fresh = kDefaultMemory;
  // release: pairs with the acquire above and, on failure, here.
  if (__atomic_compare_exchange_n(&made, &handle, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fresh;
  destroy(fresh);
  return handle;
}

} // namespace
} // namespace chomp::abi

using namespace chomp::abi;

// ---- Data: the predefined handles, for compilers that see them as variables ---------------------------------------

CHOMP_EXPORT const Handle omp_null_allocator;
CHOMP_EXPORT const Handle omp_default_mem_alloc;
CHOMP_EXPORT const Handle omp_large_cap_mem_alloc;
CHOMP_EXPORT const Handle omp_const_mem_alloc;
CHOMP_EXPORT const Handle omp_high_bw_mem_alloc;
CHOMP_EXPORT const Handle omp_low_lat_mem_alloc;
CHOMP_EXPORT const Handle omp_cgroup_mem_alloc;
CHOMP_EXPORT const Handle omp_pteam_mem_alloc;
CHOMP_EXPORT const Handle omp_thread_mem_alloc;
CHOMP_EXPORT const Handle omp_target_host_mem_alloc;
CHOMP_EXPORT const Handle omp_target_shared_mem_alloc;
CHOMP_EXPORT const Handle omp_target_device_mem_alloc;
CHOMP_EXPORT const Space omp_default_mem_space;
CHOMP_EXPORT const Space omp_large_cap_mem_space;
CHOMP_EXPORT const Space omp_const_mem_space;
CHOMP_EXPORT const Space omp_high_bw_mem_space;
CHOMP_EXPORT const Space omp_low_lat_mem_space;
CHOMP_EXPORT const Space omp_cgroup_mem_space;
CHOMP_EXPORT const Space omp_null_mem_space;
CHOMP_EXPORT const Space omp_target_host_mem_space;
CHOMP_EXPORT const Space omp_target_shared_mem_space;
CHOMP_EXPORT const Space omp_target_device_mem_space;

const Handle omp_null_allocator = 0;
const Handle omp_default_mem_alloc = 1;
const Handle omp_large_cap_mem_alloc = 2;
const Handle omp_const_mem_alloc = 3;
const Handle omp_high_bw_mem_alloc = 4;
const Handle omp_low_lat_mem_alloc = 5;
const Handle omp_cgroup_mem_alloc = 6;
const Handle omp_pteam_mem_alloc = 7;
const Handle omp_thread_mem_alloc = 8;
const Handle omp_target_host_mem_alloc = kTargetHost;
const Handle omp_target_shared_mem_alloc = kTargetHost + 1;
const Handle omp_target_device_mem_alloc = kTargetDevice;
const Space omp_default_mem_space = 0;
const Space omp_large_cap_mem_space = 1;
const Space omp_const_mem_space = 2;
const Space omp_high_bw_mem_space = 3;
const Space omp_low_lat_mem_space = 4;
const Space omp_cgroup_mem_space = 5;
const Space omp_null_mem_space = 0;
const Space omp_target_host_mem_space = kTargetHost;
const Space omp_target_shared_mem_space = kTargetHost + 1;
const Space omp_target_device_mem_space = kTargetDevice;

// ---- The OpenMP API -----------------------------------------------------------------------------------------------

CHOMP_EXPORT void* omp_alloc(size_t size, Handle allocator) { return allocate(0, size, allocator); }

CHOMP_EXPORT void* omp_aligned_alloc(size_t alignment, size_t size, Handle allocator) {
  return allocate(alignment, size, allocator);
}

CHOMP_EXPORT void* omp_calloc(size_t count, size_t size, Handle allocator) {
  return allocate_zeroed(0, count, size, allocator);
}

CHOMP_EXPORT void* omp_aligned_calloc(size_t alignment, size_t count, size_t size, Handle allocator) {
  return allocate_zeroed(alignment, count, size, allocator);
}

CHOMP_EXPORT void* omp_realloc(void* block, size_t size, Handle allocator, Handle free_allocator) {
  return reallocate(block, size, allocator, free_allocator);
}

CHOMP_EXPORT void omp_free(void* block, Handle allocator) { release(block, allocator); }

CHOMP_EXPORT Handle omp_init_allocator(Space space, int trait_count, const omp_alloctrait_t* traits) {
  return create(space, trait_count, traits);
}

CHOMP_EXPORT void omp_destroy_allocator(Handle allocator) { destroy(allocator); }
CHOMP_EXPORT void omp_set_default_allocator(Handle allocator) { set_default(allocator); }
CHOMP_EXPORT Handle omp_get_default_allocator(void) { return get_default(); }

CHOMP_EXPORT Handle omp_init_allocator_(const Space* space, const int* trait_count, const omp_alloctrait_t* traits) {
  return create(*space, *trait_count, traits);
}

CHOMP_EXPORT void omp_destroy_allocator_(const Handle* allocator) { destroy(*allocator); }
CHOMP_EXPORT void omp_set_default_allocator_(const Handle* allocator) { set_default(*allocator); }
CHOMP_EXPORT Handle omp_get_default_allocator_(void) { return get_default(); }

CHOMP_EXPORT Handle omp_init_allocator_8_(const Space* space, const int64_t* trait_count,
                                          const omp_alloctrait_t* traits) {
  return create(*space, saturated(*trait_count), traits);
}

// ---- What GCC's code calls for allocate clauses: it does not look for null ----------------------------------------

CHOMP_EXPORT void* GOMP_alloc(size_t alignment, size_t size, Handle allocator) {
  void* block = allocate(alignment, size, allocator);
  if (block == nullptr && size != 0) chomp::fatal("out of memory: %zu bytes for an allocate clause", size);
  return block;
}

CHOMP_EXPORT void GOMP_free(void* block, Handle allocator) { release(block, allocator); }

// ---- What Clang's code calls: the same, with the global thread number first --------------------------------------

CHOMP_EXPORT void* __kmpc_alloc(int, size_t size, Handle allocator) { return allocate(0, size, allocator); }

CHOMP_EXPORT void* __kmpc_aligned_alloc(int, size_t alignment, size_t size, Handle allocator) {
  return allocate(alignment, size, allocator);
}

CHOMP_EXPORT void* __kmpc_calloc(int, size_t count, size_t size, Handle allocator) {
  return allocate_zeroed(0, count, size, allocator);
}

CHOMP_EXPORT void* __kmpc_realloc(int, void* block, size_t size, Handle allocator, Handle free_allocator) {
  return reallocate(block, size, allocator, free_allocator);
}

CHOMP_EXPORT void __kmpc_free(int, void* block, Handle allocator) { release(block, allocator); }

CHOMP_EXPORT Handle __kmpc_init_allocator(int, Space space, int trait_count, const omp_alloctrait_t* traits) {
  return create(space, trait_count, traits);
}

CHOMP_EXPORT void __kmpc_destroy_allocator(int, Handle allocator) { destroy(allocator); }
CHOMP_EXPORT void __kmpc_set_default_allocator(int, Handle allocator) { set_default(allocator); }
CHOMP_EXPORT Handle __kmpc_get_default_allocator(int) { return get_default(); }

// ---- Intel's malloc family: three names for each function. kmp_free takes blocks of this family only. -------------

namespace chomp::abi {
namespace {

void* aligned_malloc(size_t size, size_t alignment) {
  void* block = nullptr;
  const int error = posix_memalign(&block, alignment < sizeof(void*) ? sizeof(void*) : alignment, size);
  if (error == 0) return block;
  errno = error; // EINVAL: not a power of two
  return nullptr;
}

void* plain_realloc(void* block, size_t size) {
  if (size != 0 || !block) return realloc(block, size);
  free(block);
  return nullptr;
}

} // namespace
} // namespace chomp::abi

CHOMP_EXPORT void* kmp_malloc(size_t size) { return malloc(size); }
CHOMP_EXPORT void* kmp_aligned_malloc(size_t size, size_t alignment) { return aligned_malloc(size, alignment); }
CHOMP_EXPORT void* kmp_calloc(size_t count, size_t size) { return calloc(count, size); }
CHOMP_EXPORT void* kmp_realloc(void* block, size_t size) { return plain_realloc(block, size); }
CHOMP_EXPORT void kmp_free(void* block) { free(block); }

CHOMP_EXPORT void* kmpc_malloc(size_t size) { return malloc(size); }
CHOMP_EXPORT void* kmpc_aligned_malloc(size_t size, size_t alignment) { return aligned_malloc(size, alignment); }
CHOMP_EXPORT void* kmpc_calloc(size_t count, size_t size) { return calloc(count, size); }
CHOMP_EXPORT void* kmpc_realloc(void* block, size_t size) { return plain_realloc(block, size); }
CHOMP_EXPORT void kmpc_free(void* block) { free(block); }

CHOMP_EXPORT void* kmp_malloc_(const size_t* size) { return malloc(*size); }
CHOMP_EXPORT void* kmp_aligned_malloc_(const size_t* size, const size_t* alignment) {
  return aligned_malloc(*size, *alignment);
}
CHOMP_EXPORT void* kmp_calloc_(const size_t* count, const size_t* size) { return calloc(*count, *size); }
CHOMP_EXPORT void* kmp_realloc_(void* const* block, const size_t* size) { return plain_realloc(*block, *size); }
CHOMP_EXPORT void kmp_free_(void* const* block) { free(*block); }
