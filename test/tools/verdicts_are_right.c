// What is said of two sides whose true ratio is known, on machines with noise of every kind: wrong at most once in
// 1000, and of a factor of two or more at most one in twenty is left open.
// RUN: %clang -std=gnu11 -O2 -Wall -I%root -I%root/test %s %root/tools/shipped/chomp/verdict.c -lm -o %t && %t
// LOOKS AT: tools/shipped/chomp
// `t SESSIONS` simulates so many of each cell, and prints a table.
#include "tools/shipped/chomp/verdict.h"

#include <math.h>
#include <string.h>

#include "support/random.h"

enum { kNone, kGaussian, kHeavy, kBursts, kDrift, kNearOrFar, kEachNearOrFar, kFirstIsSlow, kLoad, kAll, kNoises };
static const char* const noises[] = {"none",       "gaussian",          "heavy tails",    "bursts",
                                     "drift",      "near/far, lasting", "near/far, each", "first is slow",
                                     "load 20-78", "all of these"};
static const double effects[] = {1, 1.02, 1.1, 1.5, 2, 4.4, 8.8, 17, 30};
enum { kEffects = sizeof effects / sizeof *effects, kMost = 40 };

static uint64_t state;

static double uniform(void) { return (double)((random_hash(state++) >> 11) + 1) * 0x1p-53; }
static double gauss(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

// A machine: what it is, and what it does at the moment. Of each run the logarithms of what it makes of wall and CPU
// time.
struct Machine {
  double spread, cpu_spread, begin, end, factor, slope, drifted, lag;
  int noise, far, burst;
};

static struct Machine new_machine(int noise) {
  return (struct Machine){.noise = noise,
                          .spread = 0.003 * pow(100, uniform()),
                          .cpu_spread = 0.005 + 0.08 * uniform(),
                          .begin = 0.02 + 0.5 * uniform(),
                          .end = 0.05 + 0.9 * uniform(),
                          .factor = log(1.2 + 3 * uniform()),
                          .slope = 0.6 * uniform() - 0.3,
                          .far = uniform() < 0.5,
                          .lag = gauss()};
}

static void run_on(struct Machine* m, int second, double* wall, double* cpu) {
  int all = m->noise == kAll;
  *wall = 1e-5 * gauss(), *cpu = m->noise == kNone ? *wall : m->cpu_spread * gauss();
  if (m->noise == kGaussian) *wall += m->spread * gauss();
  if (m->noise == kHeavy)
    *wall += fabs(m->spread * gauss() / sqrt(-log(uniform()))); // Student's t, two degrees of freedom
  if (m->noise == kBursts || all) {
    if (uniform() < (m->burst ? m->end : m->begin)) m->burst = !m->burst;
    *wall += 0.02 * gauss() + (m->burst ? log(1 + 2 * expm1(m->factor) * uniform()) : 0);
    *cpu += m->burst ? 0.1 * uniform() : 0;
  }
  if (m->noise == kDrift || all) {
    m->drifted += m->slope * (1 + 0.1 * gauss());
    if (fabs(m->drifted) > 2) m->slope = -m->slope;
    *wall += m->drifted + 0.02 * gauss(), *cpu += 0.02 * m->drifted;
  }
  if (m->noise == kNearOrFar || all) {
    if (uniform() < m->end * m->end) m->far = !m->far;
    *wall += m->far * m->factor + 0.01 * gauss(), *cpu += m->far * m->factor / 2;
  }
  if (m->noise == kEachNearOrFar) {
    double far = uniform() < 0.5 ? m->factor : 0;
    *wall += far + 0.003 * gauss(), *cpu += far / 2;
  }
  if (m->noise == kFirstIsSlow) { // of each round: by up to 1.7 times
    double slow = second ? 0 : 0.37 * m->factor;
    *wall += slow + m->spread * gauss(), *cpu += slow / 2;
  }
  if (m->noise == kLoad || all) {
    m->lag = 0.8 * m->lag + 0.6 * gauss();
    *wall += 0.4 * m->lag + 0.35 * gauss() - 0.3 * log(uniform()), *cpu += 0.1 * gauss();
  }
}

// What a run of many rounds says at last, and after how many rounds. `cpu_effect` 0: CPU times are not known.
static struct Verdict session(int noise, double effect, double cpu_effect, int* rounds) {
  struct Machine machine = new_machine(noise);
  double wall[2][kMost], cpu[2][kMost];
  struct Verdict verdict = {0};
  for (int round = 0; round < kMost; ++round) {
    for (int turn = 0; turn < 2; ++turn) {
      int side = turn ^ second_begins(round);
      double w, c;
      run_on(&machine, turn, &w, &c);
      wall[side][round] = (side ? effect : 1) * exp(w), cpu[side][round] = (side ? cpu_effect : 1) * exp(c);
    }
    *rounds = round + 1;
    if (!may_look(*rounds)) continue;
    int known = cpu_effect != 0;
    compare(*rounds, wall[0], wall[1], known ? cpu[0] : NULL, known ? cpu[1] : NULL, &verdict);
    if (verdict.word != kNotSettled) break;
  }
  return verdict;
}

static int is_wrong(enum Word word, double effect) {
  return (word == kFaster && effect <= 1) || (word == kSlower && effect >= 1) ||
         (word == kLevel && (effect > 1.03 || effect * 1.03 < 1));
}

struct Tally {
  long sessions, wrong, open, rounds;
};

static struct Tally cell(int noise, double effect, double cpu_effect, long sessions) {
  struct Tally tally = {.sessions = sessions};
  for (long i = 0; i < sessions; ++i) {
    double sign = i % 2 == 0 ? 1 : -1;
    int rounds;
    struct Verdict verdict = session(noise, pow(effect, sign), cpu_effect != 0 ? pow(cpu_effect, sign) : 0, &rounds);
    double true_ratio = pow(verdict.by_cpu ? cpu_effect : effect, sign);
    tally.wrong += is_wrong(verdict.word, true_ratio), tally.open += verdict.word == kNotSettled,
        tally.rounds += rounds;
  }
  return tally;
}

// Few sessions may have more by chance: four standard deviations, and two where there is hardly one.
static double allowed(double share, long sessions) {
  double mean = share * (double)sessions;
  return mean + 4 * sqrt(mean) + 2;
}

static void check_all(long sessions, int print) {
  struct Tally all = {0};
  for (int known = 0; known < 2; ++known) {
    if (print)
      printf("\n%s: wrong of 10000 / not settled, %% / rounds\n", known ? "wall and CPU time" : "wall time alone");
    for (int noise = 0; noise < kNoises; ++noise) {
      if (print) printf("%-18s", noises[noise]);
      for (int i = 0; i < kEffects; ++i) {
        struct Tally tally = cell(noise, effects[i], known ? effects[i] : 0, sessions);
        double count = (double)sessions;
        if (print)
          printf("  %3.1f/%5.2f/%2.0f", 1e4 * (double)tally.wrong / count, 100 * (double)tally.open / count,
                 (double)tally.rounds / count);
        all.sessions += sessions, all.wrong += tally.wrong;
        CHECK((double)tally.wrong <= allowed(0.001, sessions));
        if (known && effects[i] >= 2) CHECK((double)tally.open <= allowed(0.05, sessions));
        if (known && noise == kNone) CHECK_EQ(tally.open, 0);
      }
      if (print) putchar('\n');
    }
  }
  if (print) printf("\n%ld sessions, %ld wrong\n", all.sessions, all.wrong);
  CHECK(all.wrong <= all.sessions / 1000);
}

// Idle threads that spin: CPU time says nothing of time. What is said of wall time alone must be right.
static void check_that_cpu_time_is_named(long sessions) {
  for (int noise = 0; noise < kNoises; ++noise)
    CHECK((double)cell(noise, 1, 2, sessions).wrong <= allowed(0.001, sessions));
  struct Verdict verdict;
  double ours[8], theirs[8], our_cpu[8], their_cpu[8];
  for (int i = 0; i < 8; ++i) {
    ours[i] = 2 + 0.01 * i, theirs[i] = i % 2 ? 1 : 1.1, our_cpu[i] = 2 + 0.01 * i, their_cpu[i] = 4;
  }
  compare(8, ours, theirs, our_cpu, their_cpu, &verdict);
  CHECK(verdict.word == kSlower && !verdict.by_cpu);
  for (int i = 0; i < 8; ++i) theirs[i] = i % 2 ? 0.2 : 2; // not settled, and far from what CPU time says
  compare(8, ours, theirs, our_cpu, their_cpu, &verdict);
  CHECK(verdict.word == kNotSettled || verdict.wall.high >= verdict.cpu.low);
  for (int i = 0; i < 8; ++i) theirs[i] = i % 2 ? 2 : 8;
  compare(8, ours, theirs, our_cpu, their_cpu, &verdict);
  CHECK(verdict.word == kFaster && verdict.by_cpu && verdict.wall.word == kNotSettled);
}

// Ratios that people met on busy machines.
static void check_plain_cases(void) {
  static const double plain[][kLeastRounds] = {{17.1, 16.2, 8.7, 17.4, 18.8, 15.9, 17.9},
                                               {4.44, 2.7, 10.4, 4.1, 3.9, 5.2, 5.6},
                                               {33.1, 24.4, 37.5, 35, 30.2, 33.6, 28.8}};
  double ones[kLeastRounds];
  for (int i = 0; i < kLeastRounds; ++i) ones[i] = 1;
  struct Verdict verdict;
  for (int i = 0; i < 3; ++i) {
    compare(kLeastRounds, ones, plain[i], NULL, NULL, &verdict);
    CHECK(verdict.word == kFaster && verdict.wall.low < plain[i][0] && plain[i][0] < verdict.wall.high);
    compare(kLeastRounds, plain[i], ones, NULL, NULL, &verdict);
    CHECK(verdict.word == kSlower && verdict.wall.high < 1);
    compare(1, ones, plain[i], NULL, NULL, &verdict);
    CHECK(verdict.word == kNotSettled);
  }
  static const double two[] = {97, 212};
  compare(2, ones, two, NULL, NULL, &verdict); // nobody needs more rounds for that
  CHECK(verdict.word == kFaster && verdict.wall.low > 1.03 && verdict.wall.high > 212);
  static const double twice[] = {4, 4}; // but for this
  compare(2, ones, twice, NULL, NULL, &verdict);
  CHECK(verdict.word == kNotSettled);
  compare(0, NULL, NULL, NULL, NULL, &verdict);
  CHECK(verdict.word == kNotSettled);
  memset(ones, 0, sizeof ones);
  compare(kLeastRounds, ones, plain[0], ones, plain[0], &verdict); // shorter than the clock's step
  CHECK(verdict.word == kNotSettled);
}

static void check_turns(void) {
  for (int round = 0; round < kMostRounds; round += 2) CHECK_EQ(second_begins(round) + second_begins(round + 1), 1);
  CHECK(!may_look(1) && may_look(kLeastRounds) && !may_look(kLeastRounds + 1) && may_look(kMostRounds));
}

int main(int count, char** arguments) {
  state = random_hash(random_seed()) << 20;
  long sessions = count > 1 ? atol(arguments[1]) : 250L * stress_factor();
  check_turns();
  check_plain_cases();
  check_all(sessions, count > 1);
  check_that_cpu_time_is_named(sessions);
  return 0;
}
