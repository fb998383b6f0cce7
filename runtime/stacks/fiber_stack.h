// A stack of its own for one task, so that the task can stop in the middle and its thread go on below: on the stack
// from which the fiber was entered. Called on the thread of the worker that made the fiber.
//
//   enter(): the thread goes on in the fiber, at its begin or where it left   leave(): back to the last enter()
//   leave_to(): on in another fiber, which takes this one's place above that enter()
//
// A fiber runs on its own worker only. So what compilers keep of a thread (thread_local, errno) is right, and nobody
// can enter a fiber that has not left yet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/stacks/stack_state.h"

namespace chomp {

struct Worker;

class FiberStack {
public:
  /// The first enter() calls function(argument), which never returns: it ends by leave_for_ever().
  void open(Worker* worker, void (*function)(void*), void* argument);
  /// Gives the stack back. The fiber has left for ever.
  void close(Worker* worker);

  void enter(Worker* worker);
  void leave(Worker* worker);
  void leave_to(Worker* worker, FiberStack* next); // which has left
  [[noreturn]] void leave_for_ever(Worker* worker);
  /// The first call in the fiber.
  void begun();

private:
  struct Place { // where a worker stands
    StackSegment* segment;
    uintptr_t watermark;
  };
  static Place place_of(const Worker* worker);
  static void stand(Worker* worker, const Place& place);
  void switch_away(void* target, FiberStack* next);

  StackSegment* segment_ = nullptr; // the lowest; a deep task may have added more while it was away
  void* inside_ = nullptr;          // what brings the thread back in
  void* outside_ = nullptr;         // and back to enter()
  Place within_;                    // while it is away
  // For sanitizers.
  void* thread_ = nullptr;          // ThreadSanitizer's of this fiber, which stays with the segment
  void* outer_thread_ = nullptr;    // and that of the stack below
  const void* outer_low_ = nullptr; // AddressSanitizer's bounds of the stack below
  size_t outer_bytes_ = 0;
  bool took_place_ = false; // it was entered last by leave_to(), which has set these bounds
};

/// The stack of a thread that shares its kernel thread with others (wait/light_thread.h): one switches to the next. A
/// kernel thread's own stack takes part without open().
class SharedStack {
public:
  /// The first switch to it calls function(argument), which ends by end(). False: no memory.
  bool open(void (*function)(void*), void* argument);
  /// Gives the stack back; nobody is on it.
  void close();
  StackBounds bounds() const { return {mapping_.low, mapping_.high}; }

  /// Called on this stack: goes on on the other one, and returns when somebody switches back.
  void switch_to(SharedStack* other);
  [[noreturn]] void end(SharedStack* other);

private:
  static void begin(void* stack);
  void arrive(void* fake_stack);

  StackMapping mapping_; // low 0: the kernel thread's own
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* inside_ = nullptr;      // what brings a thread back
  SharedStack* from_ = nullptr; // who switched to it last
  // For sanitizers: where it stands, which may be a fiber or a segment.
  void *thread_ = nullptr, *own_thread_ = nullptr;
  const void* low_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace chomp
