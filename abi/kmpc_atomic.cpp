// The 506 __kmpc_atomic_* entry points, made from the table at the end of the file. Clang and GCC compile most atomics
// inline. Code from Intel's and older compilers calls these names. Those with a 16-byte real number (float16, cmplx16;
// `_fp`: on the right side) are in libiomp5 only.
//
// Facts (kmp_atomic.h of LLVM's runtime): update (location, gtid, x, e) → x = x op e; `_rev` → x = e op x. `_cpt` also
// takes a flag, and returns the new value if the flag is set, else the old one. `rd` returns x, `wr` stores e, `swp`
// stores e and returns the old value. Only for cmplx4, except rd, the result goes through an extra pointer before the
// flag.
#include "abi/abi.h"
#include "runtime/atomics/atomic_update.h"
#include "runtime/atomics/atomics.h"

using namespace chomp;
using namespace chomp::abi;
using namespace chomp::atomics;

// ---- The shapes of entry points -----------------------------------------------------------------------------------

#define ENTRY(Return, name, ...) CHOMP_EXPORT Return __kmpc_atomic_##name(Location*, int, __VA_ARGS__)

#define UPDATE(id, T, op, Op)                                                                                          \
  ENTRY(void, id##_##op, T* x, Argument<T> e) { update<Op, T, T>(x, e); }                                              \
  ENTRY(T, id##_##op##_cpt, T* x, Argument<T> e, int flag) { return update<Op, T, T>(x, e).captured(flag); }

#define REVERSED(id, T, op, Op)                                                                                        \
  ENTRY(void, id##_##op##_rev, T* x, Argument<T> e) { update_reversed<Op, T, T>(x, e); }                               \
  ENTRY(T, id##_##op##_cpt_rev, T* x, Argument<T> e, int flag) {                                                       \
    return update_reversed<Op, T, T>(x, e).captured(flag);                                                             \
  }

#define UPDATE_OUT(id, T, op, Op)                                                                                      \
  ENTRY(void, id##_##op, T* x, Argument<T> e) { update<Op, T, T>(x, e); }                                              \
  ENTRY(void, id##_##op##_cpt, T* x, Argument<T> e, T* out, int flag) { *out = update<Op, T, T>(x, e).captured(flag); }

#define REVERSED_OUT(id, T, op, Op)                                                                                    \
  ENTRY(void, id##_##op##_rev, T* x, Argument<T> e) { update_reversed<Op, T, T>(x, e); }                               \
  ENTRY(void, id##_##op##_cpt_rev, T* x, Argument<T> e, T* out, int flag) {                                            \
    *out = update_reversed<Op, T, T>(x, e).captured(flag);                                                             \
  }

#define MIXED(id, T, op, Op, other, E)                                                                                 \
  ENTRY(void, id##_##op##_##other, T* x, E e) { update<Op>(x, e); }

#define MIXED_CAPTURED(id, T, op, Op, other, E)                                                                        \
  MIXED(id, T, op, Op, other, E)                                                                                       \
  ENTRY(T, id##_##op##_cpt_##other, T* x, E e, int flag) { return update<Op>(x, e).captured(flag); }

#define MIXED_REVERSED(id, T, op, Op, other, E)                                                                        \
  ENTRY(void, id##_##op##_rev_##other, T* x, E e) { update_reversed<Op>(x, e); }                                       \
  ENTRY(T, id##_##op##_cpt_rev_##other, T* x, E e, int flag) { return update_reversed<Op>(x, e).captured(flag); }

#define READ_WRITE(id, T)                                                                                              \
  ENTRY(T, id##_rd, T* x) { return read(x); }                                                                          \
  ENTRY(void, id##_wr, T* x, Argument<T> e) { swap<T>(x, e); }

#define SWAP(id, T)                                                                                                    \
  ENTRY(T, id##_swp, T* x, Argument<T> e) { return swap<T>(x, e); }

#define SWAP_OUT(id, T)                                                                                                \
  ENTRY(void, id##_swp, T* x, Argument<T> e, T* out) { *out = swap<T>(x, e); }

// If x == e, then x = d: `bool` returns whether x was e, `val` what x was. With `_cpt` they also store to v: `bool`
// what x was if it was not e, `val` what x is afterwards.
#define COMPARE(size, T)                                                                                               \
  ENTRY(bool, bool_##size##_cas, T* x, Argument<T> e, Argument<T> d) {                                                 \
    const T expected = e;                                                                                              \
    return compare_and_swap<T>(x, expected, d) == expected;                                                            \
  }                                                                                                                    \
  ENTRY(T, val_##size##_cas, T* x, Argument<T> e, Argument<T> d) { return compare_and_swap<T>(x, e, d); }              \
  ENTRY(bool, bool_##size##_cas_cpt, T* x, Argument<T> e, Argument<T> d, T* v) {                                       \
    const T expected = e, before = compare_and_swap<T>(x, expected, d);                                                \
    if (before != expected) *v = before;                                                                               \
    return before == expected;                                                                                         \
  }                                                                                                                    \
  ENTRY(T, val_##size##_cas_cpt, T* x, Argument<T> e, Argument<T> d, T* v) {                                           \
    const T expected = e, desired = d, before = compare_and_swap<T>(x, expected, desired);                             \
    *v = before == expected ? desired : before;                                                                        \
    return before;                                                                                                     \
  }

// ---- The table ----------------------------------------------------------------------------------------------------

#define FIXED(size, S, U)                                                                                              \
  UPDATE(fixed##size, S, add, Add)                                                                                     \
  UPDATE(fixed##size, S, sub, Sub)                                                                                     \
  UPDATE(fixed##size, S, mul, Mul)                                                                                     \
  UPDATE(fixed##size, S, div, Div)                                                                                     \
  UPDATE(fixed##size, S, andb, AndB)                                                                                   \
  UPDATE(fixed##size, S, orb, OrB)                                                                                     \
  UPDATE(fixed##size, S, xor, Xor)                                                                                     \
  UPDATE(fixed##size, S, shl, Shl)                                                                                     \
  UPDATE(fixed##size, S, shr, Shr)                                                                                     \
  UPDATE(fixed##size, S, andl, AndL)                                                                                   \
  UPDATE(fixed##size, S, orl, OrL)                                                                                     \
  UPDATE(fixed##size, S, max, Max)                                                                                     \
  UPDATE(fixed##size, S, min, Min)                                                                                     \
  UPDATE(fixed##size, S, neqv, Xor)                                                                                    \
  UPDATE(fixed##size, S, eqv, Eqv)                                                                                     \
  REVERSED(fixed##size, S, sub, Sub)                                                                                   \
  REVERSED(fixed##size, S, div, Div)                                                                                   \
  REVERSED(fixed##size, S, shl, Shl)                                                                                   \
  REVERSED(fixed##size, S, shr, Shr)                                                                                   \
  UPDATE(fixed##size##u, U, div, Div)                                                                                  \
  UPDATE(fixed##size##u, U, shr, Shr)                                                                                  \
  REVERSED(fixed##size##u, U, div, Div)                                                                                \
  REVERSED(fixed##size##u, U, shr, Shr)                                                                                \
  READ_WRITE(fixed##size, S)                                                                                           \
  SWAP(fixed##size, S)                                                                                                 \
  COMPARE(size, S)                                                                                                     \
  MIXED(fixed##size, S, mul, Mul, float8, double)                                                                      \
  MIXED(fixed##size, S, div, Div, float8, double)

#define REAL(size, T)                                                                                                  \
  UPDATE(float##size, T, add, Add)                                                                                     \
  UPDATE(float##size, T, sub, Sub)                                                                                     \
  UPDATE(float##size, T, mul, Mul)                                                                                     \
  UPDATE(float##size, T, div, Div)                                                                                     \
  UPDATE(float##size, T, max, Max)                                                                                     \
  UPDATE(float##size, T, min, Min)                                                                                     \
  REVERSED(float##size, T, sub, Sub)                                                                                   \
  REVERSED(float##size, T, div, Div)                                                                                   \
  READ_WRITE(float##size, T)                                                                                           \
  SWAP(float##size, T)

#define COMPLEX(size, T, UPDATE_, REVERSED_, SWAP_)                                                                    \
  UPDATE_(cmplx##size, T, add, Add)                                                                                    \
  UPDATE_(cmplx##size, T, sub, Sub)                                                                                    \
  UPDATE_(cmplx##size, T, mul, Mul)                                                                                    \
  UPDATE_(cmplx##size, T, div, Div)                                                                                    \
  REVERSED_(cmplx##size, T, sub, Sub)                                                                                  \
  REVERSED_(cmplx##size, T, div, Div)                                                                                  \
  READ_WRITE(cmplx##size, T)                                                                                           \
  SWAP_(cmplx##size, T)

// x of any type, e of 16 bytes. Computed in 16 bytes.
#define QUAD_RIGHT_SIDE(id, T)                                                                                         \
  MIXED_CAPTURED(id, T, add, Add, fp, Quad)                                                                            \
  MIXED_CAPTURED(id, T, sub, Sub, fp, Quad)                                                                            \
  MIXED_CAPTURED(id, T, mul, Mul, fp, Quad)                                                                            \
  MIXED_CAPTURED(id, T, div, Div, fp, Quad)                                                                            \
  MIXED_REVERSED(id, T, sub, Sub, fp, Quad)                                                                            \
  MIXED_REVERSED(id, T, div, Div, fp, Quad)

#if defined(__x86_64__)
using Quad = __float128;
using cmplx16 = __float128 _Complex;
#else
static_assert(sizeof(long double) == 16);
using Quad = long double;
using cmplx16 = long double _Complex;
#endif
using cmplx4 = float _Complex;
using cmplx8 = double _Complex;
using cmplx10 = long double _Complex;

FIXED(1, int8_t, uint8_t)
FIXED(2, int16_t, uint16_t)
FIXED(4, int32_t, uint32_t)
FIXED(8, int64_t, uint64_t)
REAL(4, float)
REAL(8, double)
REAL(10, long double)
REAL(16, Quad)
COMPLEX(4, cmplx4, UPDATE_OUT, REVERSED_OUT, SWAP_OUT)
COMPLEX(8, cmplx8, UPDATE, REVERSED, SWAP)
COMPLEX(10, cmplx10, UPDATE, REVERSED, SWAP)
COMPLEX(16, cmplx16, UPDATE, REVERSED, SWAP)
MIXED(float4, float, add, Add, float8, double)
MIXED(float4, float, sub, Sub, float8, double)
MIXED(float4, float, mul, Mul, float8, double)
MIXED(float4, float, div, Div, float8, double)
MIXED(cmplx4, cmplx4, add, Add, cmplx8, cmplx8)
MIXED(cmplx4, cmplx4, sub, Sub, cmplx8, cmplx8)
MIXED(cmplx4, cmplx4, mul, Mul, cmplx8, cmplx8)
MIXED(cmplx4, cmplx4, div, Div, cmplx8, cmplx8)
QUAD_RIGHT_SIDE(fixed1, int8_t)
QUAD_RIGHT_SIDE(fixed1u, uint8_t)
QUAD_RIGHT_SIDE(fixed2, int16_t)
QUAD_RIGHT_SIDE(fixed2u, uint16_t)
QUAD_RIGHT_SIDE(fixed4, int32_t)
QUAD_RIGHT_SIDE(fixed4u, uint32_t)
QUAD_RIGHT_SIDE(fixed8, int64_t)
QUAD_RIGHT_SIDE(fixed8u, uint64_t)
QUAD_RIGHT_SIDE(float4, float)
QUAD_RIGHT_SIDE(float8, double)
QUAD_RIGHT_SIDE(float10, long double)

ENTRY(void, 1, void* x, void* e, Combine f) { change_by<uint8_t>(x, e, f); }
ENTRY(void, 2, void* x, void* e, Combine f) { change_by<uint16_t>(x, e, f); }
ENTRY(void, 4, void* x, void* e, Combine f) { change_by<uint32_t>(x, e, f); }
ENTRY(void, 8, void* x, void* e, Combine f) { change_by<uint64_t>(x, e, f); }
ENTRY(void, 10, void* x, void* e, Combine f) { change_by_locked(x, e, f); }
ENTRY(void, 16, void* x, void* e, Combine f) { change_by_locked(x, e, f); }
ENTRY(void, 20, void* x, void* e, Combine f) { change_by_locked(x, e, f); }
ENTRY(void, 32, void* x, void* e, Combine f) { change_by_locked(x, e, f); }

CHOMP_EXPORT void __kmpc_atomic_start(void) { atomic_region_begin(__builtin_return_address(0)); }
CHOMP_EXPORT void __kmpc_atomic_end(void) { atomic_region_end(__builtin_return_address(0)); }

CHOMP_EXPORT void GOMP_atomic_start(void) { atomic_region_begin(__builtin_return_address(0)); }
CHOMP_EXPORT void GOMP_atomic_end(void) { atomic_region_end(__builtin_return_address(0)); }

// The names are builtins of the compiler, so labels give them.
CHOMP_EXPORT void chomp_atomic_load(size_t size, void* from, void* to, int order) __asm__("__atomic_load");
CHOMP_EXPORT void chomp_atomic_store(size_t size, void* to, void* from, int order) __asm__("__atomic_store");
CHOMP_EXPORT bool chomp_atomic_compare_exchange(size_t size, void* object, void* expected, void* desired, int success,
                                                int failure) __asm__("__atomic_compare_exchange");

void chomp_atomic_load(size_t size, void* from, void* to, int order) { atomic_load(size, from, to, order); }
void chomp_atomic_store(size_t size, void* to, void* from, int order) { atomic_store(size, to, from, order); }
bool chomp_atomic_compare_exchange(size_t size, void* object, void* expected, void* desired, int success, int failure) {
  return atomic_compare_exchange(size, object, expected, desired, success, failure);
}
