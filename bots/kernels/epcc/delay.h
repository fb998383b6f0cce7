// What the programs of this folder share: units of work of a fixed length, each of which leaves a value. A construct
// costs what a program takes beyond its units; the answer is right if each unit was done once.
#ifndef KERNELS_EPCC_DELAY_H
#define KERNELS_EPCC_DELAY_H

#include "common/benchmark.h"

/// The value of a unit, after `length` steps that depend on one another. It is never zero. Not inlined: else compilers
/// do the units of a plain loop side by side in vector registers, and those of tasks not.
__attribute__((noinline)) static uint64_t delay(int64_t unit, int64_t length) {
  uint64_t value = (uint64_t)unit;
  for (int64_t step = 0; step < length; step++) value = (value ^ value >> 29) * UINT64_C(6364136223846793005) + 1;
  return value | 1;
}

#endif
