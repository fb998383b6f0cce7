// What the programs with planted faults share: work of a known size, and a table of programs.
#pragma once

#include <omp.h>
#include <stdio.h>
#include <string.h>

// About so many microseconds on a CPU of its own: turns are counted, not time, so that a busy machine takes none away.
static inline void compute_us(double us) {
  for (long i = 0, turns = (long)(us * 2500); i < turns; ++i) __asm__ volatile("" : "+r"(i));
}
static inline void compute_ms(double ms) { compute_us(1000 * ms); }

void add_program(const char* name, void (*run)(void));

// PROGRAM(name) { … }: one program. Where its fault is, the line ends in a comment that is its name.
#define PROGRAM(name)                                                                                                  \
  static void name(void);                                                                                              \
  __attribute__((constructor)) static void add_##name(void) { add_program(#name, name); }                              \
  static void name(void)
