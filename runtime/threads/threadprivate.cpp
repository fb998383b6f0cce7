// See threadprivate.h.
#include "runtime/threads/threadprivate.h"

#include <string.h>

#include "runtime/base/atomic.h"
#include "runtime/base/lock.h"
#include "runtime/core/memory.h"
#include "runtime/core/worker.h"

namespace chomp {

// An array of copies by gtid. What compiled code sees begins at entries.
struct CacheArray {
  CacheArray* previous; // the one it replaced: a thread may still use it
  int64_t capacity;
  atomic<void*> entries[];
};

struct ThreadprivateVariable {
  ThreadprivateVariable* next; // in the same bucket
  ThreadprivateVariable* link; // all variables
  void* address;
  size_t bytes;
  atomic<bool> prepared; // image is taken
  void* image;           // initial contents; null: all zero, or not needed
  ThreadprivateFunctions functions;
  CacheArray* array;
};

struct ThreadprivateCopies {
  static constexpr unsigned kBuckets = 128;
  ThreadprivateCopy* newest;
  ThreadprivateCopy* buckets[kBuckets];
};

namespace {

constexpr unsigned kVariableBuckets = 512;

// Guards the table, the arrays' growth and stores into them. The child of a fork() may find a change half done: a
// variable that is in one list only is made again, one that is not prepared yet is prepared again.
Lock variables_lock;
ThreadprivateVariable* variables_newest = nullptr;
ThreadprivateVariable* variables[kVariableBuckets];

unsigned hash_of(const void* address) {
  return static_cast<unsigned>((reinterpret_cast<uintptr_t>(address) * 0x9E3779B97F4A7C15u) >> 48);
}

ThreadprivateVariable* variable_locked(void* address) {
  ThreadprivateVariable** bucket = &variables[hash_of(address) % kVariableBuckets];
  for (ThreadprivateVariable* variable = *bucket; variable != nullptr; variable = variable->next)
    if (variable->address == address) return variable;
  auto* variable = static_cast<ThreadprivateVariable*>(memory_permanent(sizeof(ThreadprivateVariable)));
  variable->address = address;
  variable->next = *bucket;
  variable->link = variables_newest;
  thread_fence(std::memory_order_release); // pairs with the fork()
  variables_newest = variable;
  thread_fence(std::memory_order_release); // pairs with the fork()
  *bucket = variable;
  return variable;
}

bool all_zero(const void* bytes, size_t count) {
  const char* byte = static_cast<const char*>(bytes);
  return count == 0 || (byte[0] == 0 && memcmp(byte, byte + 1, count - 1) == 0);
}

/// Keeps what the variable contains now. No thread has used it before, so that is its initial value.
void prepare_locked(ThreadprivateVariable* variable, size_t bytes) {
  if (variable->prepared.load(std::memory_order_relaxed)) return; // relaxed: the lock orders it
  variable->bytes = bytes;
  const ThreadprivateFunctions& how = variable->functions;
  if (how.construct != nullptr || how.construct_array != nullptr) {
    // They need no image.
  } else if (how.copy_construct != nullptr) {
    how.copy_construct(variable->image = memory_permanent(bytes), variable->address);
  } else if (how.copy_construct_array != nullptr) {
    how.copy_construct_array(variable->image = memory_permanent(bytes), variable->address, how.elements);
  } else if (!all_zero(variable->address, bytes)) {
    variable->image = memcpy(memory_permanent(bytes), variable->address, bytes);
  }
  variable->prepared.store(true, std::memory_order_release); // release: pairs with the fork()
}

void initialise(const ThreadprivateVariable* variable, void* own) {
  const ThreadprivateFunctions& how = variable->functions;
  memset(own, 0, variable->bytes);
  if (how.construct != nullptr)
    how.construct(own);
  else if (how.construct_array != nullptr)
    how.construct_array(own, how.elements);
  else if (how.copy_construct != nullptr)
    how.copy_construct(own, variable->image);
  else if (how.copy_construct_array != nullptr)
    how.copy_construct_array(own, variable->image, how.elements);
  else if (variable->image != nullptr)
    memcpy(own, variable->image, variable->bytes);
}

void destroy(const ThreadprivateCopy* copy) {
  const ThreadprivateFunctions& how = copy->record->functions;
  if (how.destroy_array != nullptr)
    how.destroy_array(copy->own, how.elements);
  else if (how.destroy != nullptr)
    how.destroy(copy->own);
}

/// An array that has room for `gtid`: the present one or one twice as large as needed, with the same contents.
CacheArray* array_for_locked(ThreadprivateVariable* variable, int gtid) {
  CacheArray* old = variable->array;
  if (old != nullptr && gtid < old->capacity) return old;
  int64_t capacity = gtid < 32 ? 64 : int64_t{gtid} * 2;
  size_t bytes = sizeof(CacheArray) + static_cast<size_t>(capacity) * sizeof(void*);
  auto* array = static_cast<CacheArray*>(memory_permanent(bytes));
  array->previous = old;
  array->capacity = capacity;
  for (int64_t i = 0; old != nullptr && i < old->capacity; ++i) // relaxed: each entry is for the thread that stored it
    array->entries[i].store(old->entries[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
  thread_fence(std::memory_order_release); // pairs with the fork()
  return variable->array = array;
}

void forget_in_caches(int gtid) {
  std::lock_guard guard(variables_lock);
  for (ThreadprivateVariable* variable = variables_newest; variable != nullptr; variable = variable->link)
    for (CacheArray* array = variable->array; array != nullptr; array = array->previous)
      if (gtid < array->capacity) array->entries[gtid].store(nullptr, std::memory_order_relaxed); // relaxed: see below
}

CacheArray* array_of(void** entries) {
  return reinterpret_cast<CacheArray*>(reinterpret_cast<char*>(entries) - sizeof(CacheArray));
}

__attribute__((noinline)) void* cached_slow(Worker* worker, void* variable, size_t bytes, void*** cache) {
  ThreadprivateCopy* copy = threadprivate_copy(worker, variable, bytes);
  std::lock_guard guard(variables_lock);
  CacheArray* array = array_for_locked(copy->record, worker->gtid);
  array->entries[worker->gtid].store(copy->own, std::memory_order_relaxed); // relaxed: only this thread reads it
  // release: pairs with acquire in threadprivate_cached(); publishes the array's capacity.
  reinterpret_cast<atomic<void*>*>(cache)->store(array->entries, std::memory_order_release);
  return copy->own;
}

} // namespace

void threadprivate_register(void* address, const ThreadprivateFunctions& functions) {
  std::lock_guard guard(variables_lock);
  ThreadprivateVariable* variable = variable_locked(address);
  const ThreadprivateFunctions& known = variable->functions;
  bool registered = known.construct || known.copy_construct || known.destroy || known.construct_array ||
                    known.copy_construct_array || known.destroy_array;
  // relaxed: the lock orders it.
  if (!registered && !variable->prepared.load(std::memory_order_relaxed)) variable->functions = functions;
}

ThreadprivateCopy* threadprivate_copy(Worker* worker, void* address, size_t bytes) {
  if (worker->teams.threadprivate == nullptr) {
    void* table = object_allocate(worker, sizeof(ThreadprivateCopies));
    worker->teams.threadprivate = static_cast<ThreadprivateCopies*>(memset(table, 0, sizeof(ThreadprivateCopies)));
  }
  ThreadprivateCopies* copies = worker->teams.threadprivate;
  ThreadprivateCopy** bucket = &copies->buckets[hash_of(address) % ThreadprivateCopies::kBuckets];
  for (ThreadprivateCopy* copy = *bucket; copy != nullptr; copy = copy->next)
    if (copy->variable == address) return copy;

  ThreadprivateVariable* variable;
  {
    std::lock_guard guard(variables_lock);
    variable = variable_locked(address);
    prepare_locked(variable, bytes);
  }
  if (bytes > variable->bytes)
    fatal("threadprivate variable at %p has %zu bytes in one place and %zu in another", address, variable->bytes,
          bytes);
  auto* copy = static_cast<ThreadprivateCopy*>(object_allocate(worker, sizeof(ThreadprivateCopy)));
  void* own = worker->gtid == 0 ? address : object_allocate(worker, variable->bytes);
  *copy = {*bucket, copies->newest, address, own, variable->bytes, variable};
  *bucket = copies->newest = copy;
  if (own != address) initialise(variable, own); // the program's constructor: may come back here for another variable
  return copy;
}

void* threadprivate_cached(Worker* worker, void* variable, size_t bytes, void*** cache) {
  // acquire: pairs with release in cached_slow().
  auto** entries = static_cast<void**>(reinterpret_cast<atomic<void*>*>(cache)->load(std::memory_order_acquire));
  if (CHOMP_LIKELY(entries != nullptr)) {
    CacheArray* array = array_of(entries);
    if (CHOMP_LIKELY(worker->gtid < array->capacity)) {
      // relaxed: stored by this thread, or cleared when the record's former thread exited, before this one adopted it.
      void* own = array->entries[worker->gtid].load(std::memory_order_relaxed);
      if (CHOMP_LIKELY(own != nullptr)) return own;
    }
  }
  return cached_slow(worker, variable, bytes, cache);
}

void threadprivate_destroy(Worker* worker) {
  ThreadprivateCopies* copies = worker->teams.threadprivate;
  if (copies == nullptr) return;
  // Newest first. A destructor may use other variables, and so make copies: all are destroyed before any is freed.
  for (ThreadprivateCopy* done = nullptr; copies->newest != done;) {
    ThreadprivateCopy* stop = done;
    done = copies->newest;
    for (ThreadprivateCopy* copy = done; copy != stop; copy = copy->link)
      if (copy->own != copy->variable) destroy(copy);
  }
  forget_in_caches(worker->gtid);
  for (ThreadprivateCopy* copy = copies->newest; copy != nullptr;) {
    ThreadprivateCopy* older = copy->link;
    if (copy->own != copy->variable) object_free(worker, copy->own, copy->bytes);
    object_free(worker, copy, sizeof(ThreadprivateCopy));
    copy = older;
  }
  object_free(worker, copies, sizeof(ThreadprivateCopies));
  worker->teams.threadprivate = nullptr;
}

void threadprivate_reset_after_fork() { variables_lock.reset_after_fork(); }

} // namespace chomp
