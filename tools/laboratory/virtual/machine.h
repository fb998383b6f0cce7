// The virtual machine that explores orders of events: what its parts share. Threads are fibers, of which one runs at a
// time (scheduler.cpp); memory is C11's (memory_model.cpp); plain accesses are checked for races (races.cpp). The
// compiler calls it at each access (tsan_entry.cpp), the process at each call of libc that blocks or tells time
// (libc_calls.cpp). server.cpp starts the runs. README.md tells how it works.
//
// Invariant: while `active`, code of the process runs only in the thread of `current`, so nothing here needs a lock.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <pthread.h>
#include <time.h>

#include "tools/laboratory/virtual/context.h"
#include "tools/laboratory/virtual/scale.h"

namespace virtual_machine {

inline constexpr int kMaxFibers = 1100;            // threads of a run
inline constexpr int kMaxExplored = 160;           // likewise, where orders of events are explored
inline constexpr int64_t kStartNs = 1'000'000'000; // what clocks show when a run begins

/// A vector clock: how much of each thread's past is known.
struct Clock {
  uint32_t of[kMaxExplored];
};

/// What a release hands over: what happens before it, and the stores that must be visible after it (fences add to those
/// without making a happens-before).
struct Knowledge {
  Clock happened;
  Clock visible;
};

enum class State : uint8_t { kUnused, kReady, kBlocked, kFinished };

/// A thread's own time, and where it runs (strategy scale).
struct FiberTime {
  int64_t clock_ps = kStartNs * 1000;
  int64_t stores_done_ps = 0; // when its last store will have been written
  int64_t asleep_ps = 0;
  int64_t lost_ps = 0; // while something else had its CPU
  int64_t longest_loss_ps = 0;
  int64_t ran_ps = 0;       // until since_ps
  int64_t since_ps = 0;     // when it got its CPU
  int64_t slice_end_ps = 0; // when others that wait may have it
  int64_t paused_at_ps = 0; // its last pause in a spin loop
  int cpu = 0;
  bool bound = false; // to the CPUs of `mask`
  unsigned char mask[kMaxCpus / 8] = {};
};

/// A thread of the process.
struct Fiber {
  int id = 0;
  State state = State::kUnused;
  bool timed_out = false; // the last wait
  bool frozen = false;    // it could go on, but the system runs others on its processor
  bool detached = false;
  bool joined = false;
  bool cuts_short = false; // its time limit may come at any moment
  bool elsewhere = false;  // in code whose order is not explored: it goes on until it waits
  bool held = false;       // in front of an operation, until it is chosen (strategy kOrders)
  Context context;
  uint32_t parked = 0;       // 1: the kernel's own thread sleeps, the fiber may run (a real futex word)
  uint32_t may_end = 0;      // 1: the kernel's own thread goes on with the fiber's end (a real futex word)
  uint32_t* alive = nullptr; // libc's word for the kernel's thread, its number until it is gone; null: not known
  void* parking_stack = nullptr;
  const void* waits_for = nullptr;
  uint32_t wait_bits = 0;
  int64_t deadline = -1;  // virtual nanoseconds; -1: none
  int64_t priority = 0;   // strategy pct
  uint32_t decisions = 0; // where another thread could have gone on
  uint32_t draws = 0;     // of own_random()
  FiberTime time;
  const void* last_pc = nullptr;
  const char* last_operation = "start";
  pid_t kernel_id = 0;
  pthread_t thread{};
  void* (*start)(void*) = nullptr;
  void* argument = nullptr;
  uint32_t sc_fence = 0; // the number of its last sequentially consistent fence
  bool has_release_fence = false;
  bool has_pending = false;
  Knowledge now;
  Knowledge release_fence; // as of its last release fence
  Knowledge pending;       // of stores read relaxed: an acquire fence takes it over
};

enum class Strategy : uint8_t { kRandom, kPct, kExhaustive, kScale, kWritten, kOrders };

/// What an operation does to an object, as far as it matters in which order operations come. kRead and kWrite are those
/// of atomics, kUse is any other; kAcquire waits for a lock of OpenMP, kLock for one of pthread, kTake for a semaphore;
/// kClaim takes something of which few threads get some; kTest asks whether it can have a lock or a semaphore, and
/// kRelease gives one back, which is a step where somebody tests.
enum class Touch : uint8_t { kNone, kRead, kWrite, kUse, kAcquire, kLock, kTake, kClaim, kTest, kRelease };

struct Settings {
  uint64_t seed = 1;
  uint64_t runs = 1;
  Strategy strategy = Strategy::kRandom;
  bool weak = true;   // C11's memory; false: sequentially consistent
  bool races = false; // plain accesses are checked
  bool trace = false;
  bool faults = true;
  bool interrupts = true;  // threads lose their processor now and then
  uint64_t idle_limit = 0; // steps without progress that are a deadlock; 0: none are
  uint64_t stop_at = 0;    // a debugger is to stop at this step; 0: nowhere
  bool keep_going = false;
  uint64_t step_limit = 20'000'000;
  uint64_t steps_allowed = 0; // more than those, of a run that changes memory; 0: no more
  int depth = 3;              // pct: priority change points; exhaustive: preemptions and stale reads
  int cpus = 0;               // 0: those of the real machine
  int seconds = 60;           // real time that a run may take
  bool wakes_early = false;   // a thread that sleeps for a time may wake before others have got far
  int64_t realtime_offset = 1'600'000'000'000'000'000; // what a calendar's clock shows beside the others
};
extern Settings settings;
inline bool scaling() { return settings.strategy == Strategy::kScale; }

/// What a run tells the server, in shared memory.
struct Choice {
  uint16_t taken, of;
};
inline constexpr uint32_t kMaxChoices = 1 << 20;
struct Report {
  uint64_t steps;
  uint64_t switches;
  char failure[400];
  static constexpr int kCounted = 16;
  uint32_t decisions[kCounted]; // of each of the first threads
  uint32_t choices;             // exhaustive
  Choice choice[kMaxChoices];
};
extern Report* report;

extern bool active; // false: every operation is what it says, on the real machine
extern Fiber* current;
extern Fiber* fibers;
extern int width;          // fibers ever used
extern int64_t virtual_ns; // not of scaled runs: threads have clocks of their own there
/// The time that clocks show now.
inline int64_t now_ns() { return scaling() ? clock_of_current_ns() : virtual_ns; }

// --- scheduler.cpp ---
void begin_run();
uint32_t random_below(uint32_t limit);
/// A number that the seed and the thread's own past decide: a run from which switches are left out draws the same.
uint64_t own_random();
/// Whether the call there does now what it may do for no reason, which `what` says.
bool for_no_reason(const char* what, const void* pc);
/// The function that is told of that. Null: there is none.
extern void (*note_unusual)(const char* what, const void* pc);
/// A decision among `count` that exhaustive search enumerates and others roll; 0 is the usual.
uint32_t choose_stale(uint32_t count);

/// Called before each operation: another fiber may run first. Strategy kOrders decides where an object is touched, and
/// only there.
void point(const void* pc, const char* operation, const void* object = nullptr, Touch touch = Touch::kNone,
           unsigned bytes = 1);
/// The same where nobody else need get a turn.
void step(const void* pc, const char* operation);
/// Strategy kOrders: holds the current fiber until what it is about to do is next; who runs now that it does not.
extern void (*hold_before)(const void* object, Touch touch, unsigned bytes);
extern Fiber* (*next_to_run)();
/// Blocks the current fiber as block() does, but it may also go on for no reason, if that is chosen.
extern bool (*wait_in_orders)(const void* condition, uint32_t bits, int64_t deadline, const void* pc);
/// How a loop's iterations are shared out, where OpenMP leaves it open (runtime/loops/claim.h). Null: as ever.
extern bool (*choose_share)(uint64_t last, uint64_t part, uint64_t parts, uint64_t* first, uint64_t* beyond);
/// Whether time limits of waits in the code there may come at any moment. Null: of none.
extern bool (*limits_come_early)(const void* pc);
/// What keeps a search from being complete; only the first reason counts. Null: nobody wants to know.
extern void (*note_not_all)(const char* why);
inline void not_all(const char* why) {
  if (note_not_all != nullptr) note_not_all(why);
}
/// Time passes until somebody is ready. False: nobody sleeps for a time.
bool pass_time();
/// The fiber cannot get on until another one does something: others run first.
void yield_point(const void* pc, const char* operation, int64_t cost_ns);
/// Blocks the current fiber until wake() or the deadline. Returns false when the deadline passed.
bool block(const void* address, uint32_t bits, int64_t deadline);
int wake(const void* address, int count, uint32_t bits);
Fiber* new_fiber();
void switch_to(Fiber* next);
void run_first(Fiber* fiber);    // in the new thread: waits for its turn
void await_parked(Fiber* fiber); // in the thread that makes it: until run_first() has got so far
void finish_fiber();             // the current fiber ends; returns in the thread that ends, which no longer counts
void forked();                   // in a child of fork()
/// Says what the threads were doing when a run fails, instead of the machine itself.
extern void (*describe_failure)();
extern uint64_t last_progress; // the step of the last one that was no waiting
/// Whether code there changes memory unseen: nobody can say then that nothing changes. Null: none does.
extern bool (*changes_unseen)(const void* pc);
extern uint64_t last_change; // the step of the last one that changed memory; 0: nobody tells
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
void trace(const char* operation, const void* address, unsigned size, uint64_t value, int order, const void* pc);
void trace_note(const char* format, ...) __attribute__((format(printf, 1, 2)));

// --- written_order.cpp ---
/// At the thread's decision of that number (from 0 on) `next` goes on; or wakes first, as -1 - number.
struct Switch {
  uint32_t decision;
  uint16_t fiber;
  int16_t next;
};
struct SwitchList {
  static constexpr uint32_t kMost = 1 << 18;
  uint32_t count;
  Switch list[kMost];
};
extern const SwitchList* written; // strategy kWritten
extern SwitchList* noted;         // others: what they decide is written here; null: it is not
/// Called at each decision that the list has, before it is followed.
extern void (*tell_switch)(const Fiber* now, const Fiber* next, bool wakes);
/// The thread that goes on where nothing is written.
Fiber* usual_next(bool may_stay);
/// The thread that goes on: `chosen`, or what is written. Called once per decision.
Fiber* decide(Fiber* usual, Fiber* chosen);
int decide_wake(int usual, int chosen);
inline bool decides_in_writing() { return settings.strategy == Strategy::kWritten || noted != nullptr; }

// --- memory_model.cpp ---
uint64_t atomic_load(const void* address, unsigned size, int order, const void* pc);
void atomic_store(void* address, unsigned size, uint64_t value, int order, const void* pc);
enum class Update : uint8_t { kExchange, kAdd, kSub, kAnd, kOr, kXor, kNand };
inline uint64_t updated(Update update, uint64_t old, uint64_t operand) {
  switch (update) {
  case Update::kExchange: return operand;
  case Update::kAdd: return old + operand;
  case Update::kSub: return old - operand;
  case Update::kAnd: return old & operand;
  case Update::kOr: return old | operand;
  case Update::kXor: return old ^ operand;
  case Update::kNand: return ~(old & operand);
  }
  __builtin_unreachable();
}
uint64_t atomic_update(void* address, unsigned size, Update update, uint64_t operand, int order, const void* pc);
/// Returns the value that was there; `*expected == result` says that it was exchanged.
uint64_t atomic_compare_exchange(void* address, unsigned size, uint64_t expected, uint64_t desired, int order,
                                 int failure_order, bool weak, const void* pc);
unsigned __int128 atomic_wide(void* address, int order, const void* pc,
                              unsigned __int128 (*change)(unsigned __int128, void*), void* argument);
void fence(int order, const void* pc);
void membarrier_all(const void* pc);
/// A lock of libc: unlocking hands everything over to the next thread that locks.
void release_to(const void* object);
void acquire_from(const void* object);
void lock_changed(const void* object);                 // it was taken, or given back
void learn(Fiber* fiber, const Fiber& from);           // what `from` has done happens before what `fiber` does next
void forget_stores(const void* address, size_t bytes); // a plain store, or memory that begins a new life
void tick();
/// Of a call by a library: where the program has called that; else the place itself.
const void* place_in_program(const void* pc);
void clock_read(const void* pc); // the code there asks for the time
/// The code there asks for something that may be another thing each time.
void takes_chance(const char* what, const void* pc);

// --- libc_calls.cpp ---
extern void (*before_first_use)(); // called when the runtime is about to start, outside of runs; null: nothing is
void follow_end_of_thread();       // the current fiber calls finish_fiber() when its thread ends
/// A time of the clock, as deadlines are counted here; -1: none.
int64_t deadline_on(clockid_t clock, const timespec* until);
/// The calls for locks and conditions, by POSIX's names or others.
int try_lock(pthread_mutex_t* mutex);
int lock_until(pthread_mutex_t* mutex, int64_t deadline, const char* call, const void* pc);
int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, int64_t deadline, const char* call,
                       const void* pc);

// --- races.cpp ---
void plain_access(const void* address, size_t bytes, bool write, const void* pc);
void forget_memory(const void* address, size_t bytes, const void* pc); // it gets another owner
void new_stack(const void* address, size_t bytes);                     // of a thread that begins: libc hands them on
void thread_is_over();                                                 // the current one's stack and data are
void memory_made(void* memory, size_t bytes, const void* pc);          // by realloc()
/// Blocks of free lists: who touches one that is free is reported.
void memory_freed(const void* address, size_t bytes, const void* pc);
void memory_in_use(const void* address, size_t bytes, const void* pc);
/// An atomic access to what another thread has written plainly, or given back.
void check_atomic_access(const void* address, unsigned size, const void* pc);

// --- weaken.cpp ---
/// A list of places: a letter (what is lost there: a acquire, r release, b both) and an offset in the
/// runtime's library each. False: it is not such a list.
bool read_weakened(const char* list);
extern bool weakens;
int weakened_order(int order, const void* pc);
inline int order_at(int order, const void* pc) { return weakens ? weakened_order(order, pc) : order; }

/// Zeroed memory that is never given back; map_memory() maps whole pages.
void* permanent(size_t bytes);
void* map_memory(size_t bytes);

} // namespace virtual_machine
