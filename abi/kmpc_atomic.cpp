// The 506 __kmpc_atomic_* entry points, made from the table at the end of the file. Clang and GCC compile most atomics
// inline. Code from Intel's and older compilers calls these names. Those with a 16-byte real number (float16, cmplx16;
// `_fp`: on the right side) are in libiomp5 only.
//
// Facts (kmp_atomic.h of LLVM's runtime): update (location, gtid, x, e) → x = x op e; `_rev` → x = e op x. `_cpt` also
// takes a flag, and returns the new value if the flag is set, else the old one. `rd` returns x, `wr` stores e, `swp`
// stores e and returns the old value. Only for cmplx4, except rd, the result goes through an extra pointer before the
// flag.
//
// Objects of up to 8 bytes are updated by a compare-and-swap loop. Longer objects are updated under one lock. So are
// misaligned ones, if the machine has no such instruction for them. __kmpc_atomic_start and GOMP_atomic_start take that
// lock, too: GCC brackets its long double and complex updates with these. (A lock per address range was rejected:
// atomic_start would have to take them all.)
//
// Memory order: sequentially consistent on a successful update, which is more than OpenMP's default (relaxed) asks. If
// a clause wants more than that, compiled code adds flushes.
#include <bit>
#include <concepts>
#include <string.h>

#include "abi/abi.h"
#include "runtime/base/dynamic.h"
#include "runtime/core/program_call.h"
#include "runtime/sync/sync.h"

namespace chomp::abi {
namespace {

// ---- The lock -------------------------------------------------------------------------------------------------------

void lock() { atomics_lock.lock(); }
void unlock() { atomics_lock.unlock(); }

// ---- One update of an object, whatever its size -------------------------------------------------------------------

template <size_t size> struct WordOf;
template <> struct WordOf<1> {
  using Type = uint8_t;
};
template <> struct WordOf<2> {
  using Type = uint16_t;
};
template <> struct WordOf<4> {
  using Type = uint32_t;
};
template <> struct WordOf<8> {
  using Type = uint64_t;
};
template <class T> using Word = typename WordOf<sizeof(T)>::Type;

/// Whether the compare-and-swap instruction serves this address. On x86 it serves any, and we must use it for any:
/// other compilers update inline, and our updates have to be atomic with those.
template <class T> bool has_instruction([[maybe_unused]] const T* x) {
#if defined(__x86_64__)
  return sizeof(T) <= 8;
#else
  return sizeof(T) <= 8 && reinterpret_cast<uintptr_t>(x) % sizeof(T) == 0;
#endif
}

template <class T> struct Change {
  T before, after;
  T captured(int flag) const { return flag ? after : before; }
};

/// x = f(x), atomically.
template <class T, class F> __attribute__((no_sanitize("alignment"))) Change<T> change(T* x, F f) {
  if constexpr (sizeof(T) <= 8) {
    if (has_instruction(x)) {
      auto* word = reinterpret_cast<Word<T>*>(x);
      // seq_cst here and below: see the top of the file
      Word<T> before = __atomic_load_n(word, __ATOMIC_SEQ_CST);
      for (;;) {
        const T after = f(std::bit_cast<T>(before));
        const Word<T> desired = std::bit_cast<Word<T>>(after);
        if (desired == before) return {after, after}; // min and max mostly keep the value: no store then
        if (__atomic_compare_exchange_n(word, &before, desired, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
          return {std::bit_cast<T>(before), after};
      }
    }
  }
  lock();
  const T before = *x;
  const T after = f(before);
  *x = after;
  unlock();
  return {before, after};
}

template <class T> __attribute__((no_sanitize("alignment"))) T read(T* x) {
  if constexpr (sizeof(T) <= 8) {
    if (has_instruction(x))
      // seq_cst: see the top of the file
      return std::bit_cast<T>(__atomic_load_n(reinterpret_cast<Word<T>*>(x), __ATOMIC_SEQ_CST));
  }
  lock();
  const T value = *x;
  unlock();
  return value;
}

template <class T> __attribute__((no_sanitize("alignment"))) T swap(T* x, T value) {
  if constexpr (sizeof(T) <= 8) {
    if (has_instruction(x)) {
      auto* word = reinterpret_cast<Word<T>*>(x);
      // seq_cst: see the top of the file
      return std::bit_cast<T>(__atomic_exchange_n(word, std::bit_cast<Word<T>>(value), __ATOMIC_SEQ_CST));
    }
  }
  lock();
  const T before = *x;
  *x = value;
  unlock();
  return before;
}

/// x = desired if it equals expected. Returns what x was.
template <class T> __attribute__((no_sanitize("alignment"))) T compare_and_swap(T* x, T expected, T desired) {
  if (has_instruction(x)) {
    // seq_cst: see the top of the file; a failure writes what x is to `expected`
    __atomic_compare_exchange_n(x, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
  lock();
  const T before = *x;
  if (before == expected) *x = desired;
  unlock();
  return before;
}

/// The update whose operation the compiler passes as a function: f(result, x, e).
using Combine = void (*)(void* result, void* left, void* right);

template <class T> void change_by(void* x, void* e, Combine combine) {
  change(static_cast<T*>(x), [=](T before) {
    T after;
    combine(&after, &before, e);
    return after;
  });
}

void change_by_locked(void* x, void* e, Combine combine) {
  lock();
  combine(x, x, e);
  unlock();
}

// ---- The operations: how a and b are combined; the result is converted to the type of x ---------------------------

/// Integers wrap around, so they are combined in the unsigned type, where that is defined.
template <class T> struct WrapOf {
  using Type = T;
};
template <std::integral T> struct WrapOf<T> {
  using Type = Word<T>;
};
template <> struct WrapOf<int8_t> {
  using Type = uint32_t;
};
template <> struct WrapOf<int16_t> {
  using Type = uint32_t;
};
template <class T> using Wrap = typename WrapOf<T>::Type;

// clang-format off
struct Add  { template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) + Wrap<T>(b)); } };
struct Sub  { template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) - Wrap<T>(b)); } };
struct Mul  { template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) * Wrap<T>(b)); } };
struct Div  { template <class T> static T apply(T a, T b) { return static_cast<T>(a / b); } };
struct AndB { template <class T> static T apply(T a, T b) { return static_cast<T>(a & b); } };
struct OrB  { template <class T> static T apply(T a, T b) { return static_cast<T>(a | b); } };
struct Xor  { template <class T> static T apply(T a, T b) { return static_cast<T>(a ^ b); } };
struct Shl  { template <class T> static T apply(T a, T b) { return static_cast<T>(Wrap<T>(a) << b); } };
struct Shr  { template <class T> static T apply(T a, T b) { return static_cast<T>(a >> b); } };
struct AndL { template <class T> static T apply(T a, T b) { return static_cast<T>(a && b); } };
struct OrL  { template <class T> static T apply(T a, T b) { return static_cast<T>(a || b); } };
struct Max  { template <class T> static T apply(T a, T b) { return a < b ? b : a; } };
struct Min  { template <class T> static T apply(T a, T b) { return a > b ? b : a; } };
struct Eqv  { template <class T> static T apply(T a, T b) { return static_cast<T>(~(a ^ b)); } };
// clang-format on

/// x = x op e, computed in the type E of the right side (x is float, e is double: in double).
template <class Op, class T, class E> Change<T> update(T* x, E e) {
  return change(x, [e](T before) { return static_cast<T>(Op::template apply<E>(static_cast<E>(before), e)); });
}

/// x = e op x, also computed in the type of e.
template <class Op, class T, class E> Change<T> update_reversed(T* x, E e) {
  return change(x, [e](T before) { return static_cast<T>(Op::template apply<E>(e, static_cast<E>(before))); });
}

} // namespace
} // namespace chomp::abi

using namespace chomp::abi;

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

static inline void start_atomic(const void* site) {
  if (chomp::announcing()) chomp::event_mutex_wait(chomp::MutexKind::kAtomic, 0, &chomp::atomics_lock, site);
  lock();
  if (chomp::announcing()) chomp::event_mutex_acquired(chomp::MutexKind::kAtomic, &chomp::atomics_lock, site);
}

static inline void end_atomic(const void* site) {
  unlock();
  if (chomp::announcing()) chomp::event_mutex_released(chomp::MutexKind::kAtomic, &chomp::atomics_lock, site);
}

CHOMP_EXPORT void __kmpc_atomic_start(void) { start_atomic(__builtin_return_address(0)); }
CHOMP_EXPORT void __kmpc_atomic_end(void) { end_atomic(__builtin_return_address(0)); }

CHOMP_EXPORT void GOMP_atomic_start(void) { start_atomic(__builtin_return_address(0)); }
CHOMP_EXPORT void GOMP_atomic_end(void) { end_atomic(__builtin_return_address(0)); }

// ---- Atomics on objects of any size -------------------------------------------------------------------------------
// Clang, and so Intel's compiler, calls these for `atomic` on objects that no instruction serves (double complex).
// These functions are libatomic's, but Intel's programs find them in libiomp5, and link no libatomic. If libatomic is
// in the process, it gets the calls: its other functions (__atomic_exchange …) must take the same locks.

namespace chomp::abi {
namespace {

/// Calls f(pointer of the right type), or, for sizes without an instruction, locked() under the lock.
template <class F, class Locked> auto with_word(size_t size, void* object, F f, Locked locked) {
  switch (size) {
  case 1: return f(static_cast<uint8_t*>(object));
  case 2: return f(static_cast<uint16_t*>(object));
  case 4: return f(static_cast<uint32_t*>(object));
  case 8: return f(static_cast<uint64_t*>(object));
  default: break;
  }
  lock();
  auto result = locked();
  unlock();
  return result;
}

template <class T> T copy_of(const void* object) {
  T value;
  memcpy(&value, object, sizeof value);
  return value;
}

void load_any(size_t size, void* from, void* to, int) {
  auto word = [&]<class T>(T* x) {
    const T value = read(x);
    return memcpy(to, &value, sizeof value);
  };
  with_word(size, from, word, [&] { return memcpy(to, from, size); });
}

void store_any(size_t size, void* to, void* from, int) {
  auto word = [&]<class T>(T* x) { return swap(x, copy_of<T>(from)), to; };
  with_word(size, to, word, [&] { return memcpy(to, from, size); });
}

bool compare_exchange_any(size_t size, void* object, void* expected, void* desired, int, int) {
  auto word = [&]<class T>(T* x) {
    const T wanted = copy_of<T>(expected);
    const T before = compare_and_swap(x, wanted, copy_of<T>(desired));
    memcpy(expected, &before, sizeof before);
    return before == wanted;
  };
  return with_word(size, object, word, [&] {
    const bool equal = memcmp(object, expected, size) == 0;
    equal ? memcpy(object, desired, size) : memcpy(expected, object, size);
    return equal;
  });
}

/// libatomic's definition if there is one in the process, else ours. Looked up at the first call.
template <class Function> Function* chosen(Function** choice, const char* name, Function* ours) {
  // relaxed, both: a pointer to code, and every thread that looks it up finds the same one.
  Function* known = __atomic_load_n(choice, __ATOMIC_RELAXED);
  if (known != nullptr) return known;
  known = next_definition<Function>(name);
  if (known == nullptr) known = ours;
  __atomic_store_n(choice, known, __ATOMIC_RELAXED);
  return known;
}

decltype(load_any)* chosen_load = nullptr;
decltype(store_any)* chosen_store = nullptr;
decltype(compare_exchange_any)* chosen_compare_exchange = nullptr;

} // namespace
} // namespace chomp::abi

// The names are builtins of the compiler, so labels give them. Every order is treated as the strongest.
CHOMP_EXPORT void chomp_atomic_load(size_t size, void* from, void* to, int order) __asm__("__atomic_load");
CHOMP_EXPORT void chomp_atomic_store(size_t size, void* to, void* from, int order) __asm__("__atomic_store");
CHOMP_EXPORT bool chomp_atomic_compare_exchange(size_t size, void* object, void* expected, void* desired, int success,
                                                int failure) __asm__("__atomic_compare_exchange");

void chomp_atomic_load(size_t size, void* from, void* to, int order) {
  chosen(&chosen_load, "__atomic_load", load_any)(size, from, to, order);
}
void chomp_atomic_store(size_t size, void* to, void* from, int order) {
  chosen(&chosen_store, "__atomic_store", store_any)(size, to, from, order);
}
bool chomp_atomic_compare_exchange(size_t size, void* object, void* expected, void* desired, int success, int failure) {
  return chosen(&chosen_compare_exchange, "__atomic_compare_exchange", compare_exchange_any)(size, object, expected,
                                                                                             desired, success, failure);
}
