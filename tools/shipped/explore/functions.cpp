// The functions of the program that run: who has called whom, for what is said of a place in a header; and their
// frames, which begin as new memory and end as memory that is gone.
//
// Invariant: of the calls that a fiber is in, those of a strand stand together, above those of the strand below.
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/strand.h"

using virtual_machine::active;
using virtual_machine::current;
using virtual_machine::kMaxFibers;
using virtual_machine::permanent;

namespace explore {
namespace {

// ---- Who has called whom --------------------------------------------------------------------------------------------

// Each chain of calls has a number: that of the chain of the caller, and where it calls, have this one.
CallSite* sites = nullptr;
uint32_t site_count = 1; // 0 is no call
uint32_t site_room = 0;
uint32_t* numbers = nullptr; // a table of them, twice as many places

void enlarge_sites() {
  uint32_t room = site_room == 0 ? 1024 : 2 * site_room, mask = 2 * room - 1;
  auto* more = static_cast<CallSite*>(permanent(room * sizeof(CallSite)));
  auto* table = static_cast<uint32_t*>(permanent(2 * room * sizeof(uint32_t)));
  if (sites != nullptr) memcpy(more, sites, site_count * sizeof *sites);
  sites = more;
  site_room = room;
  numbers = table;
  for (uint32_t number = 1; number < site_count; ++number) {
    uint32_t at = hash_of(sites[number]) & mask;
    while (numbers[at] != 0) at = (at + 1) & mask;
    numbers[at] = number;
  }
}

uint32_t number_of(CallSite site) {
  if (site_count >= site_room) enlarge_sites();
  uint32_t mask = 2 * site_room - 1, at = hash_of(site) & mask;
  for (; numbers[at] != 0; at = (at + 1) & mask)
    if (sites[numbers[at]].pc == site.pc && sites[numbers[at]].outer == site.outer) return numbers[at];
  sites[site_count] = site;
  return numbers[at] = site_count++;
}

struct Call {
  uintptr_t low, high; // its frame, to behind its return address
  const void* caller;
  const void* begin;
  uint32_t number;
  bool is_own_operator;
};
struct Calls {
  Call* list;
  uint32_t depth, room;
};
Calls calls[kMaxFibers];

Call& push(Calls& stack) {
  if (stack.depth == stack.room) {
    uint32_t room = stack.room == 0 ? 64 : 2 * stack.room;
    auto* more = static_cast<Call*>(permanent(room * sizeof(Call)));
    if (stack.depth > 0) memcpy(more, stack.list, stack.depth * sizeof(Call));
    stack.list = more;
    stack.room = room;
  }
  return stack.list[stack.depth++];
}

// ---- Frames ---------------------------------------------------------------------------------------------------------

// Of code without frame pointers the word may be anything: the return address above it tells.
bool returns_to(uintptr_t frame_end, const void* caller) {
  const void* found = nullptr;
  iovec to{&found, sizeof found}, from{reinterpret_cast<void*>(frame_end - sizeof found), sizeof found};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(sizeof found) && found == caller;
}

// `own` is the frame of the function that the compiler has made the program call. Compiled with frame pointers, as that
// is.
uintptr_t end_of_callers_frame(void* const* own, const void* caller) {
  constexpr uintptr_t kLarge = 1 << 20;
  auto low = reinterpret_cast<uintptr_t>(own + 2);
  uintptr_t high = reinterpret_cast<uintptr_t>(*own) + 2 * sizeof(void*);
  if (high < low || (high - low > kLarge && !returns_to(high, caller))) return low;
  return high;
}

// Stretches of a fiber's stack with marks of strands that are not the one that runs there next. Of one that has ended
// all is over. Of one that waits, what lies below the frames of what runs next: it has called functions there.
struct Left {
  uintptr_t low, high;
  bool ended;
};
struct LeftList {
  static constexpr int kMost = 8;
  Left list[kMost];
  int count;
};
LeftList left[kMaxFibers];

void leave_behind(Strand* strand, bool ended, uintptr_t end) {
  if (strand->lowest >= end) return;
  LeftList& own = left[current->id];
  if (own.count == LeftList::kMost) forget_left_behind(strand, 0);
  own.list[own.count++] = {strand->lowest, end, ended};
  if (!ended) strand->lowest = end;
}

// ---- Code of the program that the runtime calls ---------------------------------------------------------------------

// When a task has ended, the runtime calls the program's function that destroys the task's data: it is the task's, and
// done before anybody who waits for the task goes on. So the task's strand does it, and its accesses are left out; what
// its atomics hand over (of a count of references, say) is what the task has done.
struct {
  int depth;
  Strand* task;
  Strand* below;
} destroying[kMaxFibers];

void enter(const void* caller) {
  auto& own = destroying[current->id];
  if (own.depth > 0) {
    ++own.depth;
  } else if (Strand* task = take_completed(); task != nullptr && is_in_runtime(caller)) {
    own = {1, task, running()};
    ++task->ignoring;
    on_fiber[current->id] = task;
  }
}

void leave() {
  auto& own = destroying[current->id];
  if (own.depth == 0) return;
  if (--own.depth > 0) return;
  --own.task->ignoring;
  on_fiber[current->id] = own.below;
}

// A program's own operators new and delete, which may keep a pool for each thread: its memory goes with the thread, so
// what a thread did before it gave a block back comes before what it does with the block that it got.
CodeRange operators[6];
int operator_count = 0;
Clock own_pools[kMaxFibers];

// Before there are runs, so that not each of them has to.
__attribute__((constructor)) void find_operators() { operator_count = own_operators(operators); }

bool in_own_operator(const void* pc) {
  auto at = reinterpret_cast<uintptr_t>(pc);
  for (int i = 0; i < operator_count; ++i)
    if (at >= operators[i].low && at < operators[i].high) return true;
  return false;
}

} // namespace

void forget_left_behind(Strand* now, uintptr_t frame_end) {
  LeftList& own = left[current->id];
  for (int i = 0; i < own.count; ++i) {
    const Left& each = own.list[i];
    uintptr_t end = each.ended ? each.high : frame_end > each.low && frame_end <= each.high ? frame_end : each.low;
    forget(reinterpret_cast<const void*>(each.low), end - each.low);
  }
  own.count = 0;
  now->must_forget = false;
}

void change_strand(Strand* before, Strand* next) {
  Calls& stack = calls[current->id];
  if (before != nullptr) {
    bool over = before->ended || before->detached;
    before->has_calls = true;
    before->calls_end = stack.depth;
    if (over)
      leave_behind(before, true, before->highest);
    else if (stack.depth > before->calls_begin)
      leave_behind(before, false, stack.list[stack.depth - 1].low);
  }
  next->must_forget = left[current->id].count != 0;
  if (!next->has_calls) {
    next->has_calls = true;
    next->calls_begin = stack.depth;
  } else if (next->calls_end <= stack.depth) {
    stack.depth = next->calls_end;
  }
}

void forget_stack(Strand* strand) {
  if (strand->lowest < strand->highest)
    forget(reinterpret_cast<const void*>(strand->lowest), strand->highest - strand->lowest);
  calls[current->id].depth = 0;
  left[current->id].count = 0;
}

uint32_t calls_now() {
  const Calls& stack = calls[current->id];
  return stack.depth > 0 ? stack.list[stack.depth - 1].number : 0;
}
uint32_t calls_of(const Fiber& fiber) {
  const Calls& stack = calls[fiber.id];
  return stack.depth > 0 ? stack.list[stack.depth - 1].number : 0;
}
CallSite call_site(uint32_t number) { return number < site_count && number != 0 ? sites[number] : CallSite{}; }

} // namespace explore

using namespace explore;

EXPORT void __tsan_func_entry(void* caller) {
  if (!active) return;
  findings->instrumented = true;
  enter(caller);
  Strand* strand = running();
  Calls& stack = calls[current->id];
  auto* own = static_cast<void* const*>(__builtin_frame_address(0));
  auto low = reinterpret_cast<uintptr_t>(own + 2);
  uintptr_t high = end_of_callers_frame(own, caller);
  // What longjmp() has left has not said so.
  while (stack.depth > strand->calls_begin && high > low && stack.list[stack.depth - 1].low < high) --stack.depth;
  uint32_t outer = stack.depth > strand->calls_begin ? stack.list[stack.depth - 1].number : 0;
  bool is_own_operator = in_own_operator(HERE);
  push(stack) = {low, high, caller, HERE, number_of({caller, outer}), is_own_operator};
  if (low < strand->lowest) strand->lowest = low;
  if (high > strand->highest) strand->highest = high;
  if (is_own_operator) acquire(strand, own_pools[current->id]);
  if (strand->must_forget) forget_left_behind(strand, high);
  frame_begins(low, high);
}

// GCC may end a function by a jump to here: then its frame is gone, and the caller's is the one above.
EXPORT void __tsan_func_exit() {
  if (!active) return;
  Strand* strand = running();
  Calls& stack = calls[current->id];
  if (stack.depth <= strand->calls_begin) return leave(); // it began before the run
  const Call call = stack.list[--stack.depth];
  auto low = reinterpret_cast<uintptr_t>(static_cast<void* const*>(__builtin_frame_address(0)) + 2);
  if (low > call.low) low = call.low;
  const void* pc = HERE == call.caller ? call.begin : HERE;
  if (strand->ignoring == 0) frame_ends(low, call.high, pc);
  if (call.is_own_operator) own_pools[current->id].join(release(strand));
  leave();
}
