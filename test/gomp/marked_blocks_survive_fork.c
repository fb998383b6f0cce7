// A fork() or _Fork() while another thread marks or frees blocks: the child knows each block that was marked, and each
// only once.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s %library -o %t && %for-threads -t "1 2" %t
#include "support/children.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

void GOMP_add_alloc(void*);
bool GOMP_is_alloc(void*);
#pragma weak _Fork
pid_t _Fork(void); // calls no handlers

enum { kKept = 100, kPassing = 1000, kGrowing = 1 << 19, kForks = 60 };

static int stop;

// Nobody looks into the blocks, so any address serves. Those that are freed share their low 52 bits, so that they stand
// behind each other in the table and move when one goes.
static void* block(int number) { return (void*)((uintptr_t)(number + 1) << (number < kPassing ? 52 : 20)); }

static void* marks_and_frees(void* unused) {
  while (!ATOMIC_LOAD(stop)) {
    for (int i = kKept; i < kPassing; i++) GOMP_add_alloc(block(i));
    for (int i = kKept; i < kPassing; i++) CHECK(GOMP_is_alloc(block(i)));
  }
  return unused;
}

static void* marks_ever_more(void* unused) {
  for (int i = kPassing; i < kGrowing && !ATOMIC_LOAD(stop); i++) GOMP_add_alloc(block(i));
  return unused;
}

static pid_t fork_by(int handlers) {
  if (handlers || !_Fork) return fork_checked();
  pid_t child = _Fork();
  CHECK(child >= 0);
  return child;
}

static void forks_beside(void* (*work)(void*), int handlers) {
  pthread_t worker;
  ATOMIC_STORE(stop, 0);
  CHECK_EQ(pthread_create(&worker, NULL, work, NULL), 0);
  for (int round = 0; round < kForks; round++) {
    pid_t child = fork_by(handlers);
    if (child == 0) {
      alarm(20);
      for (int i = 0; i < kKept; i++) CHECK(GOMP_is_alloc(block(i)));
      for (int i = kKept; i < kPassing; i++) GOMP_is_alloc(block(i));
      for (int i = 0; i < kPassing; i++) CHECK(!GOMP_is_alloc(block(i)));
      _exit(7);
    }
    expect_status(child, 7);
  }
  ATOMIC_STORE(stop, 1);
  CHECK_EQ(pthread_join(worker, NULL), 0);
}

int main(void) {
  for (int i = 0; i < kKept; i++) GOMP_add_alloc(block(i));
  forks_beside(marks_and_frees, 1);
  forks_beside(marks_and_frees, 0);
  forks_beside(marks_ever_more, 1);
  return 0;
}
