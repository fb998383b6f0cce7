// Decides which fiber runs next. A fiber is a thread that libc has made, with its stack and its thread-local data; the
// kernel's own thread of it sleeps on a stack apart (park_thread()), and the one thread of the kernel that runs
// executes all fibers in turn. So libc and thread-local data work as ever, and the order of events is decided here
// alone, from the seed. See machine.h.
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"

extern "C" void* __libc_stack_end; // of libc: where the main thread's stack began

namespace virtual_machine {

bool active = false;
Fiber* current = nullptr;
Fiber* fibers = nullptr;
int width = 0;
int64_t virtual_ns = 0;
Settings settings;
Report* report = nullptr;
void (*describe_failure)() = nullptr;
void (*hold_before)(const void* object, Touch touch, unsigned bytes) = nullptr;
Fiber* (*next_to_run)() = nullptr;
bool (*choose_share)(uint64_t last, uint64_t part, uint64_t parts, uint64_t* first, uint64_t* beyond) = nullptr;
bool (*limits_come_early)(const void* pc) = nullptr;
void (*note_not_all)(const char* why) = nullptr;
uint64_t last_progress = 0;
uint64_t last_change = 0;
bool (*changes_unseen)(const void* pc) = nullptr;

namespace {

constexpr int64_t kStepNs = 3;
constexpr int64_t kNever = INT64_MAX;

uint64_t random_state;
uint32_t switch_odds;    // strategy random: of 65536
uint32_t early_odds = 0; // one that sleeps for a time wakes once in so many steps; 0: when that time has passed
int sleepers = 0;        // whose time may be over at any moment
uint32_t freeze_odds;    // a thread loses its processor for a while once in so many steps; 0: never
int64_t next_deadline = kNever;
Fiber* ended = nullptr;     // a thread that has given the baton away for good: wait until it is gone
bool main_has_left = false; // by pthread_exit(): its own thread of the kernel runs the others, and ends with the last
int64_t lowest_priority = 0;
uint64_t change_points[16];
int change_count = 0;
uint32_t budget = 0; // exhaustive: preemptions and stale reads left
char* trace_buffer = nullptr;
size_t trace_used = 0;
constexpr size_t kTraceBuffer = 1 << 20;

uint64_t random_next() {
  uint64_t z = (random_state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The system itself, without libc: the process's own calls come to libc_calls.cpp.
long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
#else
#error "the virtual build runs on x86-64"
#endif
}

void sleep_while(const uint32_t* word, uint32_t value) {
  // acquire: pairs with the release in set_and_wake().
  while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
    system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, value, 0);
}

void set_and_wake(uint32_t* word) {
  __atomic_store_n(word, 1, __ATOMIC_RELEASE); // release: pairs with the acquire in sleep_while()
  system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1, 0);
}

// What the kernel's own thread of a fiber does while the fiber runs elsewhere: it sleeps until the fiber has ended, and
// then goes on with the fiber's context itself, to end.
void park_thread(void* argument) {
  auto* fiber = static_cast<Fiber*>(argument);
  uint64_t all = ~uint64_t{0};
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&all), 0, sizeof all);
  set_and_wake(&fiber->parked);
  sleep_while(&fiber->may_end, 0);
  Context parking;
  switch_context(&parking, &fiber->context);
}

// Until the thread that has ended is really gone, it changes what libc keeps of threads and memory. Then the kernel
// clears libc's word for it, and wakes one who waits there; a kernel that does not say where that is, is asked.
void bury_ended() {
  Fiber* fiber = ended;
  if (fiber == nullptr) return;
  ended = nullptr;
  set_and_wake(&fiber->may_end);
  auto number = static_cast<uint32_t>(fiber->kernel_id);
  // acquire: pairs with the kernel's store; what the thread did in libc is done
  while (fiber->alive != nullptr && __atomic_load_n(fiber->alive, __ATOMIC_ACQUIRE) == number)
    system_call(SYS_futex, reinterpret_cast<long>(fiber->alive), FUTEX_WAIT, number, 0);
  while (fiber->alive == nullptr && system_call(SYS_tgkill, getpid(), fiber->kernel_id, 0) == 0)
    system_call(SYS_sched_yield);
  if (fiber->detached) pthread_detach(fiber->thread);
}

void find_next_deadline() {
  next_deadline = kNever;
  for (int i = 0; i < width; ++i)
    if (fibers[i].state == State::kBlocked && fibers[i].deadline >= 0 && fibers[i].deadline < next_deadline)
      next_deadline = fibers[i].deadline;
}

void wake_expired() {
  for (int i = 0; i < width; ++i) {
    Fiber& fiber = fibers[i];
    if (fiber.state != State::kBlocked || fiber.deadline < 0 || fiber.deadline > virtual_ns) continue;
    fiber.state = State::kReady;
    fiber.timed_out = true;
    fiber.frozen = false;
  }
  find_next_deadline();
}

// The others got no further in the time that somebody sleeps.
void wake_a_sleeper() {
  const Fiber* first = nullptr;
  for (int i = 0; i < width; ++i) {
    const Fiber& fiber = fibers[i];
    if (fiber.state != State::kBlocked || !fiber.cuts_short) continue;
    if (first == nullptr || fiber.deadline < first->deadline) first = &fiber;
  }
  if (first == nullptr) return;
  if (virtual_ns < first->deadline) virtual_ns = first->deadline;
  wake_expired();
}

int ready_fibers(Fiber** list, const Fiber* but) {
  int count = 0;
  for (int i = 0; i < width; ++i)
    if (fibers[i].state == State::kReady && &fibers[i] != but) list[count++] = &fibers[i];
  return count;
}

Fiber* highest(Fiber** list, int count) {
  Fiber* best = list[0];
  for (int i = 1; i < count; ++i)
    if (list[i]->priority > best->priority) best = list[i];
  return best;
}

// One of `count` ways, enumerated by the server of an exhaustive search.
uint32_t enumerate(uint32_t count) {
  uint32_t index = report->choices;
  if (index >= kMaxChoices) fail("more than %u decisions in one run", kMaxChoices);
  Choice& choice = report->choice[index];
  if (choice.of == 0) choice = {0, static_cast<uint16_t>(count)};
  if (choice.of != count) fail("not the same run: decision %u has %u ways, had %u", index, count, choice.of);
  report->choices = index + 1;
  return choice.taken;
}

Fiber* pick(Fiber** list, int count) {
  if (count == 1) return list[0];
  switch (settings.strategy) {
  case Strategy::kPct: return highest(list, count);
  case Strategy::kWritten: return list[0]; // decide() knows better
  case Strategy::kOrders: return next_to_run();
  case Strategy::kExhaustive: {
    // In turn, from the current one on: without a preemption there is one order.
    int first = 0;
    while (first < count && list[first]->id < current->id) ++first;
    return list[first % count];
  }
  default: return list[random_below(static_cast<uint32_t>(count))];
  }
}

void describe_fibers() {
  for (int i = 0; i < width; ++i) {
    const Fiber& fiber = fibers[i];
    if (fiber.state == State::kUnused || fiber.state == State::kFinished) continue;
    Dl_info info{};
    const char* file = "?";
    unsigned long offset = reinterpret_cast<unsigned long>(fiber.last_pc);
    if (fiber.last_pc != nullptr && dladdr(fiber.last_pc, &info) != 0 && info.dli_fname != nullptr) {
      file = info.dli_fname;
      offset -= reinterpret_cast<unsigned long>(info.dli_fbase);
    }
    dprintf(2, "explore:   thread %d %s, last: %s at %s+0x%lx%s\n", fiber.id,
            fiber.state == State::kBlocked ? fiber.deadline >= 0 ? "sleeps for a time" : "sleeps" : "may run",
            fiber.last_operation, file, offset, &fiber == current ? " (now)" : "");
  }
}

void flush_trace() {
  size_t done = 0;
  while (done < trace_used) {
    long written =
        system_call(SYS_write, 2, reinterpret_cast<long>(trace_buffer + done), static_cast<long>(trace_used - done));
    if (written <= 0) break;
    done += static_cast<size_t>(written);
  }
  trace_used = 0;
}

// Nobody is ready: time passes until somebody is.
Fiber* next_after_sleep() {
  if (settings.strategy == Strategy::kOrders) return next_to_run();
  Fiber* list[kMaxExplored];
  int count = ready_fibers(list, nullptr);
  if (count == 0) {
    find_next_deadline();
    if (next_deadline == kNever) fail("deadlock: every thread sleeps");
    if (virtual_ns < next_deadline) virtual_ns = next_deadline;
    wake_expired();
    count = ready_fibers(list, nullptr);
  }
  return pick(list, count);
}

// Many steps and no progress: threads that wait look for work now and then. But somebody may sleep for a time.
void check_progress() {
  for (int i = 0; i < width; ++i)
    if (fibers[i].state == State::kBlocked && fibers[i].waits_for == nullptr) {
      last_progress = report->steps;
      return;
    }
  fail("deadlock: %llu steps, and threads do nothing but wait", (unsigned long long)settings.idle_limit);
}

bool may_change_unseen() {
  for (int i = 0; i < width && changes_unseen != nullptr; ++i)
    if (fibers[i].state == State::kReady && changes_unseen(fibers[i].last_pc)) return true;
  return false;
}

uint64_t look_at_step = 0; // 0: at the limit

// Whoever only reads for so long waits for what never comes.
void look_at_long_run() {
  auto steps = static_cast<unsigned long long>(report->steps), change = static_cast<unsigned long long>(last_change);
  constexpr uint64_t kPartWithoutChange = 4, kLeastWithoutChange = 100'000;
  bool all_read = report->steps - last_change > settings.step_limit / kPartWithoutChange + kLeastWithoutChange;
  if (last_change != 0 && all_read && !may_change_unseen())
    fail("livelock: threads run, but none has changed anything in the last %llu steps", steps - change);
  if (report->steps > settings.steps_allowed) fail("too long: a run had %llu steps, and has not ended", steps);
  look_at_step = report->steps + settings.step_limit;
}

void count_step(const void* pc, const char* operation) {
  current->last_pc = pc;
  current->last_operation = operation;
  if (__builtin_expect(report->steps + 1 == settings.stop_at, 0)) __builtin_debugtrap();
  if (++report->steps > (look_at_step != 0 ? look_at_step : settings.step_limit)) look_at_long_run();
  if (__builtin_expect(settings.idle_limit != 0 && report->steps - last_progress > settings.idle_limit, 0))
    check_progress();
}

} // namespace

void switch_to(Fiber* next) {
  Fiber* self = current;
  if (next == self) return;
  ++report->switches;
  current = next;
  switch_context(&self->context, &next->context);
  bury_ended();
}

// Switches to `next`, where `may_stay` says that the current fiber could go on, unless something else is written.
static void go_on_with(Fiber* next, bool may_stay) {
  switch_to(decides_in_writing() ? decide(usual_next(may_stay), next) : next);
}

uint32_t random_below(uint32_t limit) { return static_cast<uint32_t>((random_next() >> 32) * limit >> 32); }

uint64_t own_random() {
  uint64_t draw =
      (settings.seed << 32 ^ static_cast<uint64_t>(current->id) << 52 ^ ++current->draws) * 0x9e3779b97f4a7c15;
  draw = (draw ^ draw >> 31) * 0xbf58476d1ce4e5b9;
  draw = (draw ^ draw >> 29) * 0x94d049bb133111eb;
  return draw ^ draw >> 32;
}

void (*note_unusual)(const char* what, const void* pc) = nullptr;

bool for_no_reason(const char* what, const void* pc) {
  if (settings.strategy == Strategy::kOrders) not_all(what);
  bool rolls = settings.strategy <= Strategy::kPct || settings.strategy == Strategy::kWritten;
  if (!rolls || own_random() % 8 != 0) return false;
  if (note_unusual != nullptr) note_unusual(what, place_in_program(pc));
  return true;
}

uint32_t choose_stale(uint32_t count) {
  if (count <= 1) return 0;
  if (settings.strategy == Strategy::kExhaustive) {
    if (budget == 0) return 0;
    uint32_t taken = enumerate(count);
    if (taken != 0) --budget;
    return taken;
  }
  return random_below(4) != 0 ? 0 : random_below(count);
}

void begin_run() {
  random_state = settings.seed * 0xd1342543de82ef95 + 7;
  for (int i = 0; i < 4; ++i) random_next();
  static constexpr uint32_t kOdds[] = {32768, 8192, 2048, 512, 128, 16};
  switch_odds = kOdds[random_below(6)];
  budget = static_cast<uint32_t>(settings.depth);
  static constexpr uint32_t kFreezeOdds[] = {0, 0, 64, 256, 1024, 8192};
  freeze_odds = kFreezeOdds[random_below(6)];
  if (!settings.interrupts || settings.strategy == Strategy::kExhaustive || settings.strategy >= Strategy::kWritten)
    freeze_odds = 0;
  static constexpr uint32_t kEarlyOdds[] = {4, 32, 256};
  early_odds = settings.wakes_early ? kEarlyOdds[random_below(3)] : 0;
  // The length of a run is not known beforehand: change points are spread over lengths of all sizes.
  change_count = settings.depth < 16 ? settings.depth : 16;
  for (int i = 0; i < change_count; ++i) {
    uint32_t bits = 6 + random_below(14);
    change_points[i] = random_below(1u << bits) + 1;
  }
  virtual_ns = kStartNs;
  fibers = static_cast<Fiber*>(map_memory(kMaxFibers * sizeof(Fiber)));
  Fiber* main = new_fiber();
  main->thread = pthread_self();
  main->kernel_id = static_cast<pid_t>(system_call(SYS_gettid));
  prepare_contexts();
  main->context.thread_block = own_thread_block();
  current = main;
  follow_end_of_thread();
  if (settings.trace) trace_buffer = static_cast<char*>(permanent(kTraceBuffer));
  active = true;
}

Fiber* new_fiber() {
  Fiber* fiber = nullptr;
  for (int i = 0; i < width && fiber == nullptr; ++i)
    if (fibers[i].state == State::kFinished && fibers[i].joined && &fibers[i] != ended) fiber = &fibers[i];
  if (fiber == nullptr) {
    if (width == (scaling() ? kMaxFibers : kMaxExplored)) return nullptr;
    fiber = &fibers[width];
    *fiber = Fiber{};
    fiber->id = width++;
    if (!scaling()) fiber->now.happened.of[fiber->id] = fiber->now.visible.of[fiber->id] = 1;
  } else {
    // The thread before had this place: what it did stays in the past of the new one.
    Knowledge before = fiber->now;
    int id = fiber->id;
    void* parking_stack = fiber->parking_stack;
    *fiber = Fiber{};
    fiber->id = id;
    fiber->parking_stack = parking_stack;
    fiber->now = before;
  }
  fiber->state = State::kReady;
  // New threads stand anywhere among the others: some begin late.
  fiber->priority = static_cast<int64_t>(random_below(1 << 20));
  if (scaling()) enter_machine(fiber);
  return fiber;
}

void run_first(Fiber* fiber) {
  constexpr size_t kParkingStack = size_t{16} << 10;
  fiber->kernel_id = static_cast<pid_t>(system_call(SYS_gettid));
  system_call(SYS_prctl, PR_GET_TID_ADDRESS, reinterpret_cast<long>(&fiber->alive));
  fiber->context.thread_block = own_thread_block();
  if (fiber->parking_stack == nullptr) fiber->parking_stack = map_memory(kParkingStack);
  Context parking = new_context(fiber->parking_stack, kParkingStack, park_thread, fiber, fiber->context.thread_block);
  switch_context(&fiber->context, &parking); // returns in the thread of the kernel that runs all fibers
  bury_ended();
}

void await_parked(Fiber* fiber) { sleep_while(&fiber->parked, 0); }

bool pass_time() {
  find_next_deadline();
  if (next_deadline == kNever) return false;
  if (virtual_ns < next_deadline) virtual_ns = next_deadline;
  wake_expired();
  return true;
}

void point(const void* pc, const char* operation, const void* object, Touch touch, unsigned bytes) {
  if (scaling()) {
    spend(costs.atomic);
    return let_earlier_run();
  }
  constexpr uint64_t kLongTurn = 100'000; // it may wait for another one without telling the machine
  static uint64_t turn = 0;
  if (current->elsewhere) {
    current->last_pc = pc;
    current->last_operation = operation;
    if (++turn % kLongTurn == 0) yield_point(pc, operation, kStepNs);
    return;
  }
  count_step(pc, operation);
  virtual_ns += kStepNs;
  if (settings.strategy == Strategy::kOrders) {
    if (touch != Touch::kNone)
      hold_before(object, touch, bytes);
    else if (++turn % kLongTurn == 0)
      switch_to(next_to_run());
    return;
  }
  if (freeze_odds != 0 && random_below(freeze_odds) == 0) {
    current->frozen = true;
    block(nullptr, 0, virtual_ns + (int64_t{1} << (10 + random_below(13)))); // the system runs others on its processor
    return;
  }
  if (early_odds != 0 && sleepers > 0 && random_below(early_odds) == 0) wake_a_sleeper();
  if (virtual_ns >= next_deadline) wake_expired();
  Fiber* list[kMaxExplored];
  Fiber* next = current;
  switch (settings.strategy) {
  case Strategy::kRandom:
    if ((random_next() & 0xffff) < switch_odds) {
      int count = ready_fibers(list, nullptr);
      if (count > 1) next = list[random_below(static_cast<uint32_t>(count))];
    }
    break;
  case Strategy::kPct:
    for (int i = 0; i < change_count; ++i)
      if (change_points[i] == report->steps) current->priority = --lowest_priority;
    next = highest(list, ready_fibers(list, nullptr));
    break;
  case Strategy::kWritten: break; // go_on_with() decides
  case Strategy::kOrders:
  case Strategy::kScale: break; // above
  case Strategy::kExhaustive:
    if (budget > 0) {
      int count = ready_fibers(list, current);
      if (count == 0) break;
      uint32_t taken = enumerate(static_cast<uint32_t>(count) + 1);
      if (taken == 0) break;
      --budget;
      next = list[taken - 1];
    }
    break;
  }
  go_on_with(next, true);
}

void step(const void* pc, const char* operation) {
  count_step(pc, operation);
  virtual_ns += kStepNs;
}

void yield_point(const void* pc, const char* operation, int64_t cost_ns) {
  if (scaling()) {
    spend(cost_ns * 1000);
    return let_earlier_run();
  }
  count_step(pc, operation);
  virtual_ns += cost_ns;
  if (settings.faults && settings.strategy != Strategy::kExhaustive && random_below(64) == 0)
    virtual_ns += int64_t{1} << (8 + random_below(16)); // the clock jumps
  if (settings.strategy == Strategy::kOrders) return switch_to(next_to_run());
  if (virtual_ns >= next_deadline) wake_expired();
  Fiber* list[kMaxExplored];
  int count = ready_fibers(list, current);
  current->priority = --lowest_priority;
  go_on_with(count > 0 ? pick(list, count) : current, false);
}

bool block(const void* address, uint32_t bits, int64_t deadline) {
  Fiber* self = current;
  if (settings.strategy == Strategy::kOrders && address == nullptr) { // sleep says nothing about the order
    switch_to(next_to_run());
    return false;
  }
  bool sleeps = address == nullptr && !self->frozen;
  if (sleeps && settings.wakes_early && settings.strategy == Strategy::kWritten) { // written is who goes on, not when
    if (virtual_ns < deadline) virtual_ns = deadline;
    wake_expired();
    go_on_with(self, false);
    return false;
  }
  self->cuts_short = sleeps || (address != nullptr && deadline >= 0 && limits_come_early != nullptr &&
                                limits_come_early(self->last_pc));
  bool at_once = self->cuts_short && !sleeps && settings.wakes_early && settings.strategy <= Strategy::kPct;
  if (at_once && random_below(4) == 0) { // nobody else has got further
    self->cuts_short = false;
    if (virtual_ns < deadline) virtual_ns = deadline;
    wake_expired();
    return false;
  }
  sleepers += self->cuts_short;
  self->state = State::kBlocked;
  self->waits_for = address;
  self->wait_bits = bits;
  self->deadline = deadline;
  self->timed_out = false;
  if (scaling()) {
    sleep_until_woken(deadline);
  } else {
    if (deadline >= 0 && deadline < next_deadline) next_deadline = deadline;
    Fiber* next = next_after_sleep();
    go_on_with(next, self->frozen);
    self->frozen = false;
  }
  sleepers -= self->cuts_short;
  self->cuts_short = false;
  self->deadline = -1;
  self->waits_for = nullptr;
  return !self->timed_out;
}

static uint32_t first_to_wake(const void* address, uint32_t bits, uint32_t first) {
  auto first_from = [=](uint32_t start) {
    for (int i = 0; i < width; ++i) {
      int at = (static_cast<int>(start) + i) % width;
      const Fiber& fiber = fibers[at];
      if (fiber.state == State::kBlocked && fiber.waits_for == address && (fiber.wait_bits & bits) != 0) return at;
    }
    return 0;
  };
  return static_cast<uint32_t>(decide_wake(first_from(0), first_from(first)));
}

int wake(const void* address, int count, uint32_t bits) {
  if (scaling()) return wake_in_order(address, count, bits);
  int woken = 0;
  uint32_t first = settings.strategy == Strategy::kExhaustive || settings.strategy >= Strategy::kWritten
                       ? 0
                       : random_below(static_cast<uint32_t>(width));
  if (decides_in_writing() && count < kMaxFibers) first = first_to_wake(address, bits, first);
  for (int i = 0; i < width && woken < count; ++i) {
    Fiber& fiber = fibers[(static_cast<int>(first) + i) % width];
    if (fiber.state != State::kBlocked || fiber.waits_for != address || (fiber.wait_bits & bits) == 0) continue;
    fiber.state = State::kReady;
    fiber.held = false;
    ++woken;
  }
  if (woken > 0 && settings.strategy == Strategy::kOrders) last_progress = report->steps;
  return woken;
}

// The fiber that runs when the current one has ended; nullptr: it was the last one.
static Fiber* next_after_end() {
  if (scaling()) {
    leave_machine(current);
    if (Fiber* next = take_earliest()) return next;
  } else {
    Fiber* list[kMaxExplored];
    find_next_deadline();
    if (ready_fibers(list, nullptr) != 0 || next_deadline != kNever) return next_after_sleep();
  }
  for (int i = 0; i < width; ++i)
    if (fibers[i].state == State::kBlocked) fail("deadlock: every thread that is left sleeps");
  return nullptr;
}

// The last thread of the process ends, after main() has left by pthread_exit(). libc calls exit() there; here the main
// thread does, which is the kernel's thread that runs all fibers.
static Fiber* main_comes_back() {
  Fiber* main = &fibers[0];
  main->state = State::kReady;
  for (int i = 1; i < width; ++i)
    if (!scaling()) learn(main, fibers[i]);
  if (!scaling()) return main;
  if (main->time.clock_ps < current->time.clock_ps) main->time.clock_ps = current->time.clock_ps;
  put_on_cpu(main);
  take_cpu(main);
  return main;
}

void finish_fiber() {
  Fiber* self = current;
  self->state = State::kFinished;
  if (self->detached) self->joined = true;
  Fiber* next = next_after_end();
  if (next == nullptr && main_has_left) next = main_comes_back();
  if (next == nullptr) {
    active = false; // the last thread ends the process
    return;
  }
  if (self == &fibers[0])
    main_has_left = true;
  else
    ended = self;
  if (decides_in_writing()) next = decide(usual_next(false), next);
  current = next;
  // Returns in the kernel's own thread of `self`, which the main thread is to all.
  switch_context(&self->context, &next->context);
  if (self == &fibers[0]) bury_ended();
}

void forked() {
  for (int i = 0; i < width; ++i)
    if (&fibers[i] != current) {
      fibers[i].state = State::kFinished;
      fibers[i].joined = true;
    }
  ended = nullptr;
  main_has_left = false;
  current->kernel_id = static_cast<pid_t>(system_call(SYS_gettid));
  if (scaling()) forget_other_fibers();
}

void fail(const char* format, ...) {
  active = false;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->failure, sizeof report->failure, format, arguments);
  va_end(arguments);
  flush_trace();
  if (describe_failure != nullptr) {
    describe_failure();
  } else {
    dprintf(2, "explore: %s\n", report->failure);
    describe_fibers();
  }
  system_call(SYS_exit_group, 99);
  __builtin_unreachable();
}

static constexpr uint64_t kMostStack = 64 << 20; // of the main thread, in traces
void trace(const char* operation, const void* address, unsigned size, uint64_t value, int order, const void* pc) {
  static constexpr const char* kOrders[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  Dl_info info{};
  unsigned long offset = reinterpret_cast<unsigned long>(pc);
  const char* file = "?";
  if (dladdr(pc, &info) != 0 && info.dli_fname != nullptr) {
    file = info.dli_fname;
    offset -= reinterpret_cast<unsigned long>(info.dli_fbase);
  }
  // The kernel's number of a thread is another one in each run, and so is where the main thread's stack lies.
  if (value == static_cast<uint64_t>(current->kernel_id)) value = static_cast<uint64_t>(current->id);
  auto stack_end = reinterpret_cast<uint64_t>(__libc_stack_end);
  if (value < stack_end && stack_end - value < kMostStack) value -= stack_end;
  trace_note("%llu thread %d: %s %p/%u %s value 0x%llx at %s+0x%lx\n", (unsigned long long)report->steps, current->id,
             operation, address, size, order >= 0 && order < 6 ? kOrders[order] : "plain", (unsigned long long)value,
             file, offset);
}

void trace_note(const char* format, ...) {
  if (trace_buffer == nullptr) return;
  if (kTraceBuffer - trace_used < 1024) flush_trace();
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(trace_buffer + trace_used, 1024, format, arguments);
  va_end(arguments);
  if (length > 0) trace_used += static_cast<size_t>(length < 1024 ? length : 1023);
}

__attribute__((destructor)) static void end_of_process() {
  flush_trace();
  if (active && scaling()) {
    active = false;
    write_scale_report();
  }
}

void* map_memory(size_t bytes) {
  register long r10 asm("r10") = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  register long r8 asm("r8") = -1;
  register long r9 asm("r9") = 0;
  long pages;
  asm volatile("syscall"
               : "=a"(pages)
               : "a"((long)SYS_mmap), "D"(0L), "S"(bytes), "d"((long)(PROT_READ | PROT_WRITE)), "r"(r10), "r"(r8),
                 "r"(r9)
               : "rcx", "r11", "memory");
  if (pages < 0 && pages > -4096) fail("no memory");
  return reinterpret_cast<void*>(pages);
}

void* permanent(size_t bytes) {
  static char* chunk = nullptr;
  static size_t left = 0;
  bytes = (bytes + 63) & ~size_t{63};
  constexpr size_t kChunk = size_t{4} << 20;
  if (bytes > left) {
    size_t map = bytes > kChunk ? bytes : kChunk;
    chunk = static_cast<char*>(map_memory(map));
    left = map;
  }
  void* result = chunk;
  chunk += bytes;
  left -= bytes;
  return result;
}

} // namespace virtual_machine
