// A caller may leave anything in a register beyond the bytes of a bool or a narrow integer (psABI of x86-64, 3.2.3; GCC
// sets the low byte of a bool alone). Every entry point that takes one is called here with something there.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %chomp-run %t
#include "support/check.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t Word;

static const Word kGarbage = 0xdeadbeefcafe5a00;
static Word byte(uint8_t value) { return kGarbage | value; }
static Word two_bytes(uint16_t value) { return (kGarbage & ~(Word)0xffff) | value; }
static Word int_(uint32_t value) { return (kGarbage & ~(Word)0xffffffff) | value; }
static Word word(const void* address) { return (Word)address; }

static void* look_up(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (!found) fprintf(stderr, "no %s\n", name);
  CHECK(found);
  return found;
}

// As the compiled code calls it, but with whole words; a bool that it returns is in the low byte.
#define CALL(name, ...) (((Word(*)(ALL_WORDS(__VA_ARGS__)))look_up(name))(__VA_ARGS__))
#define NUMBER_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, n, ...) n
#define ALL_WORDS(...) NUMBER_(__VA_ARGS__, W10, W9, W8, W7, W6, W5, W4, W3, W2, W1, )
#define W1 Word
#define W2 W1, Word
#define W3 W2, Word
#define W4 W3, Word
#define W5 W4, Word
#define W6 W5, Word
#define W7 W6, Word
#define W8 W7, Word
#define W9 W8, Word
#define W10 W9, Word
#define LOW_BYTE(call) ((uint8_t)(call))

static void conditions_of_cancel(void) {
  enum { kTaskgroup = 8 };
#pragma omp taskgroup
  {
    CHECK_EQ(LOW_BYTE(CALL("GOMP_cancel", int_(kTaskgroup), byte(0))), 0);
    CHECK_EQ(LOW_BYTE(CALL("GOMP_cancellation_point", int_(kTaskgroup))), 0);
    CHECK_EQ(LOW_BYTE(CALL("GOMP_cancel", int_(kTaskgroup), byte(1))), 1);
    CHECK_EQ(LOW_BYTE(CALL("GOMP_cancellation_point", int_(kTaskgroup))), 1);
  }
}

static int ran;
static void body(void* data) { ran += *(int*)data; }

static void deferring_of_tasks(void) {
  int one = 1;
  for (unsigned flags = 0; flags <= 2; flags += 2) { // plain, final: GOMP_task takes another path
    ran = 0;
    CALL("GOMP_task", word((void*)body), word(&one), 0, sizeof one, _Alignof(int), byte(0), int_(flags), 0, int_(0), 0);
    CHECK_EQ(ran, 1);
    CALL("GOMP_task", word((void*)body), word(&one), 0, sizeof one, _Alignof(int), byte(1), int_(flags), 0, int_(0), 0);
#pragma omp taskwait
    CHECK_EQ(ran, 2);
  }
}

/// 5 iterations, in whichever direction.
static void loop(const char* name, int has_chunk, int up) {
  char start[80], next[80];
  snprintf(start, sizeof start, "GOMP_loop_ull_%s_start", name);
  snprintf(next, sizeof next, "GOMP_loop_ull_%s_next", name);
  Word first = up ? 10 : 15, beyond = up ? 15 : 10, incr = up ? 1 : (Word)-1, from = 0, to = 0, count = 0;
  int found = LOW_BYTE(has_chunk ? CALL(start, byte(up), first, beyond, incr, 5, word(&from), word(&to))
                                 : CALL(start, byte(up), first, beyond, incr, word(&from), word(&to)));
  for (; found; found = LOW_BYTE(CALL(next, word(&from), word(&to)))) count += up ? to - from : from - to;
  CHECK_EQ(count, 5);
  ((void (*)(void))look_up("GOMP_loop_end"))();
}

static void general_loop(const char* name, int up) {
  enum { kDynamic = 2 };
  Word first = up ? 10 : 15, beyond = up ? 15 : 10, incr = up ? 1 : (Word)-1, from = 0, to = 0, count = 0;
  int found = LOW_BYTE(CALL(name, byte(up), first, beyond, incr, kDynamic, 5, word(&from), word(&to), 0, 0));
  for (; found; found = LOW_BYTE(CALL("GOMP_loop_ull_dynamic_next", word(&from), word(&to))))
    count += up ? to - from : from - to;
  CHECK_EQ(count, 5);
  ((void (*)(void))look_up("GOMP_loop_end"))();
}

static void directions_of_loops(void) {
  static const char* const chunked[] = {
      "static",         "dynamic",         "guided",        "nonmonotonic_dynamic", "nonmonotonic_guided",
      "ordered_static", "ordered_dynamic", "ordered_guided"};
  static const char* const others[] = {"runtime", "nonmonotonic_runtime", "maybe_nonmonotonic_runtime",
                                       "ordered_runtime"};
  for (int up = 0; up < 2; up++) {
    for (size_t i = 0; i < sizeof chunked / sizeof *chunked; i++) loop(chunked[i], 1, up);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) loop(others[i], 0, up);
    general_loop("GOMP_loop_ull_start", up);
    general_loop("GOMP_loop_ull_ordered_start", up);
  }
}

static void first_team_or_next(void) {
  CHECK_EQ(LOW_BYTE(CALL("GOMP_teams4", int_(2), int_(2), int_(0), byte(1))), 1);
  CHECK_EQ(omp_get_team_num(), 0);
  CHECK_EQ(LOW_BYTE(CALL("GOMP_teams4", int_(2), int_(2), int_(0), byte(0))), 1);
  CHECK_EQ(omp_get_team_num(), 1);
  CHECK_EQ(LOW_BYTE(CALL("GOMP_teams4", int_(2), int_(2), int_(0), byte(0))), 0);
}

/// Where the region has not been cancelled, the end of a reduction is a barrier.
static void end_of_reduction_is_barrier(void) {
  int arrived = 0;
#pragma omp parallel num_threads(2)
  {
    // count, bytes of a block, alignment, members: not begun, and what the runtime fills in.
    int64_t reduction[10] = {0, 64, 8, -1};
    CALL("GOMP_scope_start", word(reduction));
    if (omp_get_thread_num() == 1) {
      usleep(20000);
      ATOMIC_STORE(arrived, 1);
    }
    CALL("GOMP_workshare_task_reduction_unregister", byte(0));
    CHECK(ATOMIC_LOAD(arrived));
  }
}

/// The name's entry point gives the same for e whatever lies above its bytes.
static void same_result(const char* name, int bytes, int e, int captured) {
  Word clean = (Word)(int64_t)e, dirty = bytes == 1 ? byte((uint8_t)e) : two_bytes((uint16_t)e);
  for (int flag = 0; flag <= captured; flag++) {
    Word mask = bytes == 1 ? 0xff : 0xffff;
    int64_t x = -77, y = -77;
    Word from_clean = CALL(name, 0, int_(0), word(&x), clean, int_(flag)) & mask;
    Word from_dirty = CALL(name, 0, int_(0), word(&y), dirty, int_(flag)) & mask;
    if (x != y) fprintf(stderr, "%s\n", name);
    CHECK_EQ(y, x);
    if (captured) CHECK_EQ(from_dirty, from_clean);
  }
}

static void right_sides_of_atomics(void) {
  static const char* const ops[] = {"add", "sub",  "mul", "div", "andb", "orb",  "xor", "shl",
                                    "shr", "andl", "orl", "max", "min",  "neqv", "eqv"};
  static const char* const reversed[] = {"sub", "div", "shl", "shr"};
  static const char* const of_unsigned[] = {"div", "shr"};
  char name[80];
#define EACH(list, ...)                                                                                                \
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {                                                            \
    int shift = strncmp(list[i], "sh", 2) == 0, zero = strcmp(list[i], "andl") == 0 || strcmp(list[i], "orl") == 0;    \
    int e = shift ? 2 : zero ? 0 : -3;                                                                                 \
    __VA_ARGS__                                                                                                        \
  }
#define ONE(captured, ...)                                                                                             \
  snprintf(name, sizeof name, __VA_ARGS__);                                                                            \
  same_result(name, bytes, e, captured);
  for (int bytes = 1; bytes <= 2; bytes++) {
    EACH(ops, ONE(0, "__kmpc_atomic_fixed%d_%s", bytes, ops[i]) ONE(1, "__kmpc_atomic_fixed%d_%s_cpt", bytes, ops[i]))
    EACH(of_unsigned, ONE(0, "__kmpc_atomic_fixed%du_%s", bytes, of_unsigned[i])
                          ONE(1, "__kmpc_atomic_fixed%du_%s_cpt", bytes, of_unsigned[i]))
    EACH(reversed, if (shift) continue; ONE(0, "__kmpc_atomic_fixed%d_%s_rev", bytes, reversed[i])
             ONE(1, "__kmpc_atomic_fixed%d_%s_cpt_rev", bytes, reversed[i]))
    int e = -3;
    ONE(0, "__kmpc_atomic_fixed%d_wr", bytes)
    ONE(1, "__kmpc_atomic_fixed%d_swp", bytes)
  }
}

static void expected_values_of_atomics(void) {
  int8_t x = -7, was = 0;
  CHECK_EQ(LOW_BYTE(CALL("__kmpc_atomic_bool_1_cas", 0, int_(0), word(&x), byte((uint8_t)-7), byte(5))), 1);
  CHECK_EQ(x, 5);
  CHECK_EQ((int8_t)CALL("__kmpc_atomic_val_1_cas", 0, int_(0), word(&x), byte(5), byte((uint8_t)-6)), 5);
  CHECK_EQ(x, -6);
  CHECK_EQ(LOW_BYTE(CALL("__kmpc_atomic_bool_1_cas_cpt", 0, int_(0), word(&x), byte((uint8_t)-6), byte(7), word(&was))),
           1);
  CHECK_EQ(x, 7);
  CHECK_EQ((int8_t)CALL("__kmpc_atomic_val_1_cas_cpt", 0, int_(0), word(&x), byte(7), byte(8), word(&was)), 7);
  CHECK_EQ(was, 8);
  int16_t y = -700, then = 0;
  CHECK_EQ(LOW_BYTE(CALL("__kmpc_atomic_bool_2_cas", 0, int_(0), word(&y), two_bytes((uint16_t)-700), two_bytes(5))),
           1);
  CHECK_EQ(y, 5);
  CHECK_EQ((int16_t)CALL("__kmpc_atomic_val_2_cas", 0, int_(0), word(&y), two_bytes(5), two_bytes(600)), 5);
  CHECK_EQ(y, 600);
  CHECK_EQ(
      LOW_BYTE(CALL("__kmpc_atomic_bool_2_cas_cpt", 0, int_(0), word(&y), two_bytes(600), two_bytes(7), word(&then))),
      1);
  CHECK_EQ(y, 7);
  CHECK_EQ((int16_t)CALL("__kmpc_atomic_val_2_cas_cpt", 0, int_(0), word(&y), two_bytes(7), two_bytes(8), word(&then)),
           7);
  CHECK_EQ(then, 8);
}

int main(void) {
  conditions_of_cancel();
  deferring_of_tasks();
  directions_of_loops();
  first_team_or_next();
  end_of_reduction_is_barrier();
  right_sides_of_atomics();
  expected_values_of_atomics();
  return 0;
}
