// The depend array of code compiled by GCC, decoded: for gomp_task.cpp and gomp_target.cpp.
#pragma once

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

/// The compiler's array: n, number of `out`, n addresses, of which those that are not `out` are `in`. Or, when there
/// are other kinds: 0, n, number of `out`, of `mutexinoutset`, of `in`, then n addresses in that order, and those that
/// are left are of depend objects.
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

  static uint8_t kind_of(const GccDepobj& object) {
    switch (object.kind) {
    case 1: return Dependence::kIn;
    case 2:
    case 3: return Dependence::kOut; // out, inout
    case 4: return Dependence::kMutexInOutSet;
    case 5: return Dependence::kInOutSet;
    default: fatal("depend(depobj: …): the depend object is not initialised");
    }
  }

  /// omp_all_memory is an `out` of the null address. Other accesses of null, which a program may well name, are those
  /// of some address that no object has.
  static Dependence dependence(void* address, uint8_t kind) {
    if (address != nullptr) return {reinterpret_cast<uintptr_t>(address), 0, kind};
    if (kind == Dependence::kOut) return {0, 0, Dependence::kOut | Dependence::kAllMemory};
    return {1, 0, kind};
  }

  Dependence item(size_t i) const {
    void* address = addresses_[i];
    if (i < out_) return dependence(address, Dependence::kOut);
    if (i < out_ + mutex_) return dependence(address, Dependence::kMutexInOutSet);
    if (i < out_ + mutex_ + in_) return dependence(address, Dependence::kIn);
    auto object = static_cast<const GccDepobj*>(address);
    return dependence(object->address, kind_of(*object));
  }

  void** addresses_;
  size_t count_, out_, mutex_, in_;
};

/// Calls use(list); `array` may be null. The items are on the stack if they are few (an iterator may make many).
template <typename Use> void with_dependences(Worker* worker, void** array, Use use) {
  if (array == nullptr) return use(DependenceList{});
  constexpr int kFew = 32;
  GccDependences dependences(array);
  int count = dependences.count();
  if (count <= kFew) {
    Dependence items[kFew];
    dependences.decode(items);
    return use(DependenceList{{{items, count}, {}}});
  }
  size_t bytes = static_cast<size_t>(count) * sizeof(Dependence);
  auto items = static_cast<Dependence*>(object_allocate(worker, bytes));
  dependences.decode(items);
  use(DependenceList{{{items, count}, {}}});
  object_free(worker, items, bytes);
}

} // namespace chomp::abi
