// CHECK and DCHECK: what cannot happen. See log.h for the other two kinds of error.
#pragma once

#include "runtime/base/log.h"

#define CHOMP_LIKELY(x) __builtin_expect(!!(x), 1)
#define CHOMP_UNLIKELY(x) __builtin_expect(!!(x), 0)
/// For the out-of-line half of a hot function that is called in the middle of the hot half (a plain call at its end is
/// a jump, and needs nothing). The slow half saves every register that it uses, so that the hot half, which seldom
/// calls it, may keep its values in any of them. (Clang 16 would also save the register of the result, so that callers
/// got none. No Clang has the attribute for RISC-V.)
#if __clang_major__ >= 17 && !defined(__riscv)
#define CHOMP_SLOW __attribute__((noinline, cold, preserve_most))
#else
#define CHOMP_SLOW __attribute__((noinline, cold))
#endif
#define CHOMP_STRING_(x) #x
#define CHOMP_STRING(x) CHOMP_STRING_(x)

/// Always on, for cheap conditions that cannot be false unless chomp itself is wrong.
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (CHOMP_UNLIKELY(!(condition)))                                                                                  \
      ::chomp::fatal("internal error: %s at " __FILE_NAME__ ":" CHOMP_STRING(__LINE__), #condition);                   \
  } while (0)

/// On in debug-checks builds only (CHOMP_CHECKS).
#ifdef CHOMP_CHECKS
#define DCHECK(condition) CHECK(condition)
#else
#define DCHECK(condition) ((void)0)
#endif
