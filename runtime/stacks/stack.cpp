// Stack segments. A segment is a mapping of the configured stack size, or a little more, with a guard below, committed
// lazily by the system. The worker that made it keeps spare ones, at most one more than it has in use, or a batch more
// where tasks that stop have used little of theirs. So memory follows the depth, and a worker whose depth goes up and
// down does not call the system each time. Segments are entered and left by __morestack (machine/machine_*.S), a few
// lines of assembly with unwind information. gdb accepts a stack that jumps upwards only behind a frame of that name.
#include "runtime/stacks/stack.h"

#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/tasks/task_run.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHOMP_ASAN 1
#include <algorithm>
#include <sanitizer/common_interface_defs.h>
#endif
#endif

namespace chomp {

/// Calls function(argument) with the stack pointer at `stack_high`.
extern "C" void chomp_call_on_stack(void (*function)(void*), void* argument, uintptr_t stack_high) asm("__morestack");

constinit atomic<bool> all_workers_watched{false};

namespace {

constexpr size_t kGuardBytes = kSegmentGuardBytes;

// With the smallest stacks (OMP_STACKSIZE=64K) a million nested tasks would need more mappings than a process may have.
constexpr size_t kLeastSegment = size_t{1} << 20;

StackSegment* new_segment(Worker* worker) {
  size_t bytes = std::max(config.stack_size, kLeastSegment);
  StackMapping stack = map_stack(bytes, kGuardBytes);
  if (stack.low == 0)
    fatal("no memory for a stack segment of %zu bytes (%m): %d are in use. Tasks nest too deeply for what is left; see "
          "OMP_STACKSIZE",
          bytes, worker->stack.segments_in_use);
  auto segment = static_cast<StackSegment*>(object_allocate(worker, sizeof(StackSegment)));
  segment->stack = stack;
  worker->observe.counters.stack_segments.add();
  return segment;
}

StackSegment* pop_spare(Worker* worker) {
  StackSegment* segment = worker->stack.spare;
  if (segment == nullptr) return nullptr;
  worker->stack.spare = segment->next;
  --worker->stack.segments_spare;
  return segment;
}

void free_segment(Worker* worker, StackSegment* segment) {
  unmap_stack(segment->stack);
  object_free(worker, segment, sizeof(StackSegment));
}

void enter_segment(Worker* worker) {
  StackSegment* segment = stack_take_segment(worker);
  segment->next = worker->stack.segment;
  worker->stack.segment = segment;
}

void leave_segment(Worker* worker) {
  StackSegment* segment = worker->stack.segment;
  worker->stack.segment = segment->next;
  stack_return_segment(worker, segment, 1);
}

} // namespace

StackSegment* stack_take_segment(Worker* worker) {
  StackSegment* segment = pop_spare(worker);
  if (segment == nullptr) segment = new_segment(worker);
  ++worker->stack.segments_in_use;
  return segment;
}

void stack_return_segment(Worker* worker, StackSegment* segment, int kept) {
  --worker->stack.segments_in_use;
  segment->next = worker->stack.spare;
  worker->stack.spare = segment;
  ++worker->stack.segments_spare;
  while (worker->stack.segments_spare > worker->stack.segments_in_use + kept) free_segment(worker, pop_spare(worker));
}

namespace {

// How much deeper the initial thread may get before its stack is looked at again. This is less than half of any
// sensible RLIMIT_STACK.
constexpr size_t kLookAgain = size_t{256} * 1024;

#ifndef CHOMP_ASAN
constexpr size_t kGrowAtOnce = size_t{1} << 20; // valgrind takes larger steps for a change of stacks

/// Makes the system map the initial thread's stack from here down to `low`, if there is address space for it. So what a
/// deep task has been promised is there, whatever is mapped afterwards, and however limits are changed. Touches one
/// page in each kGrowAtOnce, with the stack pointer below it, since old kernels let a stack grow no further.
__attribute__((noinline)) void grow_stack(uintptr_t low) {
  char room[kGrowAtOnce];
  room[0] = 0;
  asm volatile("" : : "r"(room) : "memory"); // otherwise the compiler keeps only the part that is used
  if (stack_pointer() > low + kGrowAtOnce) grow_stack(low);
  asm volatile("" : : "r"(room) : "memory"); // prevents a tail call
}

void grow_stack_if_room(uintptr_t low) {
  uintptr_t here = stack_pointer();
  if (here < low + kGrowAtOnce) return;
  uint64_t left = address_space_limit() == UINT64_MAX ? UINT64_MAX : address_space_left();
  if (left > (here - low) + kGuardBytes) grow_stack(low);
}
#else // the sanitizer would fill the room with its own marks
void grow_stack_if_room(uintptr_t) {}
#endif

uintptr_t watermark_of(uintptr_t low, uintptr_t high) {
  size_t half = (high - low) / 2;
  if (half > config.stack_size / 2) half = config.stack_size / 2;
  return low + half;
}

} // namespace

uintptr_t stack_watermark_of(const StackSegment* segment) {
  return watermark_of(segment->stack.low, segment->stack.high);
}

// If tasks may be cancelled, have priorities, are observed, recorded or stop, every stack pointer counts as low, so
// that every task takes the slow path.
void stack_set_watermark(Worker* worker, uintptr_t watermark) {
  worker->stack.watermark = watermark;
  bool watched = worker->observe.every_task_is_watched || worker->graphs.watches_waits;
  // relaxed, both: the fence orders them.
  worker->run_watermark.store(watched ? UINTPTR_MAX : watermark, std::memory_order_relaxed);
  light_fence(); // pairs with heavy_fence() in stack_watch_all_workers(): we see its flag, or it overwrites what we
                 // store
  if (tasks_may_stop()) worker->run_watermark.store(UINTPTR_MAX, std::memory_order_relaxed);
}

namespace {

/// Sets the bounds of the thread's own stack, and how deep tasks may begin on it. `deep`: they have come to the
/// watermark of before.
void use_own_stack(Worker* worker, const StackBounds& bounds, bool deep) {
  StackState& stack = worker->stack;
  stack.low = bounds.low;
  stack.high = bounds.high;
  stack.grows = bounds.grows;
  uintptr_t last = config.stack_segments && bounds.low != 0 ? watermark_of(bounds.low, bounds.high) : 0;
  uintptr_t watermark = last;
  uintptr_t next_look = stack_pointer() - kLookAgain;
  if (stack.grows && last != 0 && last < next_look) watermark = next_look;
  // Until then nothing is promised but where the address space has a limit: few programs have deep tasks.
  bool must_grow = stack.grows && last != 0 && (deep || address_space_limit() != UINT64_MAX);
  if (must_grow) grow_stack_if_room(bounds.low + (watermark - last));
  stack.last_watermark = last;
  stack_set_watermark(worker, watermark);
}

struct Call {
  Worker* worker;
  Member* member;
  Task* task;
#ifdef CHOMP_ASAN
  void* fake_stack;
  const void* old_bottom;
  size_t old_size;
#endif
};

void run_on_this_stack(void* argument) {
  auto* call = static_cast<Call*>(argument);
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &call->old_bottom, &call->old_size);
#endif
  if (CHOMP_UNLIKELY(call->task->is(kObserved)) || tasks_may_stop())
    run_task_noted(call->worker, call->member, call->task);
  else
    run_task_here(call->worker, call->member, call->task, call->worker->current, call->member->deque.floor());
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(nullptr, call->old_bottom, call->old_size);
#endif
}

} // namespace

void stack_init(Worker* worker, const StackBounds& bounds) {
  worker->observe.every_task_is_watched = config.cancellation || config.max_task_priority > 0;
  use_own_stack(worker, bounds, false);
}

bool stack_is_low_slow(Worker* worker) {
  StackState& stack = worker->stack;
  if (stack.segment == nullptr && stack.watermark > stack.last_watermark)
    use_own_stack(worker, initial_thread_stack(), true);
  return stack_pointer() < stack.watermark;
}

void stack_watch_every_task(Worker* worker) {
  worker->observe.every_task_is_watched = true;
  stack_set_watermark(worker, worker->stack.watermark);
}

void stack_watch_all_workers() {
  if (all_workers_watched.exchange(true, std::memory_order_relaxed)) return; // relaxed: the fence orders it
  heavy_fence(); // pairs with light_fence() in stack_set_watermark()
  for (int gtid = 0; gtid < kMostWorkers; ++gtid) {
    Worker* worker = worker_by_gtid(gtid);
    if (worker == nullptr) break; // workers that are new set their watermark after the flag
    worker->run_watermark.store(UINTPTR_MAX, std::memory_order_relaxed); // relaxed: as above
  }
}

void stack_watch_waits(Worker* worker, bool watches) {
  worker->graphs.watches_waits = watches;
  stack_set_watermark(worker, worker->stack.watermark);
}

void run_task_on_segment(Worker* worker, Member* member, Task* task) {
  enter_segment(worker);
  worker->observe.counters.stack_switches.add();
  StackMapping stack = worker->stack.segment->stack;
  uintptr_t watermark = worker->stack.watermark;
  stack_set_watermark(worker, watermark_of(stack.low, stack.high));
  Call call{};
  call.worker = worker;
  call.member = member;
  call.task = task;
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(&call.fake_stack, reinterpret_cast<void*>(stack.low), stack.high - stack.low);
#endif
  chomp_call_on_stack(run_on_this_stack, &call, stack.high);
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(call.fake_stack, nullptr, nullptr);
#endif
  stack_set_watermark(worker, watermark);
  leave_segment(worker);
}

void call_with_room(void (*function)(void*), void* argument) {
#ifndef CHOMP_ASAN // the sanitizer does not know the other stack, and its frames are larger than small stacks
  constexpr size_t kRoom = 64 * 1024, kBytes = 256 * 1024;
  StackBounds bounds = current_stack_bounds();
  if (bounds.low != 0 && stack_pointer() - bounds.low < kRoom) {
    StackMapping stack = map_stack(kBytes, kGuardBytes);
    if (stack.low != 0) {
      chomp_call_on_stack(function, argument, stack.high);
      return unmap_stack(stack);
    }
  }
#endif
  function(argument);
}

StackBounds stack_in_use(const Worker* worker) {
  if (worker->stack.segment != nullptr) return {worker->stack.segment->stack.low, worker->stack.segment->stack.high};
  if (worker->stack.grows) return initial_thread_stack(); // limits may have been changed
  return {worker->stack.low, worker->stack.high};
}

void stack_release_segments(Worker* worker) {
  while (worker->stack.segment != nullptr) leave_segment(worker);
  while (StackSegment* segment = pop_spare(worker)) free_segment(worker, segment);
}

// Not called on a thread of the program: where its stack ends is known only by its limit, and other mappings may lie
// between.
void stack_give_back(Worker* worker) {
  stack_release_segments(worker);
  uintptr_t in_use = stack_pointer() - kGuardBytes; // signal handlers, and the frames of this call
  StackBounds own = current_stack_bounds();         // libc's: those of stack_init() may be a guess
  if (own.low != 0 && in_use > own.low) discard_pages(own.low, in_use);
}

} // namespace chomp
