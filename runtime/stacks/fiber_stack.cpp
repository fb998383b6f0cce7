// See fiber_stack.h. The switch itself is in machine/machine_*.S.
#include "runtime/stacks/fiber_stack.h"

#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/worker.h"
#include "runtime/stacks/stack.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHOMP_ASAN 1
#include <sanitizer/common_interface_defs.h>
#elif __has_feature(thread_sanitizer) && !defined(CHOMP_VIRTUAL)
#define CHOMP_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace chomp {

extern "C" void chomp_switch_stack(void** save, void* load);
extern "C" void* chomp_prepare_stack(uintptr_t stack_high, void (*function)(void*), void* argument);

/// What the C++ runtime keeps for a thread (Itanium C++ ABI, Exception Handling, 2.2.2): the exceptions that its
/// handlers have caught, the latest first, and how many are on their way. Null in a program that has no such runtime.
struct CaughtExceptions {
  void* latest;
  unsigned uncaught;
};
extern "C" __attribute__((weak)) CaughtExceptions* __cxa_get_globals(); // NOLINT(bugprone-reserved-identifier)

/// Each stack has exceptions of its own: handlers on several end in any order. A new stack begins without.
static void switch_stack(void** save, void* load) {
  if (__cxa_get_globals == nullptr) return chomp_switch_stack(save, load);
  CaughtExceptions* here = __cxa_get_globals();
  CaughtExceptions own = *here;
  *here = {nullptr, 0};
  chomp_switch_stack(save, load);
  *__cxa_get_globals() = own; // it may be another kernel thread
}

FiberStack::Place FiberStack::place_of(const Worker* worker) {
  return {worker->stack.segment, worker->stack.watermark};
}

void FiberStack::stand(Worker* worker, const Place& place) {
  worker->stack.segment = place.segment;
  stack_set_watermark(worker, place.watermark);
}

void FiberStack::open(Worker* worker, void (*function)(void*), void* argument) {
  segment_ = stack_take_segment(worker);
  within_ = {segment_, stack_watermark_of(segment_)};
  inside_ = chomp_prepare_stack(segment_->stack.high, function, argument);
#ifdef CHOMP_TSAN
  thread_ = __tsan_create_fiber(0);
#endif
}

void FiberStack::close(Worker* worker) {
#ifdef CHOMP_TSAN
  __tsan_destroy_fiber(thread_);
#endif
  stack_return_segment(worker, segment_, int{policy::kBatch});
}

void FiberStack::enter(Worker* worker) {
  Place outer = place_of(worker);
  segment_->next = outer.segment;
  stand(worker, within_);
#ifdef CHOMP_ASAN
  void* fake_stack = nullptr;
  const StackMapping& stack = within_.segment->stack;
  __sanitizer_start_switch_fiber(&fake_stack, reinterpret_cast<void*>(stack.low), stack.high - stack.low);
#elif defined(CHOMP_TSAN)
  outer_thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(thread_, 0);
#endif
  switch_stack(&outside_, inside_);
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  stand(worker, outer);
}

void FiberStack::begun() {
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &outer_low_, &outer_bytes_);
#endif
}

// To `next`, or below.
void FiberStack::switch_away(void* target, [[maybe_unused]] FiberStack* next) {
#ifdef CHOMP_ASAN
  void* fake_stack = nullptr;
  const StackMapping* stack = next != nullptr ? &next->within_.segment->stack : nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack != nullptr ? reinterpret_cast<void*>(stack->low) : outer_low_,
                                 stack != nullptr ? stack->high - stack->low : outer_bytes_);
  took_place_ = false;
#elif defined(CHOMP_TSAN)
  __tsan_switch_to_fiber(next != nullptr ? next->thread_ : outer_thread_, 0);
#endif
  switch_stack(&inside_, target);
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, took_place_ ? nullptr : &outer_low_,
                                  took_place_ ? nullptr : &outer_bytes_);
#endif
}

void FiberStack::leave(Worker* worker) {
  within_ = place_of(worker);
  switch_away(outside_, nullptr);
}

void FiberStack::leave_to(Worker* worker, FiberStack* next) {
  within_ = place_of(worker);
  next->segment_->next = segment_->next;
  next->outside_ = outside_;
  next->outer_thread_ = outer_thread_;
  next->outer_low_ = outer_low_;
  next->outer_bytes_ = outer_bytes_;
  next->took_place_ = true;
  stand(worker, next->within_);
  switch_away(next->inside_, next);
}

void FiberStack::leave_for_ever(Worker*) {
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(nullptr, outer_low_, outer_bytes_);
#elif defined(CHOMP_TSAN)
  __tsan_switch_to_fiber(outer_thread_, 0);
#endif
  chomp_switch_stack(&inside_, outside_);
  __builtin_unreachable();
}

bool SharedStack::open(void (*function)(void*), void* argument) {
  mapping_ = map_stack(config.stack_size, kSegmentGuardBytes);
  if (mapping_.low == 0) return false;
  function_ = function;
  argument_ = argument;
  inside_ = chomp_prepare_stack(mapping_.high, begin, this);
  low_ = reinterpret_cast<const void*>(mapping_.low);
  bytes_ = mapping_.high - mapping_.low;
#ifdef CHOMP_TSAN
  thread_ = own_thread_ = __tsan_create_fiber(0);
#endif
  return true;
}

void SharedStack::close() {
#ifdef CHOMP_TSAN
  __tsan_destroy_fiber(own_thread_);
#endif
  unmap_stack(mapping_);
  mapping_ = StackMapping{};
}

void SharedStack::begin(void* stack) {
  auto* self = static_cast<SharedStack*>(stack);
  self->arrive(nullptr);
  self->function_(self->argument_);
}

// The sanitizer says where the one that switched here stood.
void SharedStack::arrive([[maybe_unused]] void* fake_stack) {
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, &from_->low_, &from_->bytes_);
#endif
}

void SharedStack::switch_to(SharedStack* other) {
  other->from_ = this;
  void* fake_stack = nullptr;
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(&fake_stack, other->low_, other->bytes_);
#elif defined(CHOMP_TSAN)
  thread_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(other->thread_, 0);
#endif
  switch_stack(&inside_, other->inside_);
  arrive(fake_stack);
}

void SharedStack::end(SharedStack* other) {
  other->from_ = this;
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(nullptr, other->low_, other->bytes_);
#elif defined(CHOMP_TSAN)
  __tsan_switch_to_fiber(other->thread_, 0);
#endif
  chomp_switch_stack(&inside_, other->inside_);
  __builtin_unreachable();
}

} // namespace chomp
