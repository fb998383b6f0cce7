// Which thread has which CPU, how fast that CPU is, and when the system takes it away (strategy scale). Threads that
// find no free CPU wait for one, and those that run give theirs up after a slice of time, the one that ran least first,
// roughly as Linux does. See scale.h.
//
// Invariant: a thread that can run either has a CPU, which nobody else has, or stands in the queue; nobody stands there
// while a CPU that it may use is free.
#include <string.h>

#include "tools/laboratory/virtual/machine.h"

namespace virtual_machine {
namespace {

struct Cpu {
  int holder;            // the thread that has it, plus 1; 0: nobody
  int homes;             // threads that were put here, whether they run or not
  int64_t loss_begin_ps; // the next time, or the present one, when something else runs here
  int64_t loss_end_ps;
  uint64_t losses;
};

Cpu cpus[kMaxCpus];
Fiber* queue[kMaxFibers]; // those that can run and have no CPU
int queued = 0;
int64_t least_ran_ps = 0; // what the one that came last from the queue had run by then
bool uneven = false;      // CPUs do not all run at full speed

uint64_t scrambled(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// At random, from `low` to `high`; of the seed, the CPU and how often it was lost: not of what runs there.
int64_t drawn(int cpu, uint64_t which, int64_t low, int64_t high) {
  uint64_t random = scrambled(settings.seed * 0x9e3779b97f4a7c15 + scrambled(static_cast<uint64_t>(cpu) << 40 | which));
  return low + static_cast<int64_t>(static_cast<double>(random >> 11) * 0x1p-53 * static_cast<double>(high - low));
}

void draw_next_loss(int index) {
  Cpu& cpu = cpus[index];
  uint64_t which = 2 * cpu.losses++;
  cpu.loss_begin_ps = cpu.loss_end_ps + drawn(index, which, costs.preempt_every / 2, costs.preempt_every * 3 / 2);
  cpu.loss_end_ps = cpu.loss_begin_ps + drawn(index, which + 1, costs.preempt_least, costs.preempt_most);
}

bool may_use(const Fiber* fiber, int cpu) {
  return !fiber->time.bound || (fiber->time.mask[cpu / 8] >> cpu % 8 & 1) != 0;
}

bool core_is_idle(int cpu) {
  int first = core_of(cpu) * smt();
  for (int each = first; each < first + smt(); ++each)
    if (cpus[each].holder != 0) return false;
  return true;
}

// The best free CPU for the thread; -1: none. Its own before others, then those that are nobody's home, whole cores
// first.
int best_free(const Fiber* fiber) {
  int own = fiber->time.cpu;
  if (cpus[own].holder == 0 && may_use(fiber, own)) return own;
  int best = -1, best_rank = 0;
  for (int cpu = 0; cpu < cpu_count(); ++cpu) {
    if (cpus[cpu].holder != 0 || !may_use(fiber, cpu)) continue;
    int rank =
        cpus[cpu].homes * 4 + (core_is_idle(cpu) ? 0 : 2) + (chip_of(core_of(cpu)) == chip_of(core_of(own)) ? 0 : 1);
    if (best < 0 || rank < best_rank) best = cpu, best_rank = rank;
  }
  return best;
}

void move_home(Fiber* fiber, int to) {
  if (fiber->time.cpu == to) return;
  --cpus[fiber->time.cpu].homes;
  ++cpus[to].homes;
  fiber->time.cpu = to;
}

void hold(Fiber* fiber, int cpu) {
  FiberTime& time = fiber->time;
  move_home(fiber, cpu);
  cpus[cpu].holder = fiber->id + 1;
  time.since_ps = time.clock_ps;
  time.slice_end_ps = time.clock_ps + costs.slice;
}

// One that may run on other CPUs, too, makes room for the thread, which may not. Returns the CPU that is free now, or
// -1.
int make_room(const Fiber* fiber) {
  for (int cpu = 0; fiber->time.bound && cpu < cpu_count(); ++cpu) {
    if (cpus[cpu].holder == 0 || !may_use(fiber, cpu)) continue;
    Fiber* holder = &fibers[cpus[cpu].holder - 1];
    int to = best_free(holder);
    if (to < 0) continue;
    cpus[cpu].holder = 0;
    cpus[to].holder = holder->id + 1;
    move_home(holder, to);
    ++events.moves;
    return cpu;
  }
  return -1;
}

int64_t ran_by(const Fiber* fiber, int64_t now) {
  const FiberTime& time = fiber->time;
  return time.ran_ps + (now > time.since_ps ? now - time.since_ps : 0);
}

// The thread waits, and the one that has run longest where it might run gives way soon, if it has run much longer.
void stand_in_queue(Fiber* fiber) {
  events.oversubscribed = true;
  queue[queued++] = fiber;
  int64_t now = fiber->time.clock_ps;
  if (fiber->time.ran_ps < least_ran_ps - costs.slice) fiber->time.ran_ps = least_ran_ps - costs.slice;
  Fiber* longest = nullptr;
  for (int cpu = 0; cpu < cpu_count(); ++cpu) {
    if (cpus[cpu].holder == 0 || !may_use(fiber, cpu)) continue;
    Fiber* holder = &fibers[cpus[cpu].holder - 1];
    if (longest == nullptr || ran_by(holder, now) > ran_by(longest, now)) longest = holder;
  }
  if (longest != nullptr && ran_by(longest, now) > fiber->time.ran_ps + costs.slice / 4 &&
      longest->time.slice_end_ps > now)
    longest->time.slice_end_ps = now;
}

// The place in the queue of the one that has run least and may use the CPU; -1: none.
int next_for(int cpu) {
  int best = -1;
  for (int i = 0; i < queued; ++i)
    if (may_use(queue[i], cpu) && (best < 0 || queue[i]->time.ran_ps < queue[best]->time.ran_ps)) best = i;
  return best;
}

void leave(Fiber* fiber) {
  FiberTime& time = fiber->time;
  time.ran_ps = ran_by(fiber, time.clock_ps);
  cpus[time.cpu].holder = 0;
}

// The CPU goes to one in the queue.
void pass_on(int cpu, int64_t at_ps) {
  int index = next_for(cpu);
  if (index < 0) return;
  Fiber* next = queue[index];
  memmove(queue + index, queue + index + 1, static_cast<size_t>(--queued - index) * sizeof *queue);
  if (next->time.ran_ps > least_ran_ps) least_ran_ps = next->time.ran_ps;
  if (next->time.clock_ps < at_ps + costs.thread_switch) next->time.clock_ps = at_ps + costs.thread_switch;
  hold(next, cpu);
  begin_to_wait(next);
}

} // namespace

void begin_cpus() {
  uneven = smt() > 1 || (costs.slow_cores > 0 && costs.slow_speed != 1000);
  for (int cpu = 0; cpu < cpu_count(); ++cpu) {
    cpus[cpu].loss_begin_ps = cpus[cpu].loss_end_ps = INT64_MAX;
    if (costs.preempt_every == 0) continue;
    cpus[cpu].loss_end_ps = kStartNs * 1000 - costs.preempt_every / 2; // the first may come at any time
    draw_next_loss(cpu);
  }
}

int64_t at_speed_of(const Fiber* fiber, int64_t ps) {
  if (!uneven) return ps;
  int cpu = fiber->time.cpu, core = core_of(cpu);
  if (core % cores_per_chip >= cores_per_chip - costs.slow_cores) ps = ps * 1000 / costs.slow_speed;
  for (int each = core * smt(); each < (core + 1) * smt(); ++each) {
    if (each == cpu || cpus[each].holder == 0) continue;
    const FiberTime& sibling = fibers[cpus[each].holder - 1].time;
    // One that spins leaves the core to the other.
    constexpr int64_t kSpins = 1'000'000;
    if (fiber->time.clock_ps - sibling.paused_at_ps > kSpins) return ps * 1000 / costs.smt_share;
  }
  return ps;
}

void put_on_cpu(Fiber* fiber) {
  int home = 0;
  for (int cpu = 1; cpu < cpu_count(); ++cpu)
    if (cpus[cpu].homes < cpus[home].homes ||
        (cpus[cpu].homes == cpus[home].homes && smt() > 1 && core_is_idle(cpu) && !core_is_idle(home)))
      home = cpu;
  ++cpus[home].homes;
  fiber->time.cpu = home;
}

bool take_cpu(Fiber* fiber) {
  int cpu = best_free(fiber);
  if (cpu < 0) cpu = make_room(fiber);
  if (cpu < 0) {
    stand_in_queue(fiber);
    return false;
  }
  hold(fiber, cpu);
  return true;
}

void give_cpu(Fiber* fiber) {
  leave(fiber);
  pass_on(fiber->time.cpu, fiber->time.clock_ps);
}

void leave_machine(Fiber* fiber) {
  give_cpu(fiber);
  --cpus[fiber->time.cpu].homes;
}

bool give_way() {
  FiberTime& time = current->time;
  time.slice_end_ps = time.clock_ps + costs.slice;
  if (queued == 0 || next_for(time.cpu) < 0) return false;
  leave(current);
  pass_on(time.cpu, time.clock_ps);
  // Whoever has given way is not the next one because it ran little.
  if (time.ran_ps < least_ran_ps) time.ran_ps = least_ran_ps;
  return !take_cpu(current);
}

void lose_time() {
  FiberTime& time = current->time;
  for (Cpu& cpu = cpus[time.cpu]; cpu.loss_begin_ps <= time.clock_ps; draw_next_loss(time.cpu)) {
    // A thread that only computes comes here late; it has lost what passed since it got its CPU all the same.
    int64_t loss = cpu.loss_end_ps - (cpu.loss_begin_ps > time.since_ps ? cpu.loss_begin_ps : time.since_ps);
    if (loss <= 0) continue;
    if (loss > time.longest_loss_ps) time.longest_loss_ps = loss;
    time.lost_ps += loss;
    time.clock_ps += loss;
  }
}

int64_t next_loss_ps(const Fiber* fiber) { return cpus[fiber->time.cpu].loss_begin_ps; }

bool bind_to_mask(const unsigned char* mask, size_t bytes) {
  FiberTime& time = current->time;
  unsigned char allowed[sizeof time.mask] = {};
  bool any = false;
  for (int cpu = 0; cpu < cpu_count() && static_cast<size_t>(cpu / 8) < bytes; ++cpu) {
    if ((mask[cpu / 8] >> cpu % 8 & 1) == 0) continue;
    allowed[cpu / 8] = static_cast<unsigned char>(allowed[cpu / 8] | 1 << cpu % 8);
    any = true;
  }
  if (!any) return false;
  memcpy(time.mask, allowed, sizeof allowed);
  time.bound = true;
  if (may_use(current, time.cpu)) return false;
  ++events.moves;
  give_cpu(current);
  return !take_cpu(current);
}

void forget_other_threads() {
  queued = 0;
  for (int cpu = 0; cpu < cpu_count(); ++cpu) cpus[cpu].holder = cpus[cpu].homes = 0;
  put_on_cpu(current);
  hold(current, current->time.cpu);
}

} // namespace virtual_machine
