// Every __kmpc_atomic_ entry point combines, captures and returns what its name says, and no update is lost.
// RUN: %clang-openmp %s -o %t -lm -lpthread && %chomp-run %t
#include "support/at_a_time.h"
#include <complex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define EXPECT(condition, name)                                                                                        \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("%s: line %d: %s\n", name, __LINE__, #condition);                                                         \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

typedef float complex cmplx4;
typedef double complex cmplx8;
typedef long double complex cmplx10;

// x op= e, and the two captures. `expected` is in terms of a (x before) and b (e).
#define UPDATE(id, T, op, a_, b_, expected)                                                                            \
  void __kmpc_atomic_##id##_##op(void*, int, T*, T);                                                                   \
  T __kmpc_atomic_##id##_##op##_cpt(void*, int, T*, T, int);                                                           \
  static void test_##id##_##op(void) {                                                                                 \
    const T a = (a_), b = (b_), after = (T)(expected);                                                                 \
    T x = a;                                                                                                           \
    __kmpc_atomic_##id##_##op(0, 0, &x, b);                                                                            \
    EXPECT(x == after, #id "_" #op);                                                                                   \
    x = a;                                                                                                             \
    EXPECT(__kmpc_atomic_##id##_##op##_cpt(0, 0, &x, b, 0) == a && x == after, #id "_" #op "_cpt old");                \
    x = a;                                                                                                             \
    EXPECT(__kmpc_atomic_##id##_##op##_cpt(0, 0, &x, b, 1) == after && x == after, #id "_" #op "_cpt new");            \
  }

// x = e op x.
#define REVERSED(id, T, op, a_, b_, expected)                                                                          \
  void __kmpc_atomic_##id##_##op##_rev(void*, int, T*, T);                                                             \
  T __kmpc_atomic_##id##_##op##_cpt_rev(void*, int, T*, T, int);                                                       \
  static void test_##id##_##op##_rev(void) {                                                                           \
    const T a = (a_), b = (b_), after = (T)(expected);                                                                 \
    T x = a;                                                                                                           \
    __kmpc_atomic_##id##_##op##_rev(0, 0, &x, b);                                                                      \
    EXPECT(x == after, #id "_" #op "_rev");                                                                            \
    x = a;                                                                                                             \
    EXPECT(__kmpc_atomic_##id##_##op##_cpt_rev(0, 0, &x, b, 0) == a && x == after, #id "_" #op "_cpt_rev old");        \
    x = a;                                                                                                             \
    EXPECT(__kmpc_atomic_##id##_##op##_cpt_rev(0, 0, &x, b, 1) == after && x == after, #id "_" #op "_cpt_rev new");    \
  }

// cmplx4 captures through a pointer.
#define UPDATE_OUT(op, a_, b_, expected)                                                                               \
  void __kmpc_atomic_cmplx4_##op(void*, int, cmplx4*, cmplx4);                                                         \
  void __kmpc_atomic_cmplx4_##op##_cpt(void*, int, cmplx4*, cmplx4, cmplx4*, int);                                     \
  static void test_cmplx4_##op(void) {                                                                                 \
    const cmplx4 a = (a_), b = (b_), after = (expected);                                                               \
    cmplx4 x = a, out = 0;                                                                                             \
    __kmpc_atomic_cmplx4_##op(0, 0, &x, b);                                                                            \
    EXPECT(x == after, "cmplx4_" #op);                                                                                 \
    x = a;                                                                                                             \
    __kmpc_atomic_cmplx4_##op##_cpt(0, 0, &x, b, &out, 0);                                                             \
    EXPECT(out == a && x == after, "cmplx4_" #op "_cpt old");                                                          \
    x = a;                                                                                                             \
    __kmpc_atomic_cmplx4_##op##_cpt(0, 0, &x, b, &out, 1);                                                             \
    EXPECT(out == after && x == after, "cmplx4_" #op "_cpt new");                                                      \
  }

#define REVERSED_OUT(op, a_, b_, expected)                                                                             \
  void __kmpc_atomic_cmplx4_##op##_rev(void*, int, cmplx4*, cmplx4);                                                   \
  void __kmpc_atomic_cmplx4_##op##_cpt_rev(void*, int, cmplx4*, cmplx4, cmplx4*, int);                                 \
  static void test_cmplx4_##op##_rev(void) {                                                                           \
    const cmplx4 a = (a_), b = (b_), after = (expected);                                                               \
    cmplx4 x = a, out = 0;                                                                                             \
    __kmpc_atomic_cmplx4_##op##_rev(0, 0, &x, b);                                                                      \
    EXPECT(x == after, "cmplx4_" #op "_rev");                                                                          \
    x = a;                                                                                                             \
    __kmpc_atomic_cmplx4_##op##_cpt_rev(0, 0, &x, b, &out, 0);                                                         \
    EXPECT(out == a && x == after, "cmplx4_" #op "_cpt_rev old");                                                      \
    x = a;                                                                                                             \
    __kmpc_atomic_cmplx4_##op##_cpt_rev(0, 0, &x, b, &out, 1);                                                         \
    EXPECT(out == after && x == after, "cmplx4_" #op "_cpt_rev new");                                                  \
  }

#define MIXED(id, T, op, other, E, a_, b_, expected)                                                                   \
  void __kmpc_atomic_##id##_##op##_##other(void*, int, T*, E);                                                         \
  static void test_##id##_##op##_##other(void) {                                                                       \
    const T a = (a_);                                                                                                  \
    const E b = (b_);                                                                                                  \
    T x = a;                                                                                                           \
    __kmpc_atomic_##id##_##op##_##other(0, 0, &x, b);                                                                  \
    EXPECT(x == (T)(expected), #id "_" #op "_" #other);                                                                \
  }

#define READ_WRITE(id, T, a_, b_)                                                                                      \
  T __kmpc_atomic_##id##_rd(void*, int, T*);                                                                           \
  void __kmpc_atomic_##id##_wr(void*, int, T*, T);                                                                     \
  static void test_##id##_read_write(void) {                                                                           \
    T x = (a_);                                                                                                        \
    EXPECT(__kmpc_atomic_##id##_rd(0, 0, &x) == (T)(a_), #id "_rd");                                                   \
    __kmpc_atomic_##id##_wr(0, 0, &x, (b_));                                                                           \
    EXPECT(x == (T)(b_), #id "_wr");                                                                                   \
  }

#define SWAP(id, T, a_, b_)                                                                                            \
  T __kmpc_atomic_##id##_swp(void*, int, T*, T);                                                                       \
  static void test_##id##_swap(void) {                                                                                 \
    T x = (a_);                                                                                                        \
    EXPECT(__kmpc_atomic_##id##_swp(0, 0, &x, (b_)) == (T)(a_) && x == (T)(b_), #id "_swp");                           \
  }

#define COMPARE(size, T)                                                                                               \
  bool __kmpc_atomic_bool_##size##_cas(void*, int, T*, T, T);                                                          \
  T __kmpc_atomic_val_##size##_cas(void*, int, T*, T, T);                                                              \
  bool __kmpc_atomic_bool_##size##_cas_cpt(void*, int, T*, T, T, T*);                                                  \
  T __kmpc_atomic_val_##size##_cas_cpt(void*, int, T*, T, T, T*);                                                      \
  static void test_compare_##size(void) {                                                                              \
    T x = 5, v = 99;                                                                                                   \
    EXPECT(!__kmpc_atomic_bool_##size##_cas(0, 0, &x, 4, 6) && x == 5, "bool_" #size "_cas differs");                  \
    EXPECT(__kmpc_atomic_bool_##size##_cas(0, 0, &x, 5, 6) && x == 6, "bool_" #size "_cas equal");                     \
    EXPECT(__kmpc_atomic_val_##size##_cas(0, 0, &x, 5, 7) == 6 && x == 6, "val_" #size "_cas differs");                \
    EXPECT(__kmpc_atomic_val_##size##_cas(0, 0, &x, 6, 7) == 6 && x == 7, "val_" #size "_cas equal");                  \
    EXPECT(__kmpc_atomic_bool_##size##_cas_cpt(0, 0, &x, 7, 8, &v) && x == 8 && v == 99, "bool_" #size "_cas_cpt");    \
    EXPECT(!__kmpc_atomic_bool_##size##_cas_cpt(0, 0, &x, 7, 9, &v) && x == 8 && v == 8, "bool_" #size "_cas_cpt");    \
    EXPECT(__kmpc_atomic_val_##size##_cas_cpt(0, 0, &x, 7, 9, &v) == 8 && v == 8 && x == 8, "val_" #size "_cas_cpt");  \
    EXPECT(__kmpc_atomic_val_##size##_cas_cpt(0, 0, &x, 8, 9, &v) == 8 && v == 9 && x == 9, "val_" #size "_cas_cpt");  \
  }

// The same operands for every operation of a family; `M` is said for each of its members, first to define, then to
// call.
#define CALL_UPDATE(id, T, op, a, b, expected) test_##id##_##op();
#define CALL_REVERSED(id, T, op, a, b, expected) test_##id##_##op##_rev();
#define CALL_UPDATE_OUT(op, a, b, expected) test_cmplx4_##op();
#define CALL_REVERSED_OUT(op, a, b, expected) test_cmplx4_##op##_rev();
#define CALL_MIXED(id, T, op, other, E, a, b, expected) test_##id##_##op##_##other();
#define CALL_READ_WRITE(id, T, a, b) test_##id##_read_write();
#define CALL_SWAP(id, T, a, b) test_##id##_swap();
#define CALL_COMPARE(size, T) test_compare_##size();

#define FIXED(U, R, M, W, S, C, size, T, UT)                                                                           \
  U(fixed##size, T, add, 100, 20, a + b)                                                                               \
  U(fixed##size, T, sub, -100, 20, a - b)                                                                              \
  U(fixed##size, T, mul, -13, 7, a* b)                                                                                 \
  U(fixed##size, T, div, -100, 7, a / b)                                                                               \
  U(fixed##size, T, andb, 0x5c, 0x36, a& b)                                                                            \
  U(fixed##size, T, orb, 0x5c, 0x36, a | b)                                                                            \
  U(fixed##size, T, xor, 0x5c, 0x36, a ^ b)                                                                            \
  U(fixed##size, T, shl, 5, 3, a << b)                                                                                 \
  U(fixed##size, T, shr, -100, 3, a >> b)                                                                              \
  U(fixed##size, T, andl, 4, 2, a&& b)                                                                                 \
  U(fixed##size, T, orl, 0, 2, a || b)                                                                                 \
  U(fixed##size, T, max, -4, 3, b)                                                                                     \
  U(fixed##size, T, min, -4, 3, a)                                                                                     \
  U(fixed##size, T, neqv, 0x5c, 0x36, a ^ b)                                                                           \
  U(fixed##size, T, eqv, 0x5c, 0x36, ~(a ^ b))                                                                         \
  R(fixed##size, T, sub, 20, 100, b - a)                                                                               \
  R(fixed##size, T, div, 7, -100, b / a)                                                                               \
  R(fixed##size, T, shl, 3, 5, b << a)                                                                                 \
  R(fixed##size, T, shr, 3, -100, b >> a)                                                                              \
  U(fixed##size##u, UT, div, -1, 3, a / b)                                                                             \
  U(fixed##size##u, UT, shr, -1, 3, a >> b)                                                                            \
  R(fixed##size##u, UT, div, 3, -1, b / a)                                                                             \
  R(fixed##size##u, UT, shr, 3, -1, b >> a)                                                                            \
  W(fixed##size, T, -77, 66)                                                                                           \
  S(fixed##size, T, -77, 66)                                                                                           \
  C(size, T)                                                                                                           \
  M(fixed##size, T, mul, float8, double, 10, 2.75, a* b)                                                               \
  M(fixed##size, T, div, float8, double, 100, 2.5, a / b)

#define REAL(U, R, W, S, size, T)                                                                                      \
  U(float##size, T, add, 1.5, 2.25, a + b)                                                                             \
  U(float##size, T, sub, 1.5, 2.25, a - b)                                                                             \
  U(float##size, T, mul, 1.5, 2.25, a* b)                                                                              \
  U(float##size, T, div, 1.5, 2.25, a / b)                                                                             \
  U(float##size, T, max, 1.5, 2.25, b)                                                                                 \
  U(float##size, T, min, 1.5, 2.25, a)                                                                                 \
  R(float##size, T, sub, 1.5, 2.25, b - a)                                                                             \
  R(float##size, T, div, 1.5, 2.25, b / a)                                                                             \
  W(float##size, T, 1.5, -3.25)                                                                                        \
  S(float##size, T, 1.5, -3.25)

#define COMPLEX(U, R, W, S, size, T)                                                                                   \
  U(cmplx##size, T, add, 1 + 2 * I, 3 - 4 * I, a + b)                                                                  \
  U(cmplx##size, T, sub, 1 + 2 * I, 3 - 4 * I, a - b)                                                                  \
  U(cmplx##size, T, mul, 1 + 2 * I, 3 - 4 * I, a * b)                                                                  \
  U(cmplx##size, T, div, 1 + 2 * I, 3 - 4 * I, a / b)                                                                  \
  R(cmplx##size, T, sub, 1 + 2 * I, 3 - 4 * I, b - a)                                                                  \
  R(cmplx##size, T, div, 1 + 2 * I, 3 - 4 * I, b / a)                                                                  \
  W(cmplx##size, T, 1 + 2 * I, 5 * I)                                                                                  \
  S(cmplx##size, T, 1 + 2 * I, 5 * I)

#define COMPLEX4(U, R, W)                                                                                              \
  U(add, 1 + 2 * I, 3 - 4 * I, a + b)                                                                                  \
  U(sub, 1 + 2 * I, 3 - 4 * I, a - b)                                                                                  \
  U(mul, 1 + 2 * I, 3 - 4 * I, a * b)                                                                                  \
  U(div, 1 + 2 * I, 3 - 4 * I, a / b)                                                                                  \
  R(sub, 1 + 2 * I, 3 - 4 * I, b - a)                                                                                  \
  R(div, 1 + 2 * I, 3 - 4 * I, b / a)                                                                                  \
  W(cmplx4, cmplx4, 1 + 2 * I, 5 * I)

#define MIXED_REAL(M, id, T, other, E, a_, b_)                                                                         \
  M(id, T, add, other, E, a_, b_, a + b)                                                                               \
  M(id, T, sub, other, E, a_, b_, a - b)                                                                               \
  M(id, T, mul, other, E, a_, b_, a* b)                                                                                \
  M(id, T, div, other, E, a_, b_, a / b)

#define EVERYTHING(U, R, UO, RO, M, W, S, C)                                                                           \
  FIXED(U, R, M, W, S, C, 1, int8_t, uint8_t)                                                                          \
  FIXED(U, R, M, W, S, C, 2, int16_t, uint16_t)                                                                        \
  FIXED(U, R, M, W, S, C, 4, int32_t, uint32_t)                                                                        \
  FIXED(U, R, M, W, S, C, 8, int64_t, uint64_t)                                                                        \
  REAL(U, R, W, S, 4, float)                                                                                           \
  REAL(U, R, W, S, 8, double)                                                                                          \
  REAL(U, R, W, S, 10, long double)                                                                                    \
  COMPLEX4(UO, RO, W)                                                                                                  \
  COMPLEX(U, R, W, S, 8, cmplx8)                                                                                       \
  COMPLEX(U, R, W, S, 10, cmplx10)                                                                                     \
  MIXED_REAL(M, float4, float, float8, double, 1.5, 0.1)                                                               \
  MIXED_REAL(M, cmplx4, cmplx4, cmplx8, cmplx8, 1 + 2 * I, 0.1 - 4 * I)

EVERYTHING(UPDATE, REVERSED, UPDATE_OUT, REVERSED_OUT, MIXED, READ_WRITE, SWAP, COMPARE)

// ---- The generic ones: an update function passed by the compiler --------------------------------------------------

typedef void (*combine)(void*, void*, void*);
#define GENERIC(size) void __kmpc_atomic_##size(void*, int, void*, void*, combine);
GENERIC(1)
GENERIC(2)
GENERIC(4)
GENERIC(8)
GENERIC(10)
GENERIC(16)
GENERIC(20)
GENERIC(32)
void __kmpc_atomic_start(void);
void __kmpc_atomic_end(void);
void __kmpc_atomic_cmplx4_swp(void*, int, cmplx4*, cmplx4, cmplx4*);

struct quad {
  double part[4];
};

#define COMBINE(name, T)                                                                                               \
  static void name(void* out, void* a, void* b) { *(T*)out = *(T*)a + *(T*)b; }
COMBINE(combine1, uint8_t)
COMBINE(combine2, uint16_t)
COMBINE(combine4, uint32_t)
COMBINE(combine8, double)
COMBINE(combine10, long double)
COMBINE(combine16, cmplx8)
COMBINE(combine20, cmplx10)
static void combine32(void* out, void* a, void* b) {
  for (int i = 0; i < 4; i++) ((struct quad*)out)->part[i] = ((struct quad*)a)->part[i] + ((struct quad*)b)->part[i];
}

// ---- Nothing is lost between threads ------------------------------------------------------------------------------

enum { kThreads = 4, kRounds = 20000 };
static struct {
  uint8_t u1;
  uint16_t u2;
  uint32_t u4;
  double g8;
  long double g10;
  cmplx8 g16;
  cmplx10 g20;
  struct quad g32;
  int32_t fixed4;
  double float8;
  long double float10;
  cmplx4 c4;
  cmplx8 c8;
  long plain, careless;
  char pad;
  struct __attribute__((packed)) {
    char shift;
    int64_t misaligned;
  } p;
} shared;

static void* add_ones(void* unused) {
  uint8_t one1 = 1;
  uint16_t one2 = 1;
  uint32_t one4 = 1;
  double one8 = 1;
  long double one10 = 1;
  cmplx8 one16 = 1 - I;
  cmplx10 one20 = 1 - I;
  struct quad one32 = {{1, 2, 3, 4}};
  for (int i = 0; i < kRounds; i++) {
    __kmpc_atomic_1(0, 0, &shared.u1, &one1, combine1);
    __kmpc_atomic_2(0, 0, &shared.u2, &one2, combine2);
    __kmpc_atomic_4(0, 0, &shared.u4, &one4, combine4);
    __kmpc_atomic_8(0, 0, &shared.g8, &one8, combine8);
    __kmpc_atomic_10(0, 0, &shared.g10, &one10, combine10);
    __kmpc_atomic_16(0, 0, &shared.g16, &one16, combine16);
    __kmpc_atomic_20(0, 0, &shared.g20, &one20, combine20);
    __kmpc_atomic_32(0, 0, &shared.g32, &one32, combine32);
    __kmpc_atomic_fixed4_add(0, 0, &shared.fixed4, 1);
    __kmpc_atomic_float8_add(0, 0, &shared.float8, 1);
    __kmpc_atomic_cmplx4_add(0, 0, &shared.c4, 1 + I);
    __kmpc_atomic_cmplx8_add(0, 0, &shared.c8, 1 + I);
    __kmpc_atomic_fixed8_add(0, 0, (int64_t*)((char*)&shared.p + 1), 1);
    __kmpc_atomic_float10_add(0, 0, &shared.float10, 1);
    // The bracket excludes the updates of what no instruction can update: GCC's code relies on it.
    __kmpc_atomic_start();
    shared.plain++;
    shared.float10++;
    __kmpc_atomic_end();
    add_carelessly(&shared.careless);
  }
  return unused;
}

int main(void) {
  EVERYTHING(CALL_UPDATE, CALL_REVERSED, CALL_UPDATE_OUT, CALL_REVERSED_OUT, CALL_MIXED, CALL_READ_WRITE, CALL_SWAP,
             CALL_COMPARE)

  cmplx4 x = 1 + 2 * I, out = 0;
  __kmpc_atomic_cmplx4_swp(0, 0, &x, 3 * I, &out);
  EXPECT(x == 3 * I && out == 1 + 2 * I, "cmplx4_swp");

  int32_t big = INT32_MAX;
  __kmpc_atomic_fixed4_add(0, 0, &big, 1);
  EXPECT(big == INT32_MIN, "fixed4_add wraps around");

  pthread_t threads[kThreads];
  int n = 0, tries = 0;
  do {
    for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, add_ones, 0);
    for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
    n += kThreads * kRounds;
  } while (have_to_run_at_a_time(n, shared.careless, kThreads, &tries));
  EXPECT(shared.u1 == (uint8_t)n, "1");
  EXPECT(shared.u2 == (uint16_t)n, "2");
  EXPECT(shared.u4 == (uint32_t)n, "4");
  EXPECT(shared.g8 == n, "8");
  EXPECT(shared.g10 == n, "10");
  EXPECT(shared.g16 == n - n * I, "16");
  EXPECT(shared.g20 == n - n * I, "20");
  EXPECT(shared.g32.part[0] == n && shared.g32.part[3] == 4.0 * n, "32");
  EXPECT(shared.fixed4 == n, "fixed4");
  EXPECT(shared.float8 == n, "float8");
  EXPECT(shared.c4 == n + n * I, "cmplx4");
  EXPECT(shared.c8 == n + n * I, "cmplx8");
  EXPECT(shared.p.misaligned == n, "misaligned fixed8");
  EXPECT(shared.plain == n, "start and end");
  EXPECT(shared.float10 == 2 * n, "float10 with start and end");

  printf(failures ? "%d failures\n" : "passed\n", failures);
  return failures != 0;
}
