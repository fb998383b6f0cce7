// Programs in pairs, of the kinds of faults that public race benchmarks distinguish: with RACY each has a fault, else
// none.
// `./program NAME` runs one of them, `./program all` one after the other; without a name it lists all. With -DONLY=NAME
// the program is that one. kinds.py judges them.
#pragma once
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef RACY
#define FAULT(...) __VA_ARGS__
#define CURE(...)
#else
#define FAULT(...)
#define CURE(...) __VA_ARGS__
#endif
#define OMP(...) PRAGMA(omp __VA_ARGS__)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

enum { kMost = 128 };
static struct {
  const char* called;
  long (*run)(void);
} programs[kMost];
static int program_count;

// A function that returns what its program prints.
#define PROGRAM(name)                                                                                                  \
  static long name(void);                                                                                              \
  __attribute__((constructor)) static void add_##name(void) {                                                          \
    programs[program_count].called = #name;                                                                            \
    programs[program_count++].run = name;                                                                              \
  }                                                                                                                    \
  static long name(void)

#ifdef ONLY
static long ONLY(void);
int main(void) { return printf("%ld\n", ONLY()) < 0; }
#else
int main(int count, char** words) {
  int all = count == 2 && strcmp(words[1], "all") == 0, done = 0;
  for (int i = 0; i < program_count; ++i)
    if (count < 2)
      done += puts(programs[i].called) >= 0;
    else if (all || strcmp(words[1], programs[i].called) == 0)
      done += printf("%ld\n", programs[i].run()) > 0;
  return done > 0 ? 0 : 2;
}
#endif

// What an array of a program adds up to; the compiler cannot know it before.
__attribute__((noinline, unused)) static long sum_of(const int* list, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += list[i];
  return sum;
}
