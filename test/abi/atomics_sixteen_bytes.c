// The atomics that only libiomp5 has combine, capture and return what their names say: real and complex numbers of 16
// bytes a part, and `_fp`, whose right side is one and which compute in its precision. No update is lost. The stock
// libomp lacks the names, so the program is linked with our library.
// RUN: %clang-openmp %s -o %t -L%lib && %chomp-run %t
// RUN: %if gcc %{ gcc -std=gnu11 -O2 -I%root/test %s -o %t.gcc -pthread -L%lib -l:libomp.so && %chomp-run %t.gcc %}
// UNSUPPORTED: sanitizer-address, sanitizer-thread
#include "support/at_a_time.h"
#include "support/check.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
typedef __float128 Quad;
#ifdef __clang__
typedef __float128 _Complex ComplexQuad;
#else
typedef _Complex float ComplexQuad __attribute__((mode(TC)));
#endif
#else
typedef long double Quad;
typedef long double _Complex ComplexQuad;
#endif

#define CHECK_ALL_THREE(T, E, update, capture, a_, b_, expected)                                                       \
  do {                                                                                                                 \
    const T a = (a_);                                                                                                  \
    const E b = (b_);                                                                                                  \
    const T after = (T)(expected);                                                                                     \
    T x = a;                                                                                                           \
    update(0, 0, &x, b);                                                                                               \
    CHECK(x == after);                                                                                                 \
    x = a;                                                                                                             \
    CHECK(capture(0, 0, &x, b, 0) == a && x == after);                                                                 \
    x = a;                                                                                                             \
    CHECK(capture(0, 0, &x, b, 1) == after && x == after);                                                             \
  } while (0)

#define UPDATE(id, T, op, E, a, b, expected)                                                                           \
  do {                                                                                                                 \
    void __kmpc_atomic_##id##_##op(void*, int, T*, E);                                                                 \
    T __kmpc_atomic_##id##_##op##_cpt(void*, int, T*, E, int);                                                         \
    CHECK_ALL_THREE(T, E, __kmpc_atomic_##id##_##op, __kmpc_atomic_##id##_##op##_cpt, a, b, expected);                 \
  } while (0)
#define REVERSED(id, T, op, E, a, b, expected)                                                                         \
  do {                                                                                                                 \
    void __kmpc_atomic_##id##_##op##_rev(void*, int, T*, E);                                                           \
    T __kmpc_atomic_##id##_##op##_cpt_rev(void*, int, T*, E, int);                                                     \
    CHECK_ALL_THREE(T, E, __kmpc_atomic_##id##_##op##_rev, __kmpc_atomic_##id##_##op##_cpt_rev, a, b, expected);       \
  } while (0)
#define UPDATE_FP(id, T, op, a, b, expected)                                                                           \
  do {                                                                                                                 \
    void __kmpc_atomic_##id##_##op##_fp(void*, int, T*, Quad);                                                         \
    T __kmpc_atomic_##id##_##op##_cpt_fp(void*, int, T*, Quad, int);                                                   \
    CHECK_ALL_THREE(T, Quad, __kmpc_atomic_##id##_##op##_fp, __kmpc_atomic_##id##_##op##_cpt_fp, a, b, expected);      \
  } while (0)
#define REVERSED_FP(id, T, op, a, b, expected)                                                                         \
  do {                                                                                                                 \
    void __kmpc_atomic_##id##_##op##_rev_fp(void*, int, T*, Quad);                                                     \
    T __kmpc_atomic_##id##_##op##_cpt_rev_fp(void*, int, T*, Quad, int);                                               \
    CHECK_ALL_THREE(T, Quad, __kmpc_atomic_##id##_##op##_rev_fp, __kmpc_atomic_##id##_##op##_cpt_rev_fp, a, b,         \
                    expected);                                                                                         \
  } while (0)

#define READ_WRITE_SWAP(id, T, a, b)                                                                                   \
  do {                                                                                                                 \
    T __kmpc_atomic_##id##_rd(void*, int, T*);                                                                         \
    void __kmpc_atomic_##id##_wr(void*, int, T*, T);                                                                   \
    T __kmpc_atomic_##id##_swp(void*, int, T*, T);                                                                     \
    T x = (a);                                                                                                         \
    CHECK(__kmpc_atomic_##id##_rd(0, 0, &x) == (T)(a));                                                                \
    __kmpc_atomic_##id##_wr(0, 0, &x, (b));                                                                            \
    CHECK(x == (T)(b));                                                                                                \
    CHECK(__kmpc_atomic_##id##_swp(0, 0, &x, (a)) == (T)(b) && x == (T)(a));                                           \
  } while (0)

// 2^-70 would be lost in a shorter type.
static const Quad kTiny = (Quad)1 / ((Quad)(1ull << 35) * (1ull << 35));

static void real_numbers(void) {
  UPDATE(float16, Quad, add, Quad, 1.5, kTiny, a + b);
  UPDATE(float16, Quad, sub, Quad, 1.5, kTiny, a - b);
  UPDATE(float16, Quad, mul, Quad, 1 + kTiny, 3, a * b);
  UPDATE(float16, Quad, div, Quad, 1, 3, a / b);
  UPDATE(float16, Quad, max, Quad, 1, 1 + kTiny, b);
  UPDATE(float16, Quad, min, Quad, 1 + kTiny, 1, b);
  REVERSED(float16, Quad, sub, Quad, kTiny, 1.5, b - a);
  REVERSED(float16, Quad, div, Quad, 3, 1, b / a);
  READ_WRITE_SWAP(float16, Quad, 1 + kTiny, -2);
}

static void complex_numbers(void) {
  const ComplexQuad i = 1.0i;
  UPDATE(cmplx16, ComplexQuad, add, ComplexQuad, 1 + 2 * i, kTiny - i, a + b);
  UPDATE(cmplx16, ComplexQuad, sub, ComplexQuad, 1 + 2 * i, kTiny - i, a - b);
  UPDATE(cmplx16, ComplexQuad, mul, ComplexQuad, 1 + 2 * i, 3 - i, a * b);
  UPDATE(cmplx16, ComplexQuad, div, ComplexQuad, 2 + 4 * i, 1 - i, a / b);
  REVERSED(cmplx16, ComplexQuad, sub, ComplexQuad, 1 + 2 * i, 3 - i, b - a);
  REVERSED(cmplx16, ComplexQuad, div, ComplexQuad, 1 - i, 2 + 4 * i, b / a);
  READ_WRITE_SWAP(cmplx16, ComplexQuad, 1 + kTiny * i, -2 + i);
}

#define RIGHT_SIDES(id, T)                                                                                             \
  do {                                                                                                                 \
    UPDATE_FP(id, T, add, 10, 2.75, a + b);                                                                            \
    UPDATE_FP(id, T, sub, 10, 2.75, a - b);                                                                            \
    UPDATE_FP(id, T, mul, 10, 2.75, a* b);                                                                             \
    UPDATE_FP(id, T, div, 100, 2.5, a / b);                                                                            \
    REVERSED_FP(id, T, sub, 10, 22.75, b - a);                                                                         \
    REVERSED_FP(id, T, div, 10, 25, b / a);                                                                            \
  } while (0)

static void right_sides_of_sixteen_bytes(void) {
  RIGHT_SIDES(fixed1, int8_t);
  RIGHT_SIDES(fixed1u, uint8_t);
  RIGHT_SIDES(fixed2, int16_t);
  RIGHT_SIDES(fixed2u, uint16_t);
  RIGHT_SIDES(fixed4, int32_t);
  RIGHT_SIDES(fixed4u, uint32_t);
  RIGHT_SIDES(fixed8, int64_t);
  RIGHT_SIDES(fixed8u, uint64_t);
  RIGHT_SIDES(float4, float);
  RIGHT_SIDES(float8, double);
  RIGHT_SIDES(float10, long double);
  // Signedness shows where the type is converted.
  UPDATE_FP(fixed8u, uint64_t, div, 1ull << 63, 2, 1ull << 62);
  UPDATE_FP(fixed1, int8_t, mul, -10, 2.75, -27);
  UPDATE_FP(float8, double, add, 1, kTiny, 1);
}

enum { kThreads = 4, kUpdates = 4000 };
static Quad sum;
static ComplexQuad complex_sum;
static double short_sum;
static long careless;

static void* add(void* unused) {
  void __kmpc_atomic_float16_add(void*, int, Quad*, Quad);
  void __kmpc_atomic_cmplx16_add(void*, int, ComplexQuad*, ComplexQuad);
  void __kmpc_atomic_float8_add_fp(void*, int, double*, Quad);
  for (int i = 0; i < kUpdates; ++i) {
    __kmpc_atomic_float16_add(0, 0, &sum, 1);
    __kmpc_atomic_cmplx16_add(0, 0, &complex_sum, 1 + 2.0i);
    __kmpc_atomic_float8_add_fp(0, 0, &short_sum, 1);
    add_carelessly(&careless);
  }
  return unused;
}

static void no_update_is_lost(void) {
  pthread_t threads[kThreads];
  int updates = 0, tries = 0;
  do {
    for (int i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], 0, add, 0) == 0);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], 0);
    updates += kThreads * kUpdates;
  } while (have_to_run_at_a_time(updates, careless, kThreads, &tries));
  CHECK(sum == updates);
  CHECK(complex_sum == updates * (1 + 2.0i));
  CHECK(short_sum == updates);
}

int main(void) {
  real_numbers();
  complex_numbers();
  right_sides_of_sixteen_bytes();
  no_update_is_lost();
  return 0;
}
