// Tries all small static loops, for each entry point that computes one: bounds, strides and chunks, at the middle and
// near the ends of each type, for each size of team and league. What comes out is what libomp gives: thread t of n
// has the chunks t, t + n, …, or one block of the balanced division, and exactly the thread that runs the last
// iteration is told so. It holds for both ways in which compiled code goes on from there: Clang's, which adds the
// stride until it is beyond the loop, and that of LLVM's IR builder (Flang; Clang's -fopenmp-enable-irbuilder), which
// divides by the stride even where the thread has no chunk. libomp 19 itself gives the stride 0 for some chunks of a
// league's loop, and wants room in its teams (KMP_TEAMS_THREAD_LIMIT).
// RUN: %clang-openmp %s -o %t && %chomp-run env OMP_NUM_THREADS=8 KMP_TEAMS_THREAD_LIMIT=64 %t
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

enum { kMost = 13, kTeams = 4, kThreads = 8, kStrides = 6, kChunks = 8, kPlaces = 3 };
static const int strides[kStrides] = {1, -1, 2, -3, 7, -16};
static const int chunks[kChunks] = {-1, 1, 2, 3, 4, 8, 12, 100};
enum { kBlock = 34, kChunked = 33, kMultiples = 45, kOrderedChunked = 65, kTeamChunked = 91, kTeamBlock = 92 };
// Where several threads of each team call; and where only the initial thread of each team does.
static const int codes[] = {kBlock, kChunked, kMultiples};
enum { kCodes = sizeof codes / sizeof *codes };

extern int __kmpc_global_thread_num(void*);

typedef struct {
  uint64_t lower, upper, stride, upper_of_team; // sign-extended
  int last;
} Result;
static Result results[kTeams][kThreads][kStrides][kChunks][kPlaces][kMost + 1];

typedef struct {
  const char* entry;
  int code, teams, threads, stride, chunk, place, length;
} Case;

static void wrong(const Case* c, const char* what, int team, int thread, const Result* r) {
  fprintf(stderr,
          "%s: code %d, %d iterations, stride %d, chunk %d, place %d, thread %d of %d of team %d of %d: %s\n"
          "lower %lld upper %lld stride %lld last %d\n",
          c->entry, c->code, c->length, c->stride, c->chunk, c->place, thread, c->threads, team, c->teams, what,
          (long long)r->lower, (long long)r->upper, (long long)r->stride, r->last);
  _exit(1);
}

typedef struct {
  int first, beyond;
} Block;

static Block balanced(int length, int part, int parts) {
  int small = length / parts, extras = length % parts;
  Block block = {part * small + (part < extras ? part : extras), 0};
  block.beyond = block.first + small + (part < extras);
  return block;
}

/// The part, of `parts`, that runs iteration i of 0 … length - 1.
static int part_of(int code, int length, int chunk, int parts, int i) {
  if (parts == 1) return 0;
  switch (code & ~(3 << 29)) {
  case kChunked:
  case kOrderedChunked:
  case kTeamChunked: return i / (chunk < 1 ? 1 : chunk) % parts;
  case kMultiples: {
    int multiple = chunk < 1 ? 1 : chunk, size = (length + parts - 1) / parts;
    return i / ((size + multiple - 1) / multiple * multiple);
  }
  default:
    for (int part = 0;; part++)
      if (i < balanced(length, part, parts).beyond) return part;
  }
}

static int is_chunked(int code) {
  code &= ~(3 << 29);
  return code == kChunked || code == kOrderedChunked || code == kTeamChunked;
}

#define TYPE(SUFFIX, T, U, SIGNED, LOWEST, HIGHEST)                                                                    \
  extern void __kmpc_for_static_init_##SUFFIX(void*, int, int, int*, T*, T*, SIGNED*, SIGNED, SIGNED);                 \
  extern void __kmpc_for_static_fini(void*, int);                                                                      \
  extern void __kmpc_dist_for_static_init_##SUFFIX(void*, int, int, int*, T*, T*, T*, SIGNED*, SIGNED, SIGNED);        \
  extern void __kmpc_team_static_init_##SUFFIX(void*, int, int*, T*, T*, SIGNED*, SIGNED, SIGNED);                     \
                                                                                                                       \
  /* The first value: in the middle, or so that the loop and one round of chunks beyond it just fit. */                \
  static T begin_##SUFFIX(const Case* c) {                                                                             \
    T room = (T)((T)(c->length + 1 + (c->chunk < 1 ? 1 : c->chunk) * kThreads) *                                       \
                 (T)(c->stride < 0 ? -c->stride : c->stride));                                                         \
    if (c->place == 0) return (T)(LOWEST / 2 + HIGHEST / 2);                                                           \
    if (c->place == 1) return c->stride > 0 ? (T)(HIGHEST - room) : (T)(LOWEST + room);                                \
    return c->stride > 0 ? (T)(LOWEST + (c->length == 0)) : (T)(HIGHEST - (c->length == 0));                           \
  }                                                                                                                    \
  /* Between two iterations where there is room: the last one need not be the bound. */                                \
  static T end_##SUFFIX(const Case* c) {                                                                               \
    T end = (T)((U)begin_##SUFFIX(c) + (U)(SIGNED)(c->length - 1) * (U)(SIGNED)c->stride);                             \
    if (c->length == 0) return (T)(begin_##SUFFIX(c) - (c->stride > 0 ? 1 : -1));                                      \
    return c->chunk % 2 == 0 ? (T)(end + (T)(c->stride / 2)) : end;                                                    \
  }                                                                                                                    \
                                                                                                                       \
  static void ask_##SUFFIX(const Case* c, Result* r) {                                                                 \
    T lower = begin_##SUFFIX(c), upper = end_##SUFFIX(c), upper_of_team = upper;                                       \
    SIGNED stride = 0;                                                                                                 \
    int last = 0, id = __kmpc_global_thread_num(0);                                                                    \
    if (c->entry[0] == 'f')                                                                                            \
      __kmpc_for_static_init_##SUFFIX(0, id, c->code, &last, &lower, &upper, &stride, c->stride, c->chunk);            \
    else if (c->entry[0] == 'd')                                                                                       \
      __kmpc_dist_for_static_init_##SUFFIX(0, id, c->code, &last, &lower, &upper, &upper_of_team, &stride, c->stride,  \
                                           c->chunk);                                                                  \
    else                                                                                                               \
      __kmpc_team_static_init_##SUFFIX(0, id, &last, &lower, &upper, &stride, c->stride, c->chunk);                    \
    Result result = {(uint64_t)lower, (uint64_t)upper, (uint64_t)stride, (uint64_t)upper_of_team, !!last};             \
    *r = result;                                                                                                       \
  }                                                                                                                    \
                                                                                                                       \
  /* Notes what compiled code runs that adds the stride. */                                                            \
  static void run_##SUFFIX(const Case* c, int team, int thread, const Result* r, int* ran, int me) {                   \
    T first = begin_##SUFFIX(c), lower = (T)r->lower, upper = (T)r->upper, global = (T)r->upper_of_team;               \
    if (is_chunked(c->code) && (SIGNED)r->stride == 0) wrong(c, "its stride is 0", team, thread, r);                   \
    for (;;) {                                                                                                         \
      if (c->stride > 0 ? upper > global : upper < global) upper = global;                                             \
      if (c->stride > 0 ? lower > upper : lower < upper) break;                                                        \
      T distance = c->stride > 0 ? (T)((U)lower - (U)first) : (T)((U)first - (U)lower);                                \
      T size = c->stride > 0 ? (T)((U)upper - (U)lower) : (T)((U)lower - (U)upper);                                    \
      U width = (U)(c->stride > 0 ? c->stride : -c->stride);                                                           \
      U i = (U)distance / width, beyond = i + (U)size / width + 1;                                                     \
      if ((U)distance % width != 0 || beyond > (U)c->length) wrong(c, "it leaves the loop", team, thread, r);          \
      for (; i < beyond; i++) {                                                                                        \
        if (ran[i] != -1) wrong(c, "an iteration is run twice", team, thread, r);                                      \
        ran[i] = me;                                                                                                   \
      }                                                                                                                \
      if (!is_chunked(c->code)) break;                                                                                 \
      lower = (T)((U)lower + (U)r->stride);                                                                            \
      upper = (T)((U)upper + (U)r->stride);                                                                            \
    }                                                                                                                  \
  }                                                                                                                    \
  /* Notes what the code of the IR builder runs. Its loops begin with 0, and it counts in unsigned numbers. */         \
  static void run_divided_##SUFFIX(const Case* c, int team, int thread, const Result* r, int* ran, int me) {           \
    U first = (U)begin_##SUFFIX(c), end = (U)(T)r->upper_of_team - first + 1;                                          \
    U start = (U)r->lower - first, size = (U)r->upper - first + 1 - start, step = (U)r->stride;                        \
    if (step == 0 && is_chunked(c->code)) wrong(c, "its stride is 0", team, thread, r);                                \
    if (!is_chunked(c->code)) step = end + 1;                                                                          \
    U span = end - start, rounds = end <= start ? 0 : span <= step ? 1 : (span - 1) / step + 1;                        \
    for (U round = 0; round < rounds; round++) {                                                                       \
      U from = start + round * step, count = from + size >= end ? end - from : size;                                   \
      for (U i = from; i < from + count; i++) {                                                                        \
        if (i >= (U)c->length || ran[i] != -1) wrong(c, "iterations are wrong when divided", team, thread, r);         \
        ran[i] = me;                                                                                                   \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void check_##SUFFIX(const Case* c, int s, int k) {                                                            \
    for (int divided = 0; divided <= (c->stride == 1 && c->length > 0); divided++) {                                   \
      int ran[kMost];                                                                                                  \
      memset(ran, -1, sizeof ran);                                                                                     \
      for (int team = 0; team < c->teams; team++)                                                                      \
        for (int thread = 0; thread < c->threads; thread++) {                                                          \
          const Result* r = &results[team][thread][s][k][c->place][c->length];                                         \
          (divided ? run_divided_##SUFFIX : run_##SUFFIX)(c, team, thread, r, ran, team * kThreads + thread);          \
        }                                                                                                              \
      for (int i = 0; i < c->length; i++) {                                                                            \
        int wanted, team = 0;                                                                                          \
        if (c->entry[0] == 'd') {                                                                                      \
          team = part_of(kBlock, c->length, 0, c->teams, i);                                                           \
          Block own = balanced(c->length, team, c->teams);                                                             \
          wanted = part_of(c->code, own.beyond - own.first, c->chunk, c->threads, i - own.first);                      \
        } else if (c->entry[0] == 't' || c->code == kTeamChunked || c->code == kTeamBlock) {                           \
          team = part_of(c->code, c->length, c->chunk, c->teams, i), wanted = 0;                                       \
        } else {                                                                                                       \
          wanted = part_of(c->code, c->length, c->chunk, c->threads, i);                                               \
        }                                                                                                              \
        if (ran[i] != team * kThreads + wanted)                                                                        \
          wrong(c, "an iteration is another thread's", team, wanted,                                                   \
                &results[team][wanted][s][k][c->place][c->length]);                                                    \
      }                                                                                                                \
      for (int team = 0; team < c->teams; team++)                                                                      \
        for (int thread = 0; thread < c->threads; thread++) {                                                          \
          const Result* r = &results[team][thread][s][k][c->place][c->length];                                         \
          int has_last = c->length > 0 && ran[c->length - 1] == team * kThreads + thread;                              \
          if (r->last != has_last) wrong(c, "it is told wrongly whether it has the last", team, thread, r);            \
        }                                                                                                              \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void each_##SUFFIX(Case c, int team, int thread, int checked) {                                               \
    for (int s = 0; s < kStrides; s++)                                                                                 \
      for (int k = 0; k < kChunks; k++) {                                                                              \
        c.stride = strides[s], c.chunk = chunks[k];                                                                    \
        if (c.code == kMultiples && (c.chunk < 1 || (c.chunk & (c.chunk - 1)) != 0)) continue; /* a width of simd */   \
        for (c.place = 0; c.place < kPlaces; c.place++)                                                                \
          for (c.length = c.entry[0] != 'f'; c.length <= kMost; c.length++) { /* the others: never empty */            \
            if (checked)                                                                                               \
              check_##SUFFIX(&c, s, k);                                                                                \
            else                                                                                                       \
              ask_##SUFFIX(&c, &results[team][thread][s][k][c.place][c.length]);                                       \
          }                                                                                                            \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void loops_##SUFFIX(void) {                                                                                   \
    for (int threads = 1; threads <= kThreads; threads++)                                                              \
      for (int code = 0; code < kCodes; code++) {                                                                      \
        Case c = {"for_static_init_" #SUFFIX, codes[code], 1, threads, 0, 0, 0, 0};                                    \
        _Pragma("omp parallel num_threads(threads)") {                                                                 \
          CHECK_EQ(omp_get_num_threads(), threads);                                                                    \
          each_##SUFFIX(c, 0, omp_get_thread_num(), 0);                                                                \
        }                                                                                                              \
        each_##SUFFIX(c, 0, 0, 1);                                                                                     \
      }                                                                                                                \
  }                                                                                                                    \
  static void leagues_##SUFFIX(void) {                                                                                 \
    for (int teams = 1; teams <= kTeams; teams++) {                                                                    \
      Case of_teams[] = {{"for_static_init_" #SUFFIX, kTeamBlock, teams, 1, 0, 0, 0, 0},                               \
                         {"for_static_init_" #SUFFIX, kTeamChunked, teams, 1, 0, 0, 0, 0},                             \
                         {"team_static_init_" #SUFFIX, kTeamChunked, teams, 1, 0, 0, 0, 0}};                           \
      for (int i = 0; i < 3; i++) {                                                                                    \
        _Pragma("omp teams num_teams(teams) thread_limit(1)") {                                                        \
          CHECK_EQ(omp_get_num_teams(), teams);                                                                        \
          each_##SUFFIX(of_teams[i], omp_get_team_num(), 0, 0);                                                        \
        }                                                                                                              \
        each_##SUFFIX(of_teams[i], 0, 0, 1);                                                                           \
      }                                                                                                                \
      for (int threads = 1; threads <= 3; threads++)                                                                   \
        for (int code = 0; code < 2; code++) {                                                                         \
          Case c = {"dist_for_static_init_" #SUFFIX, codes[code], teams, threads, 0, 0, 0, 0};                         \
          _Pragma("omp teams num_teams(teams) thread_limit(threads)") {                                                \
            int team = omp_get_team_num();                                                                             \
            _Pragma("omp parallel num_threads(threads)") {                                                             \
              CHECK_EQ(omp_get_num_threads(), threads);                                                                \
              each_##SUFFIX(c, team, omp_get_thread_num(), 0);                                                         \
            }                                                                                                          \
          }                                                                                                            \
          each_##SUFFIX(c, 0, 0, 1);                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
  }
TYPE(4, int32_t, uint32_t, int32_t, INT32_MIN, INT32_MAX)
TYPE(4u, uint32_t, uint32_t, int32_t, 0, UINT32_MAX)
TYPE(8, int64_t, uint64_t, int64_t, INT64_MIN, INT64_MAX)
TYPE(8u, uint64_t, uint64_t, int64_t, 0, UINT64_MAX)

int main(void) {
  omp_set_dynamic(0);
  loops_4(), loops_4u(), loops_8(), loops_8u();
  leagues_4(), leagues_4u(), leagues_8(), leagues_8u();
  return 0;
}
