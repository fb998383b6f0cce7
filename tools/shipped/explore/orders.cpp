// A run of the search for all orders (search.h). Each strand runs until it is in front of an operation that touches an
// object which others may touch: an atomic, a lock, a claim. There it is held. When nobody runs any more, one of those
// held goes on: that is a decision, and all that happens is decided by them. Tasks begin as soon as a thread is free.
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/search.h"
#include "tools/shipped/explore/strand.h"

namespace explore {

Trace* trace = nullptr;
Plan plan{};

bool commute(const Arrival& a, const Arrival& b) {
  if (a.object + a.bytes <= b.object || b.object + b.bytes <= a.object) return true;
  return a.touch == b.touch && (a.touch == Touch::kRead || a.touch == Touch::kRelease);
}

namespace {

using virtual_machine::current;
using virtual_machine::fibers;
using virtual_machine::State;
using virtual_machine::width;

constexpr int kMost = virtual_machine::kMaxExplored;

uint32_t arrival_of[kMost]; // of a fiber that is held
uint32_t left[kMost];       // of what it claims
int polls[kMost];           // how often a fiber that waits has looked in vain
uint64_t polled_at[kMost];
int tasks_waiting = 0; // for a thread
bool free_for_all = false;
Strand* last_chosen = nullptr;
constexpr uint32_t kMostHeld = 64;
uint64_t asleep[kMostHeld];
uint32_t asleep_count = 0;

// Who did each step, for what others know of it.
struct Done {
  uint32_t strand, epoch;
};
Done done[Trace::kSteps];

[[noreturn]] void give_up(const char* why) {
  if (trace->not_all[0] == 0) snprintf(trace->not_all, sizeof trace->not_all, "%s", why);
  trace->redundant = true;
  virtual_machine::active = false;
  _exit(0);
}

void remember_reason(const char* why) {
  if (trace->not_all[0] == 0) snprintf(trace->not_all, sizeof trace->not_all, "%s", why);
}

// ---- Waiting by reading again ---------------------------------------------------------------------------------------

// How often atomic objects have changed.
struct Version {
  uint64_t object;
  uint32_t count;
};
constexpr int kVersions = 4096;
Version versions[kVersions];

uint32_t& version_of(uint64_t object) {
  auto at = static_cast<uint32_t>((object * 0x9e3779b97f4a7c15) >> 52);
  for (int i = 0; i < kVersions; ++i, at = (at + 1) % kVersions) {
    if (versions[at].object == object) return versions[at].count;
    if (versions[at].object != 0) continue;
    versions[at].object = object;
    return versions[at].count;
  }
  give_up("it has too many atomic objects");
}

// What a strand has looked at lately. Where it comes to the same place with the same object for the third time, nothing
// of what it has looked at since then has changed, and its own state is as it was, it would come there for ever: it
// waits for a change. If only its state is another one it counts, and may give up: it goes on, so that each count is
// tried, up to a bound.
struct Looks {
  static constexpr int kMost = 8;
  static constexpr uint32_t kMostCounted = 20;
  struct Look {
    const void* pc;
    uint64_t object;
    uint32_t version, times;
    uint64_t state;
  } list[kMost];
  int count;
  bool waits;
  bool for_ever;        // unless what it looks at changes
  const Strand* strand; // whose looks these are
};
Looks looks[kMost];

// Where a strand has written plainly since it began to look.
struct Written {
  static constexpr int kMost = 16;
  struct {
    const void* address;
    size_t bytes;
  } list[kMost];
  int count;
  uint64_t others; // too many to be kept, or other steps than looks: so the state is a new one
};
Written written_by[kMost];

uint64_t mixed(uint64_t sum, uint64_t value) { return (sum ^ value) * 0x9e3779b97f4a7c15 + (sum >> 29); }

uint64_t mixed_in(uint64_t sum, const void* memory, size_t bytes) {
  const auto* at = static_cast<const unsigned char*>(memory);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    sum = mixed(sum, word);
  }
  for (; bytes > 0; --bytes) sum = mixed(sum, *at++);
  return sum;
}

// The frames of the strand that is about to go on at `pc`: what its registers hold there that outlive a call, and the
// memory from there up to where the runtime, or the system, has called its first function.
struct Frames {
  const void* pc;
  uintptr_t low, high;
  uint64_t registers;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) {
  auto* frames = static_cast<Frames*>(argument);
  auto* pc = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (frames->low == 0) {
    if (pc != frames->pc) return _URC_NO_REASON;
    static constexpr int kKept[] = {3, 6, 12, 13, 14, 15}; // rbx, rbp, r12 to r15, by DWARF's numbers
    for (int number : kKept) frames->registers = mixed(frames->registers, _Unwind_GetGR(context, number));
    frames->low = frames->high = _Unwind_GetCFA(context);
    return _URC_NO_REASON;
  }
  frames->high = _Unwind_GetCFA(context);
  return is_in_runtime(pc) ? _URC_END_OF_STACK : _URC_NO_REASON;
}

// A number for the state of the current strand in front of an operation at `pc`, as far as it decides what comes next.
// 0: nobody knows it.
uint64_t state_at(const void* pc) {
  constexpr uintptr_t kLargest = 1 << 20;
  Frames frames{pc, 0, 0, 1};
  _Unwind_Backtrace(look_at_frame, &frames);
  if (frames.low == 0 || frames.high - frames.low > kLargest) return 0;
  const Written& written = written_by[current->id];
  uint64_t state = mixed(frames.registers, written.others);
  auto own_frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (int i = 0; i < written.count; ++i) {
    auto at = reinterpret_cast<uintptr_t>(written.list[i].address);
    if (at < own_frame || at >= frames.low) // else functions that have returned wrote there
      state = mixed_in(state, written.list[i].address, written.list[i].bytes);
  }
  return mixed_in(state, reinterpret_cast<const void*>(frames.low), frames.high - frames.low) | 1;
}

bool looked_at_has_changed(const Looks& own) {
  for (int i = 0; i < own.count; ++i)
    if (version_of(own.list[i].object) != own.list[i].version) return true;
  return false;
}

void look(Looks& own, const void* pc, uint64_t object) {
  own.waits = false;
  if (own.strand != running() || looked_at_has_changed(own)) own.count = 0;
  own.strand = running();
  for (int i = 0; i < own.count; ++i)
    if (own.list[i].pc == pc && own.list[i].object == object) {
      Looks::Look& look = own.list[i];
      uint64_t before = look.state;
      look.state = state_at(pc);
      own.waits = own.for_ever = ++look.times > 2 && look.state == before && before != 0;
      if (own.waits || look.times < Looks::kMostCounted) return;
      own.waits = true;
      return remember_reason("a loop that reads an atomic again may end after any count of looks: not all were tried");
    }
  if (own.count == Looks::kMost) own.count = 0;
  if (own.count == 0) written_by[current->id].count = 0;
  own.list[own.count++] = {pc, object, version_of(object), 1, 0};
}

// ---- Held -----------------------------------------------------------------------------------------------------------

bool is_free(const Fiber& fiber, const Arrival& arrival) {
  auto* object = reinterpret_cast<void*>(arrival.object);
  switch (arrival.touch) {
  case Touch::kAcquire: {
    constexpr uint64_t kMutex = 4;
    constexpr int kNestable = 103;
    const Strand* holder = handover(arrival.object, kMutex).holder;
    const Strand* strand = running_on(fiber);
    return holder == nullptr || (holder == strand && strand->waiting.what == kNestable);
  }
  case Touch::kLock: {
    const auto& lock = static_cast<pthread_mutex_t*>(object)->__data;
    return lock.__lock == 0 || lock.__owner == fiber.kernel_id;
  }
  case Touch::kTake: {
    static auto value_of = reinterpret_cast<decltype(&sem_getvalue)>(dlsym(RTLD_NEXT, "sem_getvalue")); // no step
    int value = 0;
    return value_of(static_cast<sem_t*>(object), &value) == 0 && value > 0;
  }
  default: return !looks[fiber.id].waits || looked_at_has_changed(looks[fiber.id]);
  }
}

void note_past(Arrival& arrival, const Strand* strand) {
  uint32_t words = (trace->steps + 63) / 64;
  if (trace->past_words + words > Trace::kPast) give_up("a run has too many steps");
  arrival.past = trace->past_words;
  trace->past_words += words;
  uint64_t* bits = trace->past + arrival.past;
  memset(bits, 0, words * sizeof *bits);
  for (uint32_t i = 0; i < trace->steps; ++i)
    if (happened_before(done[i].strand, done[i].epoch, strand)) bits[i / 64] |= uint64_t{1} << i % 64;
}

// The current strand is in front of an operation. Returns the number of the arrival.
uint32_t arrive(const void* object, Touch touch, unsigned bytes) {
  if (trace->arrivals == Trace::kArrivals) give_up("a run has too many steps");
  Strand* strand = running();
  uint32_t number = trace->arrivals++;
  Arrival& arrival = trace->arrival[number];
  arrival = {strand->name, reinterpret_cast<uint64_t>(object), bytes, touch, 0, trace->steps, false};
  note_past(arrival, strand);
  return arrival_of[current->id] = number;
}

// The last wait of a fiber for a condition.
struct Wait {
  const void* pc;
  const void* condition;
  const Strand* strand;
  uint64_t state;
  uint32_t times;
  bool for_no_reason; // so it has ended
  bool takes_lock;    // it has ended just now
};
Wait waits[kMost];

void hold_here(const void* object, Touch touch, unsigned bytes) {
  if (touch == Touch::kTest) trace->tests = true;
  if (free_for_all || width == 1 || (touch == Touch::kRelease && !trace->releases_are_steps)) return;
  bool claims = touch == Touch::kClaim;
  Arrival& arrival = trace->arrival[arrive(object, touch, claims ? 1 : bytes)];
  if (claims) {
    left[current->id] = bytes;
    if (bytes == 0) {
      arrival.in_vain = true;
      return;
    }
  }
  if (touch == Touch::kRead || touch == Touch::kWrite || touch == Touch::kTest)
    look(looks[current->id], current->last_pc, arrival.object);
  else
    looks[current->id].waits = false, written_by[current->id].others += !waits[current->id].takes_lock;
  waits[current->id].takes_lock = false;
  current->held = true;
  virtual_machine::last_progress = virtual_machine::report->steps;
  virtual_machine::switch_to(virtual_machine::next_to_run());
}

// A wait for a condition that may end for no reason is held, too, until somebody signals. If it has ended so, and the
// strand comes back with its own state as it was, nothing has come of it: all that may follow may follow without. So
// it waits for a signal then.
bool wait_here(const void* condition, uint32_t bits, int64_t deadline, const void* pc) {
  constexpr uint32_t kMostCounted = 20;
  Wait& own = waits[current->id];
  Written& written = written_by[current->id];
  if (!own.for_no_reason || own.strand != running() || own.pc != pc || own.condition != condition) {
    own = {pc, condition, running(), 0, 0, false, false};
    written = Written{};
    written.others = 1; // the wait, as when it comes back
  }
  uint64_t before = own.state;
  own.state = state_at(pc);
  bool in_vain = own.state == before && before != 0, too_often = ++own.times > kMostCounted;
  if (in_vain && trace->tests) remember_reason("it tests locks while a wait for a condition may end for no reason");
  if (too_often) remember_reason("waits for conditions that end for no reason are counted");
  uint32_t number = UINT32_MAX;
  if (!free_for_all && !in_vain && !too_often) {
    number = arrive(condition, Touch::kUse, 1);
    looks[current->id].waits = false;
    current->held = true;
  }
  bool signalled = virtual_machine::block(condition, bits, deadline);
  own.for_no_reason = number != UINT32_MAX && trace->steps > 0 && trace->step[trace->steps - 1].chosen == number;
  if (number != UINT32_MAX) trace->arrival[number].in_vain = !own.for_no_reason;
  own.takes_lock = true;
  written = Written{};
  looks[current->id].count = 0;
  return signalled;
}

// ---- Decisions ------------------------------------------------------------------------------------------------------

bool is_asleep(uint64_t strand) {
  for (uint32_t i = 0; i < asleep_count; ++i)
    if (asleep[i] == strand) return true;
  return false;
}

// Those asleep wake when something is done that does not commute with what they would do.
void wake_sleepers(const Step& step) {
  const Arrival& now = trace->arrival[step.chosen];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < asleep_count; ++i)
    for (uint32_t h = 0; h < step.held; ++h) {
      const Arrival& other = trace->arrival[trace->held_list[step.first_held + h].arrival];
      if (other.strand == asleep[i] && other.strand != now.strand && commute(other, now)) asleep[kept++] = asleep[i];
    }
  asleep_count = kept;
}

// One got some of what others claim: if nothing is left, they go on without.
void take_from_others(const Arrival& claim) {
  for (int i = 0; i < width; ++i) {
    Arrival& other = trace->arrival[arrival_of[i]];
    if (!fibers[i].held || other.touch != Touch::kClaim || other.object != claim.object || --left[i] > 0) continue;
    other.in_vain = true;
    fibers[i].held = false;
  }
}

Fiber* usual(Fiber** enabled, int count) {
  for (int i = 0; i < count; ++i)
    if (running_on(*enabled[i]) == last_chosen) return enabled[i];
  return enabled[0];
}

Fiber* choose(uint32_t number, Fiber** enabled, int count) {
  if (plan.written) {
    Fiber* next = usual(enabled, count);
    for (uint32_t i = 0; i < plan.count; ++i) {
      if (plan.list[i].step != number || static_cast<int>(plan.list[i].which) >= count) continue;
      Fiber* unusual = enabled[plan.list[i].which];
      if (unusual != next && virtual_machine::tell_switch != nullptr)
        virtual_machine::tell_switch(next, unusual, false);
      return unusual;
    }
    return next;
  }
  if (number < plan.steps) {
    for (int i = 0; i < count; ++i)
      if (running_on(*enabled[i])->name == plan.chosen[number]) return enabled[i];
    give_up("it does not do the same again in the same order of events");
  }
  int awake = 0;
  for (int i = 0; i < count; ++i)
    if (!is_asleep(running_on(*enabled[i])->name)) enabled[awake++] = enabled[i];
  if (awake > 0) return usual(enabled, awake);
  trace->redundant = true;
  virtual_machine::active = false;
  _exit(0);
}

// The strand that goes on, of those held. Null: none can.
Fiber* decide_order() {
  Fiber* enabled[kMost];
  int count = 0;
  uint32_t number = trace->steps;
  if (number == Trace::kSteps || trace->held + kMost > Trace::kHeld) give_up("a run has too many steps");
  Step& step = trace->step[number];
  step = {trace->held, 0, 0};
  bool must_wait = true; // unless a wait ends for no reason, which it need not
  for (int i = 0; i < width; ++i) {
    Fiber& fiber = fibers[i];
    if (!fiber.held) continue;
    bool may = is_free(fiber, trace->arrival[arrival_of[i]]);
    trace->held_list[trace->held + step.held++] = {arrival_of[i], may};
    if (may) enabled[count++] = &fiber;
    must_wait = must_wait && (!may || fiber.state != State::kReady);
  }
  trace->ends_held = true;
  if (step.held > kMostHeld) give_up("too many tasks at once");
  if (must_wait) return nullptr;
  if (tasks_waiting > 0) trace->scarce = true;
  trace->held += step.held;
  Fiber* chosen = choose(number, enabled, count);
  trace->ends_held = false;
  step.chosen = arrival_of[chosen->id];
  ++trace->steps;
  if (number + 1 == plan.steps) {
    asleep_count = plan.asleep_count;
    memcpy(asleep, plan.asleep, asleep_count * sizeof *asleep);
  }
  wake_sleepers(step);
  last_chosen = running_on(*chosen);
  done[number] = {last_chosen->id, last_chosen->epoch};
  findings->order = (findings->order ^ last_chosen->name) * 0x9e3779b97f4a7c15 + 1;
  chosen->held = false;
  chosen->state = State::kReady;
  if (trace->arrival[step.chosen].touch == Touch::kClaim) take_from_others(trace->arrival[step.chosen]);
  virtual_machine::last_progress = virtual_machine::report->steps;
  return chosen;
}

// Whether some of those held look at what nobody is left to change, and all others wait for locks.
bool nobody_changes_anything() {
  bool looks_for_ever = false;
  for (int i = 0; i < width; ++i) {
    if (!fibers[i].held || !looks[i].waits) continue;
    if (!looks[i].for_ever) return false;
    looks_for_ever = true;
  }
  return looks_for_ever && findings->chance[0] == 0;
}

// Some are held, and none can go on: a deadlock, or some read in vain. They go on as they are, and the machine sees
// that nothing comes of it.
Fiber* let_all_go() {
  if (nobody_changes_anything())
    virtual_machine::fail("livelock: a thread reads an atomic again and again, and nobody is left to change it");
  free_for_all = true;
  Fiber* first = nullptr;
  for (int i = 0; i < width; ++i) {
    if (!fibers[i].held) continue;
    fibers[i].held = false;
    if (looks[i].waits) remember_reason("a loop goes on though what it reads again has not changed");
    if (first == nullptr && fibers[i].state == State::kReady) first = &fibers[i];
  }
  return first;
}

constexpr int kPolls = 100;

bool has_polled_enough(const Fiber& fiber) {
  if (polled_at[fiber.id] != virtual_machine::last_progress) {
    polled_at[fiber.id] = virtual_machine::last_progress;
    polls[fiber.id] = 0;
  }
  return ++polls[fiber.id] > kPolls;
}

Fiber* next_one() {
  Fiber* waits = nullptr;
  for (int i = 1; i <= width; ++i) {
    Fiber& fiber = fibers[(current->id + i) % width];
    if (fiber.state != State::kReady || fiber.held) continue;
    if (!has_polled_enough(fiber)) return &fiber;
    if (waits == nullptr) waits = &fiber;
  }
  if (!free_for_all) {
    if (Fiber* chosen = decide_order()) return chosen;
    if (virtual_machine::pass_time()) return next_one();
    if (Fiber* first = let_all_go()) return first;
  }
  if (virtual_machine::pass_time()) return next_one();
  if (waits == nullptr) virtual_machine::fail("deadlock: every thread sleeps");
  return waits;
}

} // namespace

void object_changed(const void* address) {
  virtual_machine::last_change = virtual_machine::report->steps;
  if (trace != nullptr) ++version_of(reinterpret_cast<uint64_t>(address));
}

void note_write(const void* address, size_t bytes) {
  if (trace == nullptr) return;
  Written& own = written_by[current->id];
  for (int i = 0; i < own.count; ++i)
    if (own.list[i].address == address && own.list[i].bytes == bytes) return;
  if (own.count == Written::kMost)
    ++own.others;
  else
    own.list[own.count++] = {address, bytes};
}

void follow_plan() {
  virtual_machine::settings.strategy = virtual_machine::Strategy::kOrders;
  virtual_machine::hold_before = hold_here;
  virtual_machine::next_to_run = next_one;
  virtual_machine::wait_in_orders = wait_here;
  virtual_machine::note_not_all = remember_reason;
}

} // namespace explore

// What the scheduler of these runs says: so many more tasks wait for a thread.
extern "C" __attribute__((visibility("default"))) void chomp_virtual_tasks_wait(int more) {
  explore::tasks_waiting += more;
}
