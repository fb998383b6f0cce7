// Keeps open tasks in a hash table by their headers. See open_tasks.h.
#include "runtime/stall/open_tasks.h"

#include <initializer_list>
#include <new>

#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/core/memory.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/task_deps.h"

namespace chomp {
namespace {

struct Bucket {
  Lock lock;
  OpenTask* first = nullptr;
};
constexpr unsigned kBuckets = 1024;
CHOMP_LARGE constinit Bucket buckets[kBuckets];
constinit atomic<uint64_t> orders{0};

Bucket& bucket_of(const Task* task) { return buckets[reinterpret_cast<uintptr_t>(task) / sizeof(Task) % kBuckets]; }

bool is_kept(const Task* task) { return task->is(kHasDependences | kDetachable); }

// Called under the bucket's lock.
OpenTask* find_locked(Bucket& bucket, const Task* task) {
  OpenTask* entry = bucket.first;
  while (entry != nullptr && entry->task != task) entry = entry->next;
  return entry;
}

void set_state(const Task* task, OpenTask::State state) {
  Bucket& bucket = bucket_of(task);
  std::lock_guard guard(bucket.lock);
  if (OpenTask* entry = find_locked(bucket, task)) entry->state = state;
}

void forget(Worker* worker, const Task* task) {
  Bucket& bucket = bucket_of(task);
  OpenTask* entry;
  {
    std::lock_guard guard(bucket.lock);
    OpenTask** link = &bucket.first;
    while (*link != nullptr && (*link)->task != task) link = &(*link)->next;
    entry = *link;
    if (entry == nullptr) return;
    *link = entry->next;
  }
  object_free(worker, entry, sizeof(OpenTask));
}

OpenTask* keep(Worker* worker, Task* task) {
  forget(worker, task); // an earlier task with this header, whose event came before its end (task_end())
  auto* entry = new (object_allocate(worker, sizeof(OpenTask))) OpenTask;
  entry->task = task;
  entry->parent = worker->current;
  entry->parent_id = worker->current->is(kObserved) ? observed(worker->current)->id : 0;
  entry->code = code_of(task->payload());
  entry->order = orders.fetch_add(1, std::memory_order_relaxed); // relaxed: only to sort by
  return entry;
}

void insert(OpenTask* entry) {
  Bucket& bucket = bucket_of(entry->task);
  std::lock_guard guard(bucket.lock);
  entry->next = bucket.first;
  bucket.first = entry;
}

void dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (task == nullptr || list.empty()) return;
  OpenTask* entry = keep(worker, task);
  for (const DependenceList::Part& part : list.parts)
    for (int i = 0; i < part.count && entry->items < OpenTask::kKept; ++i)
      entry->item[entry->items++] = {part.items[i].address, part.items[i].flags};
  insert(entry);
}

// A task with dependences has its entry already. If nothing tracks them (a team of one), it has nothing to wait for.
void task_created(Worker* worker, Task* task) {
  if (task->is(kHasDependences)) return;
  if (task->is(kDetachable))
    insert(keep(worker, task));
  else
    forget(worker, task);
}

void task_begin(Worker*, Task* task) {
  if (is_kept(task)) set_state(task, OpenTask::kRuns);
}

// It is not known here whether the event of a detachable task has come already. So the entry of a finished one stays
// until its header is used again. The header's owner says that the task has finished.
void task_end(Worker* worker, Task* task) {
  if (task->is(kDetachable))
    set_state(task, OpenTask::kBodyReturned);
  else if (is_kept(task))
    forget(worker, task);
}

void task_gone(Worker* worker, Task* task) {
  if (is_kept(task)) forget(worker, task);
}

bool is_open(const OpenTask& entry) {
  return entry.state != OpenTask::kBodyReturned || entry.task->owner() == Task::kOwnerDetached;
}

} // namespace

void open_tasks_observe(Observer* observer) {
  observer->dependences = dependences;
  observer->task_created = task_created;
  observer->task_begin = task_begin;
  observer->task_end = task_end;
  observer->task_discarded = task_gone;
  observer->task_fulfilled = task_gone;
}

void open_tasks_reset_after_fork() {
  for (Bucket& bucket : buckets) {
    bucket.lock.reset_after_fork();
    bucket.first = nullptr;
  }
}

int open_tasks_copy(OpenTask* copies, int most) {
  int count = 0, kept = 0;
  for (Bucket& bucket : buckets) {
    std::lock_guard guard(bucket.lock);
    for (const OpenTask* entry = bucket.first; entry != nullptr; entry = entry->next) {
      if (!is_open(*entry)) continue;
      ++count;
      int at = kept < most ? kept++ : most - 1;
      if (count > most && copies[at].order < entry->order) continue;
      for (; at > 0 && copies[at - 1].order > entry->order; --at) copies[at] = copies[at - 1];
      copies[at] = *entry;
    }
  }
  return count;
}

uintptr_t open_task_waits_for(const OpenTask& after, const OpenTask& before) {
  bool siblings = after.parent == before.parent && after.parent_id == before.parent_id;
  if (!siblings || before.order >= after.order || after.state != OpenTask::kWaits) return 0;
  for (int i = 0; i < after.items; ++i)
    for (int j = 0; j < before.items; ++j) {
      const OpenTask::Item &one = after.item[i], &other = before.item[j];
      // Only tasks that read, and tasks of one set, go together: those of a mutexinoutset exclude, but do not wait.
      bool together = one.flags == other.flags && one.flags != (Dependence::kIn | Dependence::kOut) &&
                      one.flags != Dependence::kOut;
      bool same = one.address == other.address || ((one.flags | other.flags) & Dependence::kAllMemory) != 0;
      if (same && !together) return one.address != 0 ? one.address : 1;
    }
  return 0;
}

} // namespace chomp
