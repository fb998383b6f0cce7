// Objects of both compilers in one program: tasks made by the code of one depend on tasks made by that of the other, on
// the same addresses; groups and taskwaits of one wait for tasks of the other.
// REQUIRES: gomp
// RUN: %gcc-openmp -DBY_GCC -c %s -o %t.gcc.o && %clang-openmp -c %s -o %t.clang.o
// RUN: %clang-openmp %t.clang.o %t.gcc.o -o %t && %for-threads %t
#include "support/check.h"

enum { kCells = 16 };
extern long mixed_cells[kCells];

#ifdef BY_GCC
#define MINE(name) gcc_##name
long mixed_cells[kCells];
#else
#define MINE(name) clang_##name
#endif

void gcc_write(int i, long before, long after);
void clang_write(int i, long before, long after);
void gcc_read_all(long value);
void clang_read_all(long value);
long gcc_waited_for(int depth);
long clang_waited_for(int depth);
void gcc_leave(int depth, long* ran);
void clang_leave(int depth, long* ran);
void gcc_group(int depth);
void clang_group(int depth);

void MINE(write)(int i, long before, long after) {
#pragma omp task depend(inout : mixed_cells[i])
  {
    CHECK_EQ(mixed_cells[i], before);
    burn(20);
    mixed_cells[i] = after;
  }
}

void MINE(read_all)(long value) {
#pragma omp task depend(iterator(int i = 0 : kCells), in : mixed_cells[i])
  for (int i = 0; i < kCells; i++) CHECK_EQ(mixed_cells[i], value);
}

// Counts a tree of tasks, in variables of the tasks that wait.
long MINE(waited_for)(int depth) {
  long left = 0, right = 0;
  if (depth == 0) return 1;
#pragma omp task shared(left)
  left = gcc_waited_for(depth - 1);
#pragma omp task shared(right) untied
  right = clang_waited_for(depth - 1);
#pragma omp taskwait
  return left + right + 1;
}

// The tasks of a tree end before those that they make.
void MINE(leave)(int depth, long* ran) {
  burn(20);
  ATOMIC_ADD(*ran, 1);
  if (depth == 0) return;
#pragma omp task
  gcc_leave(depth - 1, ran);
#pragma omp task
  clang_leave(depth - 1, ran);
}

void MINE(group)(int depth) {
  long ran = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(ran)
    gcc_leave(depth, &ran);
#pragma omp task shared(ran) untied
    clang_leave(depth, &ran);
  }
  CHECK_EQ(ran, 2 * ((2 << depth) - 1));
}

#ifndef BY_GCC
int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(320); round++) {
    for (int i = 0; i < kCells; i++) {
      i % 2 ? gcc_write(i, round * 2L, round * 2 + 1) : clang_write(i, round * 2L, round * 2 + 1);
      i % 2 ? clang_write(i, round * 2 + 1, round * 2 + 2) : gcc_write(i, round * 2 + 1, round * 2 + 2);
    }
    gcc_read_all(round * 2 + 2);
    clang_read_all(round * 2 + 2);
    CHECK_EQ(gcc_waited_for(3), 15);
    CHECK_EQ(clang_waited_for(3), 15);
    gcc_group(2);
    clang_group(2);
  }
  return 0;
}
#endif
