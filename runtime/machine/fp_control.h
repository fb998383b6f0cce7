// What the program has set in the floating-point unit of a thread: rounding, flushing to zero, which exceptions trap. A
// region's threads take over what its primary has (as libomp does; KMP_INHERIT_FP_CONTROL).
#pragma once

#include <cstdint>

namespace chomp {

/// What is set on the calling thread; never 0. Some 10 cycles.
inline uint32_t fp_control_now() {
#if defined(__x86_64__)
  uint32_t sse;
  uint16_t x87;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87));
  constexpr uint32_t kStatus = 0x3f; // flags of exceptions that have happened
  return (sse & 0xffff & ~kStatus) << 16 | x87;
#elif defined(__aarch64__)
  uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<uint32_t>(control) | 1; // bit 0 is reserved, and 0
#elif defined(__riscv)
  uint64_t rounding; // nothing traps, and nothing is flushed to zero
  asm volatile("frrm %0" : "=r"(rounding));
  return static_cast<uint32_t>(rounding) | 8;
#else
  return 1;
#endif
}

/// Sets what fp_control_now() returned on some thread.
inline void fp_control_set(uint32_t control) {
#if defined(__x86_64__)
  uint32_t sse;
  auto x87 = static_cast<uint16_t>(control);
  asm volatile("stmxcsr %0" : "=m"(sse));
  sse = (sse & (0xffff0000 | 0x3f)) | control >> 16;
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(sse), "m"(x87));
#elif defined(__aarch64__)
  uint64_t wanted = control & ~uint32_t{1};
  asm volatile("msr fpcr, %0" : : "r"(wanted));
#elif defined(__riscv)
  asm volatile("fsrm %0" : : "r"(uint64_t{control & 7}));
#else
  (void)control;
#endif
}

/// The same, but only if it is not set already: writing takes far longer than looking. 0: does nothing.
inline void fp_control_follow(uint32_t control) {
  if (__builtin_expect(control != fp_control_now(), 0) && control != 0) fp_control_set(control);
}

} // namespace chomp
