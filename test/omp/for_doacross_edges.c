// A doacross loop ignores waits for iterations beyond either edge of any dimension (OpenMP 5.2, 15.9.6), and waits for
// those at the edge. Clang says how many iterations a dimension has where other compilers name the last one, which here
// the program's own calls do. libomp 19 waits for ever.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: env OMP_SCHEDULE=dynamic,2 %for-threads -t "2 8" %t
#include "support/check.h"
#include <stdint.h>
#include <string.h>

enum { kRows = 9, kColumns = 7 };
static int value[kRows + 2][kColumns + 2];

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// Each iteration is one more than the larger of the two that it waits for. The margins stay zero.
static void compute(int i, int j) {
  int left = value[i][j - 1], above = value[i - 1][j + 1];
  value[i][j] = (left > above ? left : above) + 1;
}
static void check_and_clear(void) {
  for (int i = 1; i <= kRows; i++)
    for (int j = 1; j <= kColumns; j++) CHECK_EQ(value[i][j], 2 * (i - 1) + j);
  memset(value, 0, sizeof value);
}

#define FORWARDS(Type, clauses)                                                                                        \
  PRAGMA(omp parallel for clauses)                                                                                     \
  for (Type i = 1; i <= kRows; i++)                                                                                    \
    for (Type j = 1; j <= kColumns; j++) {                                                                             \
      _Pragma("omp ordered depend(sink : i, j - 1) depend(sink : i - 1, j + 1)") compute((int)i, (int)j);              \
      _Pragma("omp ordered depend(source)")                                                                            \
    }                                                                                                                  \
  check_and_clear()

// The same with loop variables that fall, or grow by three.
#define STEPPING(clauses)                                                                                              \
  PRAGMA(omp parallel for clauses)                                                                                     \
  for (int i = kRows; i >= 1; i--)                                                                                     \
    for (int j = 3; j <= 3 * kColumns; j += 3) {                                                                       \
      _Pragma("omp ordered depend(sink : i, j - 3) depend(sink : i + 1, j + 3)") compute(kRows + 1 - i, j / 3);        \
      _Pragma("omp ordered depend(source)")                                                                            \
    }                                                                                                                  \
  check_and_clear()

static void three_dimensions(void) {
  static int sum[5][5][5];
#pragma omp parallel for ordered(3) schedule(static, 1)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++) {
#pragma omp ordered depend(sink : i - 1, j + 1, k + 1) depend(sink : i, j - 1, k + 2) depend(sink : i, j, k - 1)
        int before = i > 0 && j < 3 && k < 3 ? sum[i - 1][j + 1][k + 1] : 0;
        before += j > 0 && k < 2 ? sum[i][j - 1][k + 2] : 0;
        sum[i][j][k] = before + (k > 0 ? sum[i][j][k - 1] : 0) + 1;
#pragma omp ordered depend(source)
      }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++)
        CHECK_EQ(sum[i][j][k], 1 + (i > 0 && j < 3 && k < 3 ? sum[i - 1][j + 1][k + 1] : 0) +
                                   (j > 0 && k < 2 ? sum[i][j - 1][k + 2] : 0) + (k > 0 ? sum[i][j][k - 1] : 0));
  memset(sum, 0, sizeof sum);
}

// So few iterations that the number of the collapsed loops could be explained with bounds that are reached, too.
static void few(int rows, int columns, int layers) {
  int all = 0, first = 0;
#pragma omp parallel for ordered(3) collapse(3) schedule(dynamic) reduction(+ : all)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int k = 0; k < layers; k++) {
#pragma omp ordered depend(sink : i, j - 1, k + 1)
        all++;
#pragma omp ordered depend(source)
      }
#pragma omp parallel for ordered(3) collapse(2) schedule(static, 1) reduction(+ : first)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++)
      for (int k = 0; k < layers; k++) {
#pragma omp ordered depend(sink : i - 1, j + 1, k)
        first++;
#pragma omp ordered depend(source)
      }
  CHECK_EQ(all, rows * columns * layers);
  CHECK_EQ(first, all);
}

// Of inner loops without iterations Clang passes any number.
#define NO_INNER(Type, rows, step)                                                                                     \
  PRAGMA(omp parallel for ordered(2) reduction(+ : ran))                                                               \
  for (Type i = 0; i < rows; i++)                                                                                      \
    for (Type j = end + 7; j < end; j += step) {                                                                       \
      _Pragma("omp ordered depend(sink : i - 1, j)") ran++;                                                            \
      _Pragma("omp ordered depend(source)")                                                                            \
    }

static void inner_loops_without_iterations(int end) {
  int ran = 0;
  NO_INNER(int, 1000, 1)
  NO_INNER(int, 1000, 2)
  NO_INNER(unsigned, 1000, 2)
  NO_INNER(long, 3, 1)
  NO_INNER(long, 3, 2)
  NO_INNER(unsigned long, 1000, 3)
  CHECK_EQ(ran, 0);
}

typedef struct {
  int64_t first, last, step;
} Dimension;
extern void __kmpc_doacross_init(void*, int, int, const Dimension*);
extern void __kmpc_doacross_wait(void*, int, const int64_t*);
extern void __kmpc_doacross_post(void*, int, const int64_t*);
extern void __kmpc_doacross_fini(void*, int);
extern int __kmpc_global_thread_num(void*);

static void iteration(int thread, int i) {
  for (int j = 1; j <= kColumns; j++) {
    int64_t left[2] = {i - 1, j - 2}, above[2] = {i - 2, j}, own[2] = {i - 1, j - 1};
    __kmpc_doacross_wait(0, thread, left);
    __kmpc_doacross_wait(0, thread, above);
    compute(i, j);
    __kmpc_doacross_post(0, thread, own);
  }
}

#define BOUNDS_THAT_ARE_REACHED(schedule)                                                                              \
  PRAGMA(omp parallel) {                                                                                               \
    int thread = __kmpc_global_thread_num(0);                                                                          \
    __kmpc_doacross_init(0, thread, 2, (Dimension[2]){{0, kRows - 1, 1}, {0, kColumns - 1, 1}});                       \
    PRAGMA(omp for nowait schedule)                                                                                    \
    for (int i = 1; i <= kRows; i++) iteration(thread, i);                                                             \
    __kmpc_doacross_fini(0, thread);                                                                                   \
  }                                                                                                                    \
  check_and_clear()

int main(void) {
  for (int round = 0; round < SCALED(60); round++) {
    FORWARDS(int, ordered(2));
    FORWARDS(unsigned, ordered(2) schedule(static, 1));
    FORWARDS(long long, ordered(2) schedule(dynamic));
    FORWARDS(unsigned long long, ordered(2) schedule(guided));
    FORWARDS(int, ordered(2) schedule(runtime));
    FORWARDS(int, ordered(2) collapse(2) schedule(static, 1));
    FORWARDS(long, ordered(2) collapse(2) schedule(dynamic, 2));
    STEPPING(ordered(2) schedule(static, 1));
    STEPPING(ordered(2) schedule(dynamic));
    three_dimensions();
    if (round % 10 == 0)
      for (int n = 0; n < 64; n++) inner_loops_without_iterations(n % 2), few(1 + n % 4, 1 + n / 4 % 4, 1 + n / 16);
    BOUNDS_THAT_ARE_REACHED(schedule(static, 1));
    BOUNDS_THAT_ARE_REACHED(schedule(monotonic : dynamic));
  }
  return 0;
}
