// The time stamp counter, read so that what is measured stays between two readings; and where threads run.
#pragma once

#include <cstdint>

#include <sched.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace queues {

/// Cycles of the counter, which ticks at a fixed rate of its own. rdtscp waits for what came before it; the fence keeps
/// what comes after it behind it.
inline uint64_t cycles() {
#if defined(__x86_64__)
  unsigned processor;
  uint64_t now = __rdtscp(&processor);
  _mm_lfence();
  return now;
#elif defined(__aarch64__)
  uint64_t now;
  asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(now)::"memory");
  return now;
#else
#error "no cycle counter known for this machine"
#endif
}

/// Binds the calling thread to one of the process's CPUs, the `index`-th; false if it has not so many.
inline bool pin_to_cpu(int index) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || index-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
  }
  return false;
}

} // namespace queues
