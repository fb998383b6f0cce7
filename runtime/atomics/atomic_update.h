// Atomic updates of objects of any type: for the entry points that compiled code calls where it has no instruction of
// its own. Any thread may call these.
//
// Objects of up to 8 bytes are updated by a compare-and-swap loop. Longer objects are updated under one lock. So are
// misaligned ones, if the machine has no such instruction for them. (A lock per address range was rejected: an atomic
// region of the program would have to take them all.)
//
// Memory order: sequentially consistent on a successful update, which is more than OpenMP's default (relaxed) asks. If
// a clause wants more than that, compiled code adds flushes.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "runtime/atomics/atomics.h"

namespace chomp::atomics {

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
template <class T> inline bool has_instruction([[maybe_unused]] const T* x) {
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
  atomics_lock.lock();
  const T before = *x;
  const T after = f(before);
  *x = after;
  atomics_lock.unlock();
  return {before, after};
}

template <class T> __attribute__((no_sanitize("alignment"))) T read(T* x) {
  if constexpr (sizeof(T) <= 8) {
    if (has_instruction(x))
      // seq_cst: see the top of the file
      return std::bit_cast<T>(__atomic_load_n(reinterpret_cast<Word<T>*>(x), __ATOMIC_SEQ_CST));
  }
  atomics_lock.lock();
  const T value = *x;
  atomics_lock.unlock();
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
  atomics_lock.lock();
  const T before = *x;
  *x = value;
  atomics_lock.unlock();
  return before;
}

/// x = desired if it equals expected. Returns what x was.
template <class T> __attribute__((no_sanitize("alignment"))) T compare_and_swap(T* x, T expected, T desired) {
  if (has_instruction(x)) {
    // seq_cst: see the top of the file; a failure writes what x is to `expected`
    __atomic_compare_exchange_n(x, &expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
  atomics_lock.lock();
  const T before = *x;
  if (before == expected) *x = desired;
  atomics_lock.unlock();
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

inline void change_by_locked(void* x, void* e, Combine combine) {
  atomics_lock.lock();
  combine(x, x, e);
  atomics_lock.unlock();
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

} // namespace chomp::atomics
