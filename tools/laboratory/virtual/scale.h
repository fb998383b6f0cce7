// Virtual time on a made-up machine: every thread has a CPU and a clock of its own, the thread whose clock is behind
// runs next, and an access to memory costs what the state of its cache line says. tools/scale uses it
// (strategy=scale). README.md ("Scaling") tells what is modelled and what is not.
//
// Invariant: the thread that runs has the smallest clock of all that can run, but for `slack`; so what it reads was
// written in its past.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace virtual_machine {

struct Fiber;

inline constexpr int kMaxCpus = 1024;

/// What things cost, in picoseconds unless the name says otherwise. tools/laboratory/scale/profiles has values of real
/// machines.
// COST(name, default)
#define VIRTUAL_COSTS(COST)                                                                                            \
  COST(plain, 250)         /* an access that is not atomic, and finds its line here: with the code around it */        \
  COST(atomic, 400)        /* an atomic load or store likewise */                                                      \
  COST(update, 5'000)      /* a locked instruction likewise */                                                         \
  COST(fence, 6'000)       /* a full fence, besides the stores that it waits for */                                    \
  COST(block, 700)         /* a basic block of the program */                                                          \
  COST(library_block, 500) /* one of a library that is compiled with calls at its blocks, beside its accesses */       \
  COST(first_touch, 4'000) /* a line that no cache holds */                                                            \
  COST(chip, 27'000)       /* a line from another core of the chip */                                                  \
  COST(far, 110'000)       /* a line from another chip */                                                              \
  COST(store_overlap, 500) /* of 1000: what a store that misses costs, since the next ones are fetched meanwhile */    \
  COST(store_backlog, 400'000) /* so far the store buffer may be behind before the thread waits for it */              \
  COST(pause, 18'000)                                                                                                  \
  COST(yield, 500'000)                                                                                                 \
  COST(clock, 20'000)                                                                                                  \
  COST(counter, 8'000) /* the processor's own counter, for those who say that they read it */                          \
  COST(heap, 2'500)    /* malloc() and free(), each; libc's code is not instrumented */                                \
  COST(system_call, 300'000)                                                                                           \
  COST(sleep, 1'500'000)        /* a futex wait: until the CPU is given up */                                          \
  COST(wake, 1'500'000)         /* to the waker, for each thread that it wakes */                                      \
  COST(wake_latency, 5'000'000) /* until the woken thread runs */                                                      \
  COST(membarrier, 2'000'000)                                                                                          \
  COST(membarrier_cpu, 300'000)    /* more for each other CPU that is running */                                       \
  COST(interrupt, 700'000)         /* to a CPU that a membarrier interrupts */                                         \
  COST(thread, 15'000'000)         /* to make a thread */                                                              \
  COST(thread_latency, 30'000'000) /* until it runs */                                                                 \
  COST(slack, 0)                   /* a thread may run ahead of the others by so much */                               \
  COST(slice, 3'000'000'000)       /* a thread has a CPU that others want for so long */                               \
  COST(thread_switch, 2'000'000)   /* until the next one runs there */                                                 \
  COST(preempt_every, 0)           /* something else takes a CPU so often, in the mean; 0: never */                    \
  COST(preempt_least, 1'000'000'000)                                                                                   \
  COST(preempt_most, 10'000'000'000) /* for so long; when that is depends on `seed` and the CPU alone */               \
  COST(slow_yield_one_of, 0)         /* a number: one of so many sched_yield() takes as long as slow_yield; 0: none */ \
  COST(slow_yield, 1'000'000'000)                                                                                      \
  COST(slow_fence_one_of, 0) /* a number: one of so many membarriers takes as long as slow_fence; 0: none */           \
  COST(slow_fence, 1'000'000'000)                                                                                      \
  COST(slow_cores, 0)    /* a number: the last ones of each chip are slow */                                           \
  COST(slow_speed, 1000) /* of 1000: what they do in the same time */                                                  \
  COST(smt, 1)           /* a number: hardware threads of a core, each of them a CPU; they share its cache */          \
  COST(smt_share, 600)   /* of 1000: what each does in the same time, while another one of the core works */

struct Costs {
#define COST(name, value) int64_t name = value;
  VIRTUAL_COSTS(COST)
#undef COST
};
extern Costs costs;
extern int chips;
extern int cores_per_chip;
inline int smt() { return static_cast<int>(costs.smt); }
inline int cpu_count() { return chips * cores_per_chip * smt(); }
inline int core_of(int cpu) { return cpu / smt(); }
inline int chip_of(int core) { return core / cores_per_chip; }
extern int64_t limit_ps; // a run that gets so far fails

/// One word of EXPLORE: `machine=CHIPSxCORES`, `limit_ns=N`, or the name of a cost. Returns false if it is none of
/// them.
bool read_scale_setting(const char* word);

// --- virtual_time.cpp ---
/// The thread that calls has worked for so long.
void spend(int64_t ps);
/// Threads whose clocks are behind run first.
void let_earlier_run();
/// The current thread sleeps; returns when it was woken, or at the deadline (nanoseconds, -1: none).
void sleep_until_woken(int64_t deadline_ns);
/// Wakes up to `count` threads that sleep on the address, those that sleep longest first. Returns how many.
int wake_in_order(const void* address, int count, uint32_t bits);
/// Takes the thread that runs next out of the order; nullptr: no thread is left that can ever run.
Fiber* take_earliest();
/// A new thread, made by the current one.
void enter_machine(Fiber* fiber);
/// The current thread may run on these CPUs only.
void move_to_mask(const unsigned char* mask, size_t bytes);
/// The current thread lets others run on its CPU: sched_yield().
void yield_cpu();
/// A thread that has a CPU waits for its turn.
void begin_to_wait(Fiber* fiber);
/// In a child of fork(): the current thread is alone.
void forget_other_fibers();
void interrupt_running();
int64_t clock_of_current_ns();

// --- cpus.cpp ---
void begin_cpus();
/// What this work takes on the thread's CPU.
int64_t at_speed_of(const Fiber* fiber, int64_t ps);
/// A home for a new thread.
void put_on_cpu(Fiber* fiber);
/// The thread can run now. False: there is no CPU for it, and it stands in the queue.
bool take_cpu(Fiber* fiber);
/// The thread sleeps or ends: somebody else may get its CPU.
void give_cpu(Fiber* fiber);
void leave_machine(Fiber* fiber);
/// The current thread leaves its CPU if another one wants it. True: it stands in the queue now.
bool give_way();
/// Something else has the current thread's CPU now, or had it while nobody was there.
void lose_time();
int64_t next_loss_ps(const Fiber* fiber);
/// The current thread may run on these CPUs only. True: it stands in the queue now.
bool bind_to_mask(const unsigned char* mask, size_t bytes);
void forget_other_threads();

// --- cache_lines.cpp ---
enum class Access : uint8_t { kLoad, kStore, kUpdate };
/// An atomic operation: costs what its line says, after which threads that are behind run.
void charge_atomic(const void* address, Access access, int order, const void* pc);
void charge_plain(const void* address, size_t bytes, bool write, const void* pc);
void charge_fence();
/// Where the arguments and the environment begin, which reach to the end of the address space.
extern uintptr_t first_argument;

// --- scale_report.cpp ---
struct Events {
  uint64_t atomics, updates, plain, fences, blocks;
  uint64_t sleeps, wakes, woken, membarriers, threads, pauses, moves;
  bool oversubscribed; // a thread waited for a CPU
};
extern Events events;
/// A line came from another CPU, for the code at `pc`, and took so long.
void count_transfer(const void* pc, int64_t ps, bool far, bool write);
void write_scale_report();

} // namespace virtual_machine
