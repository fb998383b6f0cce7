// Reductions over regions, loops and sections are exact for every arithmetic type and operator, several at once,
// arrays, nowait; under each way of combining them.
// RUN: %clang-openmp %s -o %t -latomic && %for-threads %t
// RUN: env KMP_FORCE_REDUCTION=critical %for-threads -t "3 8" %t
// RUN: env KMP_FORCE_REDUCTION=atomic %for-threads -t "3 8" %t
// RUN: env KMP_FORCE_REDUCTION=tree %for-threads -t "3 8" %t
// RUN: env KMP_DETERMINISTIC_REDUCTION=true %for-threads -t "3 8" %t
#include "support/check.h"
#include <complex.h>
#include <stdbool.h>

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

#define SUM(TYPE)                                                                                                      \
  do {                                                                                                                 \
    TYPE sum = 3, difference = 100, most = 0, least = 100;                                                             \
    PRAGMA(omp parallel for reduction(+ : sum) reduction(- : difference) reduction(max : most) reduction(min : least)) \
    for (int i = 0; i < 100; i++) {                                                                                    \
      sum += (TYPE)(i % 3);                                                                                            \
      difference -= (TYPE)(i % 2);                                                                                     \
      if (most < (TYPE)(i % 91)) most = (TYPE)(i % 91);                                                                \
      if (least > (TYPE)(i % 7 + 2)) least = (TYPE)(i % 7 + 2);                                                        \
    }                                                                                                                  \
    CHECK(sum == 102 && difference == 50 && most == 90 && least == 2);                                                 \
  } while (0)

#define BITS(TYPE)                                                                                                           \
  do {                                                                                                                       \
    TYPE all = (TYPE) ~(TYPE)0, any = 0, odd = 5;                                                                            \
    bool and = true, or = false;                                                                                             \
    PRAGMA(omp parallel for reduction(& : all) reduction(| : any) reduction(^ : odd) reduction(&& : and) reduction(|| : or)) \
    for (int i = 0; i < 64; i++) {                                                                                           \
      all &= (TYPE) ~(TYPE)(1u << i % 4);                                                                                    \
      any |= (TYPE)(1u << i % 5);                                                                                            \
      odd ^= (TYPE)i;                                                                                                        \
      and = and && i < 64;                                                                                                   \
      or = or || i == 63;                                                                                                    \
    }                                                                                                                        \
    CHECK(all == (TYPE) ~(TYPE)15 && any == 31 && odd == 5 && and&&or);                                                      \
  } while (0)

struct point {
  long x, y;
};
#pragma omp declare reduction(join : struct point : omp_out.x += omp_in.x, omp_out.y |= omp_in.y)                      \
    initializer(omp_priv = (struct point){0, 0})

int main(void) {
  for (int round = 0; round < 10; round++) {
    SUM(signed char);
    SUM(unsigned char);
    SUM(short);
    SUM(unsigned short);
    SUM(int);
    SUM(unsigned);
    SUM(long);
    SUM(unsigned long long);
    SUM(float);
    SUM(double);
    SUM(long double);
    BITS(unsigned char);
    BITS(short);
    BITS(int);
    BITS(unsigned long long);
    double complex z = 0;
    long product = 1, array[100] = {0}, many[8] = {0};
    struct point p = {1, 0};
#pragma omp parallel for reduction(+ : z, array) reduction(* : product) reduction(join : p) schedule(dynamic)
    for (int i = 0; i < 100; i++) {
      z += 1 + 2 * I;
      array[i] += i;
      array[99 - i] += 1;
      if (i % 10 == 0) product *= 3;
      p.x += i;
      p.y |= 1L << i % 60;
    }
    CHECK(creal(z) == 100 && cimag(z) == 200);
    for (int i = 0; i < 100; i++) CHECK_EQ(array[i], i + 1);
    CHECK_EQ(product, 59049);
    CHECK_EQ(p.x, 4951);
    CHECK_EQ(p.y, (1L << 60) - 1);
    long a = 0, b = 0;
#pragma omp parallel
    {
#pragma omp for reduction(+ : a) nowait
      for (int i = 0; i < 50; i++) a += i;
#pragma omp sections reduction(+ : b)
      {
#pragma omp section
        b += 1;
#pragma omp section
        b += 2;
      }
#pragma omp single
      CHECK_EQ(b, 3);
#pragma omp for reduction(+ : many[ : 8])
      for (int i = 0; i < 80; i++) many[i % 8]++;
      CHECK_EQ(many[7], 10);
    }
    CHECK_EQ(a, 1225);
  }
  return 0;
}
