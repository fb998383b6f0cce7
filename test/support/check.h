// What every test program uses: CHECK, which can fail, and a few facts about the run.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Prints the expression and ends the process with status 1, from any thread. _exit: a failed test must not hang in
/// exit handlers.
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: CHECK failed: %s\n", __FILE__, __LINE__, #condition);                                    \
      fflush(stderr);                                                                                                  \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

/// Does what CHECK(actual == expected) does, for integers, and prints both.
#define CHECK_EQ(actual, expected)                                                                                     \
  do {                                                                                                                 \
    long long actual_ = (long long)(actual), expected_ = (long long)(expected);                                        \
    if (actual_ != expected_) {                                                                                        \
      fprintf(stderr, "%s:%d: CHECK failed: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, #actual, actual_,        \
              #expected, expected_);                                                                                   \
      fflush(stderr);                                                                                                  \
      _exit(1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

/// A size for the run at hand: sanitizers make programs ten times slower.
#ifdef CHOMP_SANITIZED
#define SCALED(n) ((n) / 16 > 0 ? (n) / 16 : 1)
#else
#define SCALED(n) (n)
#endif

/// CHOMP_STRESS multiplies the rounds of the stress tests.
static inline int stress_factor(void) {
  const char* text = getenv("CHOMP_STRESS");
  int factor = text ? atoi(text) : 1;
  return factor > 0 ? factor : 1;
}

/// Keeps the compiler from removing work, and gives other threads time to steal.
static inline void burn(int rounds) {
  for (volatile int i = 0; i < rounds; i = i + 1) {
  }
}

/// Waits, with no task scheduling point, for something another thread does.
#define SPIN_UNTIL(condition)                                                                                          \
  do {                                                                                                                 \
    while (!(condition)) sched_yield();                                                                                \
  } while (0)

#define ATOMIC_ADD(variable, value) ((void)__atomic_fetch_add(&(variable), (value), __ATOMIC_RELAXED))
#define ATOMIC_LOAD(variable) __atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#define ATOMIC_STORE(variable, value) __atomic_store_n(&(variable), (value), __ATOMIC_RELEASE)
