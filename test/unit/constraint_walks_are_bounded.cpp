// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/tasks/constraint.cpp -pthread -o %t && %t
// Whether a task descends from another one is asked under the locks of queues: the walks of one look for work take so
// many steps together, on a thread with the smallest stack too, and siblings of a task that was refused are refused
// without one. What progress depends on needs no walk: children of the waiter are allowed even then. What was refused
// for want of steps is not remembered as refused: the next look asks again, and may take more steps. Of many lists each
// is remembered.
#include "runtime/tasks/constraint.h"

#include <climits>
#include <pthread.h>

#include "runtime/config/config.h"
#include "runtime/core/memory.h"
#include "runtime/stacks/stack.h"
#include "runtime/tasks/transparent.h"
#include "test/unit/check_that.h"

using namespace chomp;

Config chomp::config = {};
constinit atomic<bool> chomp::all_workers_watched{false};
void* chomp::memory_permanent(size_t) { return nullptr; }                     // constraint_now() is not called
bool chomp::transparent_waits_for(const Task*, const Task*) { return false; } // no task is transparent

constexpr int kLong = 100'000;
static Task implicit, chain[kLong], stranger, stranger_child;
static const Task* path[kMostSteps];

static void make(Task& task, Task* parent, uint32_t depth) {
  task.parent.store(parent, std::memory_order_relaxed);
  task.identity.store(uint64_t{depth} << 32 | 1, std::memory_order_relaxed);
  task.flags = kTied;
}

static Constraint waiting_in(const Task& task) {
  Constraint constraint;
  constraint.innermost = constraint.waiter = &task;
  constraint.path = path;
  return constraint;
}

/// A task that is so many generations below the waiter.
static bool allowed(Constraint& constraint, int generations) {
  return constraint_allows(&constraint, &chain[generations]);
}

static void* walk(void*) {
  make(implicit, nullptr, 1);
  implicit.flags = kTied | kImplicit;
  for (int i = 0; i < kLong; ++i) make(chain[i], i == 0 ? &implicit : &chain[i - 1], static_cast<uint32_t>(i + 2));
  make(stranger, &implicit, 2);
  make(stranger_child, &stranger, 3);

  Constraint fresh = waiting_in(chain[0]);
  for (int generations : {1, 2, 3, 100, kMostSteps + 1})
    THAT(allowed(fresh = waiting_in(chain[0]), generations) && fresh.steps_left == kMostSteps - (generations - 1));
  for (int generations : {kMostSteps + 2, 10'000, kLong - 1})
    THAT(!allowed(fresh = waiting_in(chain[0]), generations) && fresh.steps_left == kMostSteps);

  // Together: all but 28 steps, then 29 are too many, and 28 are not.
  Constraint shared = waiting_in(chain[0]);
  THAT(allowed(shared, kMostSteps - 27) && !allowed(shared, 30) && allowed(shared, 29));
  THAT(shared.steps_left == 0 && !allowed(shared, 2) && allowed(shared, 1)); // a child: no walk

  // For want of steps, so it is not noted, and later looks of this wait may take longer.
  static RefusedLists refused;
  refused.wait = 1;
  Constraint noted = waiting_in(chain[0]);
  noted.refused = &refused;
  THAT(allowed(noted, kMostSteps - 9) && !allowed(noted, 30));
  refused.refuse_all(&shared, 5);
  THAT(refused.unseen(&shared, 5) == 5 && refused.longer_looks() == 1);
  refused.refuse_all(&shared, 5);
  THAT(refused.unseen(&shared, 5) == 0 && refused.unseen(&shared, 7) == 2);
  refused.wait = 2;
  THAT(refused.unseen(&shared, 5) == 5 && refused.longer_looks() == 0);
  auto list = [](uintptr_t i) { return reinterpret_cast<const void*>(0x7f0000001000 + i * 192); };
  for (uintptr_t i = 0; i < 20; ++i) refused.refuse_all(list(i), 3);
  for (uintptr_t i = 0; i < 20; ++i) THAT(refused.unseen(list(i), 3) == 0);

  // Tasks of others are refused; a sibling of the last one without a step.
  Task siblings[3];
  for (Task& sibling : siblings) make(sibling, &stranger_child, 4);
  Constraint others = waiting_in(chain[0]);
  THAT(!constraint_allows(&others, &siblings[0]));
  int left = others.steps_left;
  for (Task& sibling : siblings) THAT(!constraint_allows(&others, &sibling) && others.steps_left == left);

  // Ancestors that have finished are passed, and may lead over many generations at once. So a task that is too deep for
  // a walk through all of them is found below finished ones; below unfinished ones it is not refused for good.
  for (int generations : {3, 4, 10'000}) chain[generations].set_owner(Task::kOwnerFinished);
  chain[10'000].parent.store(&chain[4], std::memory_order_relaxed);
  for (int generations : {3, 5, 10'001}) THAT(allowed(fresh = waiting_in(chain[0]), generations) == (generations < 6));
  for (int generations : {1, 2}) chain[generations].set_owner(Task::kOwnerFinished);
  THAT(allowed(fresh = waiting_in(chain[0]), 10'001) && fresh.steps_left == kMostSteps - 5);
  Constraint deep = waiting_in(chain[0]);
  deep.refused = &refused;
  THAT(!allowed(deep, 9'000));
  refused.refuse_all(&deep, 5);
  THAT(refused.unseen(&deep, 5) == 5);
  return nullptr;
}

int main() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  pthread_t thread;
  THAT(pthread_create(&thread, &attributes, walk, nullptr) == 0);
  pthread_join(thread, nullptr);
  return result();
}
