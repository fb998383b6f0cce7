// See light_team.h.
#include "runtime/wait/light_team.h"

#include "runtime/base/backoff.h"
#include "runtime/config/config.h"
#include "runtime/core/counters.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/binding.h"
#include "runtime/stacks/stack.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/wait/light_thread.h"

namespace chomp {
namespace {

Worker* make_light_thread(void (*body)(void* worker)) {
  Worker* worker = worker_take_record();
  if (worker == nullptr) return nullptr;
  if (!light_open(worker, body)) {
    worker_put_record(worker);
    return nullptr;
  }
  worker->thread.is_root = false;
  worker->thread.bound_place = kNotBound;
  worker->stack.overflow_watched = true; // the kernel thread has a signal stack
  counters_use(worker);
  stack_init(worker, worker->thread.light->stack.bounds());
  return worker;
}

// A light thread is where its kernel thread is.
void follow_primary(const Member& primary, Member& member) {
  Worker* worker = member.worker;
  const Worker* host = primary.worker;
  member.placement = primary.placement;
  worker->thread.bound_place = host->thread.bound_place;
  // relaxed, both: a number.
  store_if_new(worker->wait.shown.thread_id, host->wait.shown.thread_id.load(std::memory_order_relaxed));
}

} // namespace

bool light_serves(const Worker* worker, const Team* outer) {
  if (CHOMP_LIKELY(!config.nested_light) || outer->level == 0) return false;
  const LightThread* light = worker->thread.light;
  bool shares = light != nullptr && light->next != light;
  return shares || outer->total_threads() >= topology.running_cpus;
}

int light_take(int count, Worker** taken, void (*body)(void* worker)) {
  for (int have = 0; have < count; ++have)
    if ((taken[have] = make_light_thread(body)) == nullptr) return have;
  return count;
}

void light_signal(Team* team, int size) {
  LightThread* before = light_of(tls_worker);
  int count = size != 0 ? size : team->capacity;
  team->light_recalled = false;
  for (int tid = 1; tid < count; ++tid) {
    Member& member = team->members[tid];
    if (size != 0) follow_primary(team->members[0], member);
    LightThread* thread = member.worker->thread.light;
    light_start(thread, before);
    before = thread;
  }
}

// Only where tasks were exported do some still look for them.
void light_await_rest(Team* team) {
  for (int tid = 1; tid < team->size(); ++tid) {
    LightThread* thread = team->members[tid].worker->thread.light;
    for (; !thread->rests(); light_pause()) thread->word = nullptr;
  }
}

void light_end_team(Team* team) {
  // acquire: pairs with release in team_serve().
  while (team->attached.load(std::memory_order_acquire) != 0) light_pause();
  for (int tid = 1; tid < team->capacity; ++tid) {
    Worker* worker = team->members[tid].worker;
    light_close(worker);
    worker_put_record(worker);
  }
}

void light_ends(Worker* worker) {
  if (announcing()) event_thread_end(worker);
  worker_release_memory(worker);
}

} // namespace chomp
