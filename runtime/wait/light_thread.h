// Light threads: several threads of inner regions that share a kernel thread. Each has a worker's record and a stack of
// its own. Of those on a kernel thread one runs; it goes on until it waits (base/backoff.h). Those that do not rest are
// in a ring, in which the next one that can go on gets its turn.
//
//   resting ──light_start()──> in the ring ──it waits for the next region, light_rest()──> resting
//
// The kernel thread's own worker is in the ring, too, for ever. A resting thread has nothing on its stack but what
// waits for a start, so it may be started on another kernel thread. Otherwise it stays on its own. Owner: the kernel
// thread on which the ring is.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/worker.h"
#include "runtime/stacks/fiber_stack.h"

namespace chomp {

struct Team;

struct LightThread {
  Worker* worker = nullptr;
  LightThread *next = this, *previous = this; // in the ring; null: it rests
  // What it sleeps for (sleep_on(), base/backoff.h): until the word changes, or until the time; null: it does not
  // sleep.
  atomic<uint32_t>* word = nullptr;
  uint32_t expected = 0;
  int64_t until_ns = kNoTimeout;
  // The team whose region it has come to the end of, while it waits in the ring until a task is exported there.
  const Team* until_exported = nullptr;
  bool ended = false; // by light_end()
  SharedStack stack;

  bool rests() const { return next == nullptr; }
  void wake() { word = nullptr, until_exported = nullptr; }
};

/// The light thread of a worker; made when a kernel thread's worker first needs one.
LightThread* light_of(Worker* worker);

/// Gives the worker, which has no thread, a stack. Its first start calls body(worker), which ends by light_end().
/// False: no memory.
bool light_open(Worker* worker, void (*body)(void* worker));
/// Takes the stack back, after light_end().
void light_close(Worker* worker);

/// Puts the resting thread behind `before` in the ring of the calling kernel thread. One that is in the ring goes on.
void light_start(LightThread* thread, LightThread* before);
/// The calling light thread rests until it is started.
void light_rest(Worker* worker);
/// The calling light thread, which has come to a region's end, waits while nothing is exported there. It returns when
/// it is started, too, and before its kernel thread sleeps: then nobody would look for it.
void light_wait_for_tasks(Worker* worker, const Team* team);
/// Takes a thread that waits so out of the ring: its region has completed. Returns whether the thread rests now.
bool light_put_to_rest(LightThread* thread);
/// The calling light thread ends.
[[noreturn]] void light_end(Worker* worker);

/// In the child of fork() only the calling light thread lives on.
void light_reset_after_fork(Worker* worker);

} // namespace chomp
