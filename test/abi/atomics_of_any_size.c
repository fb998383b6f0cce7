// Clang compiles `atomic` on double complex to libatomic's functions, which Intel's programs find in their OpenMP
// runtime: they find them in ours too, and no update is lost or torn. With libatomic in the process, its locks count
// for all. (The stock libomp lacks the names.)
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -Wno-atomic-alignment %s -o %t -L%lib && %for-threads %t
// RUN: %if gcc %{ %clang-openmp -Wno-atomic-alignment -DWITH_LIBATOMIC %s -o %t.with -L%lib -Wl,--no-as-needed -latomic && %for-threads %t.with %}
#include "support/at_a_time.h"
#include "support/check.h"
#include <string.h>

typedef struct {
  long words[5];
} Large;

enum { kUpdates = 5000 };
static double _Complex sum;
static Large large;

static Large all(long value) {
  Large result = {{value, value, value, value, value}};
  return result;
}

static void increase_large(void) {
  Large before, after;
  __atomic_load(&large, &before, __ATOMIC_SEQ_CST);
  do {
    for (int i = 1; i < 5; ++i) CHECK_EQ(before.words[i], before.words[0]);
    after = all(before.words[0] + 1);
  } while (!__atomic_compare_exchange(&large, &before, &after, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}

static void words(void) { // what an instruction serves goes to the instruction
  unsigned value = 7, wanted = 8, desired = 9, seen;
  void __atomic_load_of(size_t, void*, void*, int) __asm__("__atomic_load");
  void __atomic_store_of(size_t, void*, void*, int) __asm__("__atomic_store");
  _Bool __atomic_compare_exchange_of(size_t, void*, void*, void*, int, int) __asm__("__atomic_compare_exchange");
  __atomic_load_of(4, &value, &seen, 5);
  CHECK_EQ(seen, 7);
  CHECK(!__atomic_compare_exchange_of(4, &value, &wanted, &desired, 5, 5));
  CHECK_EQ(wanted, 7);
  CHECK(__atomic_compare_exchange_of(4, &value, &wanted, &desired, 5, 5));
  CHECK_EQ(value, 9);
  __atomic_store_of(4, &value, &seen, 5);
  CHECK_EQ(value, 7);
}

int main(void) {
  int threads = 0, tries = 0;
  long updates = 0, careless = 0;
  words();
  do {
    threads = 0;
#pragma omp parallel reduction(+ : threads)
    {
      threads = 1;
      for (int i = 0; i < SCALED(kUpdates); ++i) {
#pragma omp atomic
        sum += 1 + 2.0i;
        increase_large();
        add_carelessly(&careless);
      }
    }
    updates += (long)threads * SCALED(kUpdates);
  } while (have_to_run_at_a_time(updates, careless, threads, &tries));
  CHECK(sum == (double)updates * (1 + 2.0i));
  CHECK_EQ(large.words[4], updates);
  Large other = all(-1), read;
  __atomic_store(&large, &other, __ATOMIC_SEQ_CST);
  __atomic_load(&large, &read, __ATOMIC_SEQ_CST);
  CHECK_EQ(read.words[2], -1);
#ifdef WITH_LIBATOMIC
  // A function that only libatomic has, against ours: they must exclude one another.
  large = all(0);
  long taken = 0;
#pragma omp parallel reduction(+ : taken)
  for (int i = 0; i < SCALED(kUpdates); ++i) {
    increase_large();
    Large none = all(0), before;
    if (i % 4 == 0) {
      __atomic_exchange(&large, &none, &before, __ATOMIC_SEQ_CST);
      taken += before.words[3];
    }
  }
  CHECK_EQ(taken + large.words[0], (long)threads * SCALED(kUpdates));
#endif
  return 0;
}
