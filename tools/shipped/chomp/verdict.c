// The verdict: an interval of the ratio over all rounds, and what it leaves out.
//
// What disturbs the runs is the same for both sides, so the logarithms of the rounds' ratios lie about the true one as
// often above as below. Of less than sixteen rounds Student's t makes the interval, which is wide where they differ
// much; from there on the ranks of Wilcoxon's signed-rank test do, exactly and for any distribution. Fewer than seven
// may be alike by chance, on a machine whose runs take now one time, now twice that: there the interval reaches beyond
// the least and the most by a factor that so many rounds in a row hardly have on any machine, and only what is plain is
// settled.
//
// Each interval is left by the true ratio once in 6667 times, so that all looks of a run, at wall and CPU time, err
// less than once in 1000: test/tools/verdicts_are_right.c. Dropping rounds in which others had the CPUs left nothing
// on a machine that is always busy; a bootstrap of few rounds is too narrow.
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double kErr = 0.00015; // of one interval, both sides
static const double kNoise = 1.03;  // two builds of the same program differ by as much; closer than this is level
enum { kRanksFrom = 16 };           // of fewer rounds even all on one side are not sure enough

// Student's t for kErr, by degrees of freedom from kLeastRounds - 1 on.
static const double students_t[] = {8.450, 7.395, 6.717, 6.248, 5.905, 5.645, 5.440, 5.276, 5.141};

// By rounds, from two on: what noise does not do to so many of them.
static const double beyond[kLeastRounds - 2] = {24, 12, 8, 6, 5};

int may_look(int rounds) {
  static const int looks[] = {2, 3, 4, 5, 6, kLeastRounds, 9, 12, 16, 22, 30, 40, 55, 75, kMostRounds};
  for (unsigned i = 0; i < sizeof looks / sizeof *looks; ++i)
    if (rounds == looks[i]) return 1;
  return 0;
}

int second_begins(int round) { return __builtin_popcount((unsigned)round) & 1; }

static int by_size(const void* a, const void* b) {
  double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

// How many of the means of two rounds lie outside the interval at each end: as many as the signed-rank sum, of random
// signs, reaches with a chance of half of kErr.
static int ranks_outside(int count) {
  static double ways[kMostRounds * (kMostRounds + 1) / 2 + 1]; // to reach each sum
  int most = count * (count + 1) / 2, outside = 0;
  memset(ways, 0, sizeof ways);
  ways[0] = 1;
  for (int rank = 1; rank <= count; ++rank)
    for (int sum = most; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  double all = ldexp(1, count), below = ways[0];
  for (; 2 * below / all <= kErr; below += ways[++outside]) continue;
  return outside;
}

static void interval_by_ranks(const double* logs, int count, double* low, double* high) {
  static double means[kMostRounds * (kMostRounds + 1) / 2];
  int pairs = 0;
  for (int i = 0; i < count; ++i)
    for (int j = i; j < count; ++j) means[pairs++] = (logs[i] + logs[j]) / 2;
  qsort(means, (size_t)pairs, sizeof *means, by_size);
  int outside = ranks_outside(count);
  *low = means[outside - 1], *high = means[pairs - outside];
}

static void interval_by_t(const double* logs, int count, double* low, double* high) {
  double mean = 0, squares = 0;
  for (int i = 0; i < count; ++i) mean += logs[i] / count;
  for (int i = 0; i < count; ++i) squares += (logs[i] - mean) * (logs[i] - mean);
  double half = students_t[count - kLeastRounds] * sqrt(squares / (count - 1) / count);
  *low = mean - half, *high = mean + half;
}

// `sorted`, from the least to the most.
static void interval_by_range(const double* sorted, int count, double* low, double* high) {
  double more = log(beyond[count - 2] / kNoise);
  *low = sorted[0] - more, *high = sorted[count - 1] + more;
}

static struct Ratio of_times(int count, const double* ours, const double* theirs) {
  struct Ratio ratio = {1, 0, INFINITY, kNotSettled};
  double logs[kMostRounds], sorted[kMostRounds], low, high;
  for (int i = 0; i < count; ++i) {
    if (!(ours[i] > 0 && theirs[i] > 0)) return ratio; // shorter than the clock's step
    logs[i] = sorted[i] = log(theirs[i] / ours[i]);
  }
  if (count == 0) return ratio;
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  ratio.median = exp((sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
  if (count < 2) return ratio;
  if (count < kLeastRounds)
    interval_by_range(sorted, count, &low, &high);
  else
    (count < kRanksFrom ? interval_by_t : interval_by_ranks)(logs, count, &low, &high);
  ratio.low = exp(low), ratio.high = exp(high);
  if (ratio.low > kNoise)
    ratio.word = kFaster;
  else if (ratio.high * kNoise < 1)
    ratio.word = kSlower;
  else if (ratio.low * kNoise > 1 && ratio.high < kNoise)
    ratio.word = kLevel;
  return ratio;
}

void compare(int rounds, const double* ours, const double* theirs, const double* our_cpu, const double* their_cpu,
             struct Verdict* verdict) {
  int known = our_cpu != NULL && their_cpu != NULL;
  verdict->wall = of_times(rounds, ours, theirs);
  verdict->cpu = of_times(known ? rounds : 0, our_cpu, their_cpu);
  // A runtime whose threads idle takes less CPU time and more time: CPU time decides where wall time may be the same.
  int agree = verdict->cpu.low <= verdict->wall.high && verdict->wall.low <= verdict->cpu.high;
  verdict->by_cpu = verdict->wall.word == kNotSettled && verdict->cpu.word != kNotSettled && agree;
  verdict->word = verdict->by_cpu ? verdict->cpu.word : verdict->wall.word;
}
