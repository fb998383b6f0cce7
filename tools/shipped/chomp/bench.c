// chomp bench: a program on the OpenMP library that it has now and on chomp, in turn, for about a minute. The ratios
// are those of runs beside each other; verdict.h says what the noise leaves of them.
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "command.h"

static const char usage[] =
    "usage: chomp bench [options] program [argument ...]\n"
    "Runs a program on the OpenMP library that it has now and on chomp, in turn, for about a minute, and compares. "
    "What\n"
    "the program prints is thrown away.\n"
    "  --threads N,...    with so many threads (OMP_NUM_THREADS); several numbers give several lines\n"
    "  --seconds N        for about so long, 60 by default; longer, up to twelve rounds, until it is settled\n"
    "  --rounds N         so many rounds, however long they take\n"
    "  --show             what the program prints is shown\n"
    "  --export FILE      what was measured, as FILE.json, FILE.csv or FILE.md; more than once, if wanted\n"
    "  --scheduler NAME, --domain LEVEL, --force   as of `chomp run`\n"
    "  --help             this text\n"
    "The status is 0 if all runs of both have ended with status 0, else 1.\n";

enum { kEnough = 12, kMostSeconds = 1000000, kMostExports = 4 };

static const char* preloads[2]; // LD_PRELOAD of each side; null: none
static int show;
static char folder[PATH_MAX];     // of `proof`
static char proof[PATH_MAX + 16]; // where a run that is not measured puts CHOMP_STATS, if chomp starts in it
static int started[2];            // whether it has, on each side

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noreturn)) static void become(int side, char** arguments, int measured) {
  if (!measured) set("CHOMP_STATS", proof);
  if (preloads[side] != NULL)
    setenv("LD_PRELOAD", preloads[side], 1);
  else
    unsetenv("LD_PRELOAD");
  int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (!show && nothing >= 0) dup2(nothing, STDOUT_FILENO), dup2(nothing, STDERR_FILENO);
  execute(arguments);
}

// Runs the program once. Its time in seconds; `cpu`: that of all its threads together.
static double run_once(int side, char** arguments, int measured, double* cpu, int* status) {
  struct rusage used;
  double begin = now();
  if (start_child() == 0) become(side, arguments, measured);
  *status = wait_for_child(&used);
  double seconds = now() - begin;
  *cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
  return seconds;
}

static void note_progress(const char* text) {
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%-40s\r%s", "", text);
}

struct Verdict verdict_of(const struct Series* series) {
  struct Verdict verdict;
  compare(series->rounds, series->seconds[kChomp], series->seconds[kOwn], series->cpu[kChomp], series->cpu[kOwn],
          &verdict);
  return verdict;
}

// Whether no further round is needed when the time is over.
static int is_enough(const struct Series* series) {
  return series->rounds >= kEnough || (may_look(series->rounds) && verdict_of(series).word != kNotSettled);
}

// One run of each to warm up, then rounds.
static void measure_series(char** arguments, double seconds, int rounds, struct Series* series) {
  double begin = 0;
  for (int round = -1; round < kMostRounds && (rounds == 0 || round < rounds); ++round) {
    if (round == 0) begin = now();
    int over = round > 0 && (now() - begin) / round * (round + 1) > seconds;
    if (rounds == 0 && over && is_enough(series)) break;
    int first = round < 0 || second_begins(round) ? kChomp : kOwn;
    for (int turn = 0; turn < 2; ++turn) {
      int side = turn ^ first, status;
      char text[64];
      snprintf(text, sizeof text, "round %d, %s", round + 1, side == kChomp ? "chomp" : "its own library");
      note_progress(text);
      double cpu, time = run_once(side, arguments, round >= 0, &cpu, &status);
      if (interrupted()) return note_progress(""); // of this round nothing counts
      if (status != 0) ++series->failed[side], series->status[side] = status;
      if (round < 0) started[side] = unlink(proof) == 0;
      if (round >= 0) series->seconds[side][round] = time, series->cpu[side][round] = cpu;
    }
    series->rounds = round + 1;
    if (series->failed[kOwn] + series->failed[kChomp] > 0 || !started[kChomp] || started[kOwn]) break;
  }
  note_progress("");
}

static int by_size(const void* a, const void* b) {
  double one = *(const double*)a, other = *(const double*)b;
  return (one > other) - (one < other);
}

struct Spread spread_of(const double* values, int count) {
  double sorted[kMostRounds];
  memcpy(sorted, values, (size_t)count * sizeof *values);
  qsort(sorted, (size_t)count, sizeof *sorted, by_size);
  double median = count % 2 != 0 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
  return (struct Spread){median, sorted[0], sorted[count - 1]};
}

struct Spread ratio_of(const double* own, const double* chomps, int rounds) {
  double ratios[kMostRounds];
  for (int i = 0; i < rounds; ++i) ratios[i] = chomps[i] > 0 ? own[i] / chomps[i] : 1;
  return spread_of(ratios, rounds);
}

// Never more than the rounds say: what noise decides is neither a gain nor a loss.
static void say_verdict(const struct Series* series) {
  struct Verdict verdict = verdict_of(series);
  struct Ratio wall = verdict.wall, cpu = verdict.cpu;
  if (verdict.word == kNotSettled && series->rounds < kLeastRounds) {
    printf("not settled: %d round%s; most take %d\n", series->rounds, series->rounds == 1 ? "" : "s", kLeastRounds);
  } else if (verdict.word == kNotSettled) {
    printf("not settled: %.2f to %.2f times as fast", wall.low, wall.high);
    if (cpu.high < INFINITY) printf(", by CPU time %.2f to %.2f", cpu.low, cpu.high);
    puts("; longer (--seconds) may tell");
  } else if (verdict.by_cpu) {
    printf("settled by CPU time: chomp takes %s of it, by a factor of %.2f to %.2f; wall time leaves it open: %.2f to "
           "%.2f\n",
           verdict.word == kFaster   ? good("less")
           : verdict.word == kSlower ? bad("more")
                                     : "as much",
           cpu.low, cpu.high, wall.low, wall.high);
  } else {
    printf("settled: chomp is %s: %.2f to %.2f times as fast\n",
           verdict.word == kFaster   ? good("faster")
           : verdict.word == kSlower ? bad("slower")
                                     : "level",
           wall.low, wall.high);
  }
}

int is_empty(const struct Series* series) {
  return series->rounds == 0 || series->failed[kOwn] + series->failed[kChomp] > 0 || !started[kChomp] || started[kOwn];
}

static void say_failure(const struct Series* series, int side, const char* name) {
  int status = series->status[side];
  printf("  on %s the program %s %d: nothing is compared\n", name,
         WIFSIGNALED(status) ? "is killed by signal" : "ends with status",
         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

// The two sides were not what they are called.
static void say_no_difference(void) {
  if (started[kOwn])
    printf("  it is on chomp already, without a preload: nothing to compare\n");
  else
    printf(
        "  chomp did not start in it: it makes no OpenMP call, or what it starts has no LD_PRELOAD any more. Nothing "
        "is\n  compared; `chomp doctor` says more\n");
}

static void say_side(const char* name, const double* seconds, const double* cpu, int rounds) {
  struct Spread time = spread_of(seconds, rounds);
  printf("  %-20.64s  %9.3f s  (%.3f to %.3f), CPU time %.3f s\n", name, time.median, time.least, time.most,
         spread_of(cpu, rounds).median);
}

static void say_series(const struct Series* series, const char* own) {
  int rounds = series->rounds;
  struct Spread ratio = ratio_of(series->seconds[kOwn], series->seconds[kChomp], rounds),
                cpu = ratio_of(series->cpu[kOwn], series->cpu[kChomp], rounds);
  say_side(own, series->seconds[kOwn], series->cpu[kOwn], rounds);
  say_side("chomp", series->seconds[kChomp], series->cpu[kChomp], rounds);
  printf("  %-20s  %9.2f    (%.2f to %.2f), CPU time %.2f (%.2f to %.2f)\n  ", "ratio", ratio.median, ratio.least,
         ratio.most, cpu.median, cpu.least, cpu.most);
  say_verdict(series);
}

// The OpenMP library that the program has now; "its own library" where the loader does not show it.
static void find_own_library(const char* program, char* name, size_t room) {
  char path[PATH_MAX];
  struct ElfFile file;
  snprintf(name, room, "its own library");
  if (!find_program(program, path)) return;
  read_elf(path, &file);
  if (!file.is_elf || !file.dynamic || file.interpreter[0] == 0) return;
  struct Trace trace;
  trace_loader(path, NULL, NULL, &trace);
  for (int i = 0; i < trace.loaded_count; ++i) {
    if (!names_openmp(trace.loaded[i].name) || trace.loaded[i].path[0] == 0) continue;
    struct ElfFile one;
    read_elf(trace.loaded[i].path, &one);
    if (one.is_chomp) die("the program has chomp already (%s); nothing to compare it with", trace.loaded[i].path);
    snprintf(name, room, "%s", trace.loaded[i].name);
    break;
  }
  trace_free(&trace);
}

static double load_average(void) {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

struct Request {
  char* threads[kMostCounts]; // empty: as the environment has it
  char* exports[kMostExports];
  int thread_counts, export_count, seconds, rounds, force;
};

static void read_options(int* count, char*** arguments, struct Request* request) {
  while (*count > 0 && (*arguments)[0][0] == '-') {
    const char *argument = *(*arguments)++, *value;
    --*count;
    if (strcmp(argument, "--") == 0) break;
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) exit(fputs(usage, stdout) < 0);
    if (strcmp(argument, "--show") == 0) {
      show = 1;
    } else if ((value = option("--seconds", argument, count, arguments)) != NULL) {
      request->seconds = (int)number("--seconds", value, 1, kMostSeconds);
    } else if ((value = option("--rounds", argument, count, arguments)) != NULL) {
      request->rounds = (int)number("--rounds", value, 1, kMostRounds);
    } else if ((value = option("--export", argument, count, arguments)) != NULL) {
      if (request->export_count == kMostExports) die("at most %d files", kMostExports);
      check_export(request->exports[request->export_count++] = (char*)value);
    } else if ((value = option("--threads", argument, count, arguments)) != NULL) {
      for (char* one = strtok(strdup(value), ","); one != NULL; one = strtok(NULL, ",")) {
        if (request->thread_counts == kMostCounts) die("at most %d numbers of threads", kMostCounts);
        check_threads("--threads", one);
        request->threads[request->thread_counts++] = one;
      }
    } else if (strncmp(argument, "--stats", strlen("--stats")) == 0 ||
               !run_option(argument, count, arguments, &request->force)) {
      die("no such option: %s\n%s", argument, usage);
    }
  }
  if (*count < 1) die("which program?\n%s", usage);
}

static int say(const struct Series* series, const char* own) {
  int failed = is_empty(series);
  printf("\nOMP_NUM_THREADS %s, %d round%s\n", series->threads != NULL ? series->threads : "not set", series->rounds,
         series->rounds == 1 ? "" : "s");
  if (series->failed[kOwn] > 0) say_failure(series, kOwn, own);
  if (series->failed[kChomp] > 0) say_failure(series, kChomp, "chomp");
  if (!failed)
    say_series(series, own);
  else if (series->failed[kOwn] + series->failed[kChomp] == 0 && interrupted())
    printf("  interrupted before the end of a round: nothing is compared\n");
  else if (series->failed[kOwn] + series->failed[kChomp] == 0)
    say_no_difference();
  fflush(stdout);
  return failed;
}

static void say_circumstances(const struct Bench* bench, int failed) {
  if (!failed)
    printf("\nMedians (least to most); the ratio is of runs beside each other, above 1 where chomp is faster.\n");
  printf("%d CPUs; load average %.1f before, %.1f after.", bench->cpus, bench->load_before, bench->load_after);
  // Our own runs bring the load up, so only what was there before says something.
  if (bench->load_before > 0.3 * bench->cpus)
    printf(" Others use this machine: the times are longer than they need be, and vary.");
  putchar('\n');
}

int bench(int count, char** arguments) {
  static struct Bench all;
  struct Request request = {.seconds = 60};
  read_options(&count, &arguments, &request);
  char own[NAME_MAX + 1];
  find_own_library(arguments[0], own, sizeof own);
  preloads[kOwn] = getenv("LD_PRELOAD") != NULL ? strdup(getenv("LD_PRELOAD")) : NULL;
  prepare_program(arguments[0], request.force);
  preloads[kChomp] = strdup(getenv("LD_PRELOAD"));
  if (getenv("CHOMP_SCHEDULER") != NULL) check_scheduler(getenv("CHOMP_SCHEDULER"));
  take_signals();
  make_temporary_folder(NULL, "chomp-bench", folder);
  snprintf(proof, sizeof proof, "%s/stats.json", folder);

  cpu_set_t mask;
  all.words = arguments;
  all.own = own;
  all.cpus = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
  all.load_before = load_average();
  printf("%s on %s and on chomp, in turn\n", arguments[0], own);
  int failed = 0, series_count = request.thread_counts > 0 ? request.thread_counts : 1;
  while (all.series_count < series_count && !interrupted()) {
    struct Series* series = &all.series[all.series_count++];
    if (request.thread_counts > 0) set("OMP_NUM_THREADS", request.threads[all.series_count - 1]);
    if (getenv("OMP_NUM_THREADS") != NULL) series->threads = strdup(getenv("OMP_NUM_THREADS"));
    measure_series(arguments, (double)request.seconds / series_count, request.rounds, series);
    failed |= say(series, own);
  }
  unlink(proof);
  rmdir(folder);
  all.load_after = load_average();
  say_circumstances(&all, failed);
  for (int i = 0; i < request.export_count; ++i) export_bench(&all, request.exports[i]);
  return interrupted() ? 128 + interrupted() : failed;
}
