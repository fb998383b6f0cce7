// See light_team.h.
#include "runtime/wait/light_team.h"

#include <algorithm>

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
void follow(const Worker* host, Worker* worker) {
  worker->thread.bound_place = host->thread.bound_place;
  // relaxed, both: a number.
  store_if_new(worker->wait.shown.thread_id, host->wait.shown.thread_id.load(std::memory_order_relaxed));
}

} // namespace

int light_kernel_threads(const Worker* worker, const Team* outer, int size) {
  if (CHOMP_LIKELY(!config.nested_light) || outer->level == 0) return size;
  const LightThread* light = worker->thread.light;
  bool shares = light != nullptr && light->next != light;
  return shares ? 1 : std::clamp<int>(topology.running_cpus / outer->total_threads(), 1, size);
}

int light_take(int count, Worker** taken, void (*body)(void* worker)) {
  for (int have = 0; have < count; ++have)
    if ((taken[have] = make_light_thread(body)) == nullptr) return have;
  return count;
}

void light_start_hosted(const Team* team, int host, int size) {
  LightThread* before = light_of(tls_worker);
  for (int tid = host + team->kernel_threads; tid < size; tid += team->kernel_threads) {
    LightThread* thread = team->members[tid].worker->thread.light;
    if (thread->ended) continue; // it was in the ring, and has seen the signal to leave
    follow(before->worker, thread->worker);
    light_start(thread, before);
    before = thread;
  }
}

// Only where tasks were exported do some still look for them.
void light_await_rest(const Team* team) {
  for (int tid = team->kernel_threads; tid < team->size(); tid += team->kernel_threads) {
    LightThread* thread = team->members[tid].worker->thread.light;
    for (; !light_put_to_rest(thread); light_pause()) thread->wake();
  }
}

void light_end_hosted(const Team* team, int host) {
  light_start_hosted(team, host, team->capacity);
  for (int tid = host + team->kernel_threads; tid < team->capacity; tid += team->kernel_threads) {
    Worker* worker = team->members[tid].worker;
    for (LightThread* thread = worker->thread.light; !thread->ended; light_pause()) thread->wake();
    light_close(worker);
    worker_put_record(worker);
  }
}

void light_ends(Worker* worker) {
  worker_announce(worker, false);
  worker_release_memory(worker);
}

} // namespace chomp
