// Decodes the depend array and the depend objects of code compiled by GCC, for all constructs that have them.
#pragma once

#include <algorithm>

#include "runtime/base/log.h"
#include "runtime/core/memory.h"
#include "runtime/dependences/task_deps.h"

namespace chomp::abi {

/// What an omp_depend_t of GCC holds.
struct GccDepobj {
  void* address;
  uintptr_t kind;
};
static_assert(sizeof(GccDepobj) == 16);

/// omp_all_memory is an `out` of the null address. A program may name null in other accesses, too; these become
/// accesses of an address that no object has.
inline Dependence gcc_dependence(void* address, uint8_t kind) {
  if (address != nullptr) return {reinterpret_cast<uintptr_t>(address), 0, kind};
  if (kind == Dependence::kOut) return {0, 0, Dependence::kOut | Dependence::kAllMemory};
  return {1, 0, kind};
}

inline Dependence gcc_dependence(const GccDepobj& object) {
  constexpr uint8_t kKinds[] = {0,
                                Dependence::kIn,
                                Dependence::kOut, // out
                                Dependence::kOut, // inout
                                Dependence::kMutexInOutSet,
                                Dependence::kInOutSet};
  if (object.kind == 0 || object.kind >= sizeof kKinds)
    fatal("depend(depobj: …): the depend object is not initialised");
  return gcc_dependence(object.address, kKinds[object.kind]);
}

/// The compiler's array has one of two forms. Only `out` and `in`: n, number of `out`, then n addresses in that order.
/// With other kinds: 0, n, numbers of `out`, `mutexinoutset` and `in`, then n addresses in that order; the rest are
/// addresses of depend objects.
class GccDependences {
public:
  explicit GccDependences(void** array) {
    const bool newer = array[0] == nullptr;
    void** numbers = newer ? array + 1 : array;
    count_ = number(numbers[0]);
    out_ = number(numbers[1]);
    mutex_ = newer ? number(numbers[2]) : 0;
    in_ = newer ? number(numbers[3]) : count_ - out_;
    addresses_ = numbers + (newer ? 4 : 2);
  }

  int count() const { return static_cast<int>(count_); }

  void decode(Dependence* items) const {
    for (size_t i = 0; i < count_; ++i) items[i] = item(i);
  }

private:
  static size_t number(void* word) { return reinterpret_cast<uintptr_t>(word); }

  Dependence item(size_t i) const {
    void* address = addresses_[i];
    if (i < out_) return gcc_dependence(address, Dependence::kOut);
    if (i < out_ + mutex_) return gcc_dependence(address, Dependence::kMutexInOutSet);
    if (i < out_ + mutex_ + in_) return gcc_dependence(address, Dependence::kIn);
    return gcc_dependence(*static_cast<const GccDepobj*>(address));
  }

  void** addresses_;
  size_t count_, out_, mutex_, in_;
};

/// Calls use(list) with `count` items, which decode(items) writes. Few items are on the stack (an iterator may make
/// many).
template <typename Decode, typename Use> auto with_items(Worker* worker, int count, Decode decode, Use use) {
  constexpr int kFew = 32;
  if (count <= kFew) {
    Dependence items[kFew];
    decode(items);
    return use(DependenceList{{{items, count}, {}}});
  }
  struct Block {
    Worker* worker;
    size_t bytes;
    Dependence* items = static_cast<Dependence*>(object_allocate(worker, bytes));
    ~Block() { object_free(worker, items, bytes); }
  };
  const Block block{worker, static_cast<size_t>(count) * sizeof(Dependence)};
  decode(block.items);
  return use(DependenceList{{{block.items, count}, {}}});
}

/// Calls use(list); `array` may be null.
template <typename Use> void with_dependences(Worker* worker, void** array, Use use) {
  if (array == nullptr) return use(DependenceList{});
  GccDependences dependences(array);
  with_items(worker, dependences.count(), [&](Dependence* items) { dependences.decode(items); }, use);
}

/// The same for an array of depend objects.
template <typename Use> auto with_objects(Worker* worker, int count, const GccDepobj* objects, Use use) {
  auto decode = [&](Dependence* items) {
    for (int i = 0; i < count; ++i) items[i] = gcc_dependence(objects[i]);
  };
  return with_items(worker, std::max(count, 0), decode, use);
}

} // namespace chomp::abi
