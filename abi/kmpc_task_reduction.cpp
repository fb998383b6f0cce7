// Entry points of reductions by tasks. The compiler has two layouts for an item. The older one cannot name the original
// variable.
#include "abi/abi.h"
#include "runtime/core/program_call.h"
#include "runtime/tasks/task_reduction.h"
#include "runtime/tasks/taskgroup.h"

using namespace chomp;
using chomp::abi::Location;

namespace {

// Bit 0 of `flags` asks for copies on demand, as ours always are.
struct OlderItem { // kmp_task_red_input_t
  void* shared;
  size_t size;
  void* initialise; // (copy)
  void* finalise;
  void* combine;
  uint32_t flags;

  ReductionItem decoded() const { return {shared, nullptr, size, initialise, finalise, combine}; }
};
static_assert(sizeof(OlderItem) == 48);

struct NewerItem { // kmp_taskred_input_t
  void* shared;
  void* original;
  size_t size;
  void* initialise; // (copy, original)
  void* finalise;
  void* combine;
  uint32_t flags;

  ReductionItem decoded() const { return {shared, original ? original : shared, size, initialise, finalise, combine}; }
};
static_assert(sizeof(NewerItem) == 56);

/// Calls `begin` with the decoded items, which are on the stack (a construct has few).
template <typename Item, typename Begin> Taskgroup* with_items(int count, const void* data, Begin begin) {
  auto items = static_cast<ReductionItem*>(__builtin_alloca(sizeof(ReductionItem) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) items[i] = static_cast<const Item*>(data)[i].decoded();
  return begin(items);
}

template <typename Item> Taskgroup* begin_group(int count, const void* data) {
  return with_items<Item>(count, data, [&](const ReductionItem* items) {
    return task_reduction_begin(this_worker(), {.count = count, .items = items});
  });
}

// A worksharing construct needs nothing else.
template <typename Item> Taskgroup* begin_region(int count, const void* data) {
  return with_items<Item>(count, data, [&](const ReductionItem* items) {
    return task_reduction_begin_region(this_worker(), {.count = count, .items = items});
  });
}

} // namespace

CHOMP_EXPORT void* __kmpc_task_reduction_init(int, int count, void* items) {
  return begin_group<OlderItem>(count, items);
}

CHOMP_EXPORT void* __kmpc_taskred_init(int, int count, void* items) { return begin_group<NewerItem>(count, items); }

CHOMP_EXPORT void* __kmpc_task_reduction_modifier_init(Location*, int, int, int count, void* items) {
  return begin_region<OlderItem>(count, items);
}

CHOMP_EXPORT void* __kmpc_taskred_modifier_init(Location*, int, int, int count, void* items) {
  return begin_region<NewerItem>(count, items);
}

CHOMP_EXPORT void __kmpc_task_reduction_modifier_fini(Location*, int, int) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  taskgroup_end(worker);
}

CHOMP_EXPORT void* __kmpc_task_reduction_get_th_data(int, void* group, void* item) {
  return task_reduction_copy(this_worker(), static_cast<Taskgroup*>(group), item);
}
