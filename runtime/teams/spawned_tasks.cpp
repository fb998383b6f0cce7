// Tasks that belong to no region (alpi_task_spawn): a program's library spawns them, as a rule to look for messages now
// and then. The functions are in region.h.
//
// One thread of the pool runs them all, from the first until the last has ended, as the only member of a team of its
// own. So they make progress while all members of other teams sleep, or are in long tasks, and where no region runs.
// Each begins when it is spawned, or when the one that runs waits: what waits for a moment, an unblocking call or its
// children leaves its stack (wait/fiber.h). A spawned task that never waits keeps the others from running.
//
// Invariant: while a task is in the list or has not ended, there is a thread, and `news` is set or will be.

#include <new>

#include "runtime/base/lock.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/teams/region.h"
#include "runtime/teams/team_cache.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/threads/wake.h"
#include "runtime/wait/block.h"
#include "runtime/wait/work_loop.h"

namespace chomp {
namespace {

struct Listed : SpawnedTask {
  Listed* next = nullptr;
};

struct Spawner {
  Lock lock;
  Worker* thread = nullptr; // null: there is none, and no task
  Listed *oldest = nullptr, *newest = nullptr;
  atomic<uint32_t> news{0}; // one: the thread is to look at the list, or for whether it is needed
  uint64_t unfinished = 0;  // the thread's: tasks that have begun
};
constinit Spawner spawner;

void append_locked(Listed* task) {
  (spawner.oldest == nullptr ? spawner.oldest : spawner.newest->next) = task;
  spawner.newest = task;
}

// release: pairs with acquire in wait_is_over().
void tell() { spawner.news.store(1, std::memory_order_release); }

// Hands the task to the thread, if there is one, or to `lent`.
bool hand_over(Listed* task, Worker* lent) {
  Worker* thread;
  {
    std::lock_guard guard(spawner.lock);
    thread = spawner.thread;
    if (thread == nullptr) thread = spawner.thread = lent;
    if (thread == nullptr) return false;
    append_locked(task);
    tell();
  }
  worker_wake(thread);
  return true;
}

struct SpawnedPayload : TaskPayload {
  SpawnedTask what;
};

int32_t run_body_of(int32_t, void* payload) {
  auto task = static_cast<BodyPayload*>(payload);
  task->body(task->shareds);
  return 0;
}

// The parent of the spawned task. It ends later than that, and than all that descends from that.
int32_t run_around(int32_t, void* payload) {
  Worker* worker = tls_worker;
  SpawnedTask what = static_cast<SpawnedPayload*>(payload)->what;
  taskgroup_begin(worker);
  worker->current->taskgroup->of_construct = true;
  Task* task = task_allocate(worker, kTied, sizeof(BodyPayload), 0, run_body_of);
  static_cast<BodyPayload*>(task->payload())->set_body(what.body);
  task->payload()->shareds = what.argument;
  task_spawn(worker, task);
  taskgroup_end(worker);
  if (what.ended != nullptr) what.ended(what.ended_argument);
  if (--spawner.unfinished == 0) tell();
  return 0;
}

Listed* take_oldest() {
  std::lock_guard guard(spawner.lock);
  spawner.news.store(0, std::memory_order_relaxed); // relaxed: the lock orders it
  Listed* task = spawner.oldest;
  if (task != nullptr) spawner.oldest = task->next;
  return task;
}

void begin_all(Worker* worker) {
  while (Listed* listed = take_oldest()) {
    ++spawner.unfinished;
    Task* task = task_allocate(worker, kTied, sizeof(SpawnedPayload), 0, run_around);
    static_cast<SpawnedPayload*>(task->payload())->what = *listed;
    object_free(worker, listed, sizeof(Listed));
    task_spawn(worker, task);
  }
}

bool is_lent(const Worker* worker) {
  std::lock_guard guard(spawner.lock);
  return spawner.thread == worker;
}

bool is_needed() {
  std::lock_guard guard(spawner.lock);
  if (spawner.oldest != nullptr || spawner.unfinished != 0) return true;
  spawner.thread = nullptr;
  return false;
}

// An initial team, as a thread of the program has.
Member* own_member(Worker* worker) {
  if (worker->thread.initial_member == nullptr)
    team_make_initial(worker);
  else
    team_renew_initial(worker);
  Member* member = worker->thread.initial_member;
  member->team->set_may_spin(false); // its CPU belongs to those who compute
  member->runs_anything = true;
  member->deque.raise_floor();
  return member;
}

} // namespace

bool spawn_outside_regions(Worker* worker, const SpawnedTask& task) {
  blocking_begin(worker);
  auto listed = new (object_allocate(worker, sizeof(Listed))) Listed{task};
  if (hand_over(listed, nullptr)) return true;
  Worker* thread = worker_take();
  if (thread == nullptr) {
    object_free(worker, listed, sizeof(Listed));
    return false;
  }
  hand_over(listed, thread);
  worker_lend_to_spawned(thread); // if another has been faster, it returns to the pool at once
  return true;
}

void serve_spawned_tasks(Worker* worker) {
  if (is_lent(worker)) {
    Member* member = own_member(worker);
    worker->member = member;
    worker->current = &member->implicit_task;
    Wait wait{WaitFor::kSpawned, 1};
    wait.word = &spawner.news;
    for (begin_all(worker); is_needed(); begin_all(worker)) work_loop(worker, member, wait);
    if (member->hot_child != nullptr || member->serial_child != nullptr) team_release_cached(member);
    member->runs_anything = false;
    member->team->set_may_spin(true);
  }
  worker_return_to_pool(worker);
}

// The tasks that another thread ran, or was to run, are the parent's.
void spawned_tasks_reset_after_fork(const Worker* self) {
  spawner.lock.reset_after_fork();
  if (self != nullptr && spawner.thread == self) return;
  spawner.thread = nullptr;
  spawner.oldest = nullptr;
  spawner.unfinished = 0;
  spawner.news.store(0, std::memory_order_relaxed); // relaxed: one thread exists
}

} // namespace chomp
