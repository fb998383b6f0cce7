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
void gcc_children(int depth);
void clang_children(int depth);

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

static long nodes;

void MINE(children)(int depth) {
  ATOMIC_ADD(nodes, 1);
  if (depth == 0) return;
#pragma omp taskgroup
  {
#pragma omp task
    gcc_children(depth - 1);
#pragma omp task untied
    clang_children(depth - 1);
  }
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
    gcc_children(3);
  }
  return 0;
}
#endif
