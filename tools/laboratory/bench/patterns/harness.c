// Arguments, clock, verification and the line printed; see harness.h.
#define _GNU_SOURCE
#include "harness.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMaxPatterns = 16, kMaxReps = 1000, kMaxExtras = 8, kMaxLoaded = 8 };

static struct {
  uint64_t size, arg;
  int reps;
  double budget_ns, warm_ns;
  bool record, forks;
} options = {.reps = 5, .budget_ns = 1e18};

// What is known of one pattern.
typedef struct {
  const bench_pattern* pattern;
  double ns[kMaxReps]; // of the i-th turn, until they are sorted
  int reps;
  double spent_ns; // of the budget: all that run() does
  bool wrong;
  double timed_ns;    // the last argument of bench_took_ns(); 0: none
  double replaced_ns; // by bench_replace_ns(), if has_replaced
  bool has_replaced;
  double work_ns; // the least argument of bench_subtract_ns(); 0: none
  struct {
    const char* key;
    double value;
  } extras[kMaxExtras];
  int extra_count;
} bench_result;

static bench_result results[kMaxPatterns];
static int result_count;
static bench_result* current = results; // whose pattern runs

static int team_threads;
static double begun_ns;

bool bench_more(int done) { return done == 0 || (done < options.reps && current->spent_ns < options.budget_ns); }
bool bench_record(void) { return options.record; }
uint64_t bench_size(void) { return options.size; }
uint64_t bench_arg(void) { return options.arg; }
void bench_set_threads(int threads) { team_threads = threads; }
int bench_threads(void) { return team_threads; }
void bench_begin(void) { begun_ns = bench_now_ns(); }
void bench_end(void) { bench_took_ns(bench_now_ns() - begun_ns); }
void bench_took_ns(double ns) { current->timed_ns = ns; }

void bench_replace_ns(double ns_per_unit) {
  current->replaced_ns = ns_per_unit;
  current->has_replaced = true;
}

void bench_subtract_ns(double ns) {
  if (current->work_ns == 0 || ns < current->work_ns) current->work_ns = ns;
}

double bench_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

void bench_extra(const char* key, double value) {
  int i = 0;
  while (i < current->extra_count && strcmp(current->extras[i].key, key) != 0) i++;
  if (i == kMaxExtras) abort();
  if (i == current->extra_count) current->extra_count++;
  current->extras[i].key = key;
  current->extras[i].value = value;
}

__attribute__((noinline)) bool bench_once(const bench_pattern* pattern) { return pattern->run(options.size); }

void bench_note_time(int repetition, double ns, bool ok) {
  current->ns[repetition] = ns;
  current->spent_ns += ns;
  current->reps = repetition + 1;
  current->wrong = current->wrong || !ok;
}

// A process begins with both threads on one CPU and with cold memory. What runs in that time does not count.
static void warm_up(void) {
  const double end = bench_now_ns() + options.warm_ns;
  for (int i = 0; bench_now_ns() < end; i = (i + 1) % result_count) {
    current = &results[i];
    if (!bench_once(current->pattern)) current->wrong = true;
  }
}

// A program that starts another one: the child ends at once.
static void fork_once(void) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0 || waitpid(child, NULL, 0) != child) current->wrong = true;
}

static void measure_once(int turn) {
  if (options.forks) fork_once();
  const double start = bench_now_ns();
  const bool ok = bench_once(current->pattern);
  const double all = bench_now_ns() - start;
  const double timed = current->timed_ns > 0 ? current->timed_ns : all;
  bench_note_time(turn, timed, ok);
  current->spent_ns += all - timed;
}

// A pattern leaves the turns when its own budget is spent: a slow one takes no repetitions from the others.
void bench_measure(void) {
  warm_up();
  bool more = true;
  for (int turn = 0; more; turn++) {
    more = false;
    for (int i = 0; i < result_count; i++) {
      current = &results[(turn + i) % result_count];
      if (!bench_more(turn)) continue;
      measure_once(turn);
      more = true;
    }
  }
}

uint64_t bench_resident_kb(void) {
  unsigned long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lu %lu", &total, &resident) != 2) resident = 0;
  fclose(file);
  return resident * ((uint64_t)sysconf(_SC_PAGESIZE) / 1024);
}

// VmHWM, since getrusage() also counts what the process was before exec().
uint64_t bench_peak_kb(void) {
  char line[128];
  unsigned long long kb = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "VmHWM: %llu", &kb) == 1) break;
  if (file != NULL) fclose(file);
  return kb;
}

enum { kMaxThreads = 1024 };
static struct {
  _Alignas(128) uint64_t count;
} counts[kMaxThreads];
static atomic_int claimed;
_Thread_local uint64_t* bench_my_count;

uint64_t* bench_claim_count(void) {
  const int mine = atomic_fetch_add(&claimed, 1);
  if (mine >= kMaxThreads) abort();
  return bench_my_count = &counts[mine].count;
}

uint64_t bench_counted(void) {
  uint64_t sum = 0;
  for (int i = 0; i < atomic_load(&claimed); i++) {
    sum += counts[i].count;
    counts[i].count = 0;
  }
  return sum;
}

uint64_t bench_spin(uint64_t steps) {
  uint64_t x = steps | 1;
  for (uint64_t i = 0; i < steps; i++) {
    x = x * 0x9E3779B97F4A7C15u + 1;
    __asm__ volatile("" : "+r"(x));
  }
  return x;
}

static double ns_per_step(void) {
  static double cached;
  if (cached > 0) return cached;
  const uint64_t steps = 1 << 20;
  double best = 1e30;
  for (int i = 0; i < 15; i++) {
    const double start = bench_now_ns();
    bench_spin(steps);
    const double ns = bench_now_ns() - start;
    if (ns < best) best = ns;
  }
  return cached = best / (double)steps;
}

uint64_t bench_steps_for_ns(double ns) {
  const double steps = ns / ns_per_step();
  return steps < 1 ? 1 : (uint64_t)(steps + 0.5);
}

static bool is_runtime_library(const char* path) {
  static const char* const names[] = {"libomp", "libiomp5", "libgomp", "libtbb.so"};
  const char* slash = strrchr(path, '/');
  const char* base = slash != NULL ? slash + 1 : path;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
    if (strncmp(base, names[i], strlen(names[i])) == 0) return true;
  return false;
}

// Prints the files mapped into the process that are OpenMP or oneTBB runtimes, separated by commas.
static void print_loaded(void) {
  char seen[kMaxLoaded][PATH_MAX];
  char line[PATH_MAX + 128];
  int count = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    char* path = strchr(line, '/');
    if (path == NULL || count == kMaxLoaded) continue;
    path[strcspn(path, "\n")] = '\0';
    bool known = !is_runtime_library(path);
    for (int i = 0; i < count; i++) known = known || strcmp(seen[i], path) == 0;
    if (!known) snprintf(seen[count++], PATH_MAX, "%s", path);
  }
  if (maps != NULL) fclose(maps);
  for (int i = 0; i < count; i++) printf("%s%s", i != 0 ? "," : "", seen[i]);
  if (count == 0) printf("none");
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The time over that of the first pattern in the same turn, which met the same machine: the median of all turns.
static double beside_first(const bench_result* result) {
  double ratios[kMaxReps];
  const int turns = result->reps < results[0].reps ? result->reps : results[0].reps;
  for (int i = 0; i < turns; i++) ratios[i] = result->ns[i] / results[0].ns[i];
  qsort(ratios, (size_t)turns, sizeof(double), by_value);
  return ratios[turns / 2];
}

static void compare_patterns(void) {
  for (int i = 0; i < result_count && result_count > 1; i++) {
    current = &results[i];
    bench_extra("beside_first", beside_first(current));
  }
}

static void print_result(bench_result* result) {
  const double units = (double)result->pattern->units(options.size);
  const double first = result->ns[0] / units, work = result->work_ns / units;
  qsort(result->ns, (size_t)result->reps, sizeof(double), by_value);
  double best = result->ns[0] / units - work, median = result->ns[result->reps / 2] / units - work;
  if (result->has_replaced) best = median = result->replaced_ns;
  printf("pattern=%s size=%llu units=%.0f ns_per_unit=%.4f median_ns=%.4f first_ns=%.4f reps=%d threads=%d record=%d",
         result->pattern->name, (unsigned long long)options.size, units, best, median, first, result->reps,
         team_threads, options.record);
  if (work > 0) printf(" work=%.4f", work);
  for (int i = 0; i < result->extra_count; i++) printf(" %s=%.4f", result->extras[i].key, result->extras[i].value);
  printf(" check=%s loaded=", result->wrong ? "WRONG" : "ok");
  print_loaded();
  printf("\n");
}

static const bench_pattern* find_pattern(const char* name, size_t length, const bench_pattern* patterns, int count) {
  for (int i = 0; i < count; i++)
    if (strlen(patterns[i].name) == length && strncmp(patterns[i].name, name, length) == 0) return &patterns[i];
  return NULL;
}

// NAME or NAME,NAME,…: the results to be filled.
static bool choose_patterns(const char* names, const bench_pattern* patterns, int count) {
  for (const char* name = names;; name++) {
    const size_t length = strcspn(name, ",");
    const bench_pattern* pattern = find_pattern(name, length, patterns, count);
    if (pattern == NULL || result_count == kMaxPatterns) return false;
    results[result_count++].pattern = pattern;
    name += length;
    if (*name == '\0') break;
  }
  return result_count == 1 || results[0].pattern->place != kTeam; // a team runs one pattern
}

static int usage(const char* program, const bench_pattern* patterns, int count) {
  fprintf(stderr,
          "usage: %s PATTERN[,PATTERN] [--size N] [--reps N] [--budget-ms N] [--warm-ms N] [--arg N] [--record] "
          "[--fork]\npatterns:",
          program);
  for (int i = 0; i < count; i++) fprintf(stderr, " %s", patterns[i].name);
  fprintf(stderr, "\n");
  return 2;
}

static bool parse_options(int argc, char** argv) {
  for (int i = 2; i < argc; i++) {
    if (strcmp(argv[i], "--record") == 0) {
      options.record = true;
      continue;
    }
    if (strcmp(argv[i], "--fork") == 0) {
      options.forks = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const uint64_t value = strtoull(argv[i + 1], NULL, 10);
    if (strcmp(argv[i], "--size") == 0)
      options.size = value;
    else if (strcmp(argv[i], "--arg") == 0)
      options.arg = value;
    else if (strcmp(argv[i], "--reps") == 0)
      options.reps = (int)value;
    else if (strcmp(argv[i], "--budget-ms") == 0)
      options.budget_ns = 1e6 * (double)value;
    else if (strcmp(argv[i], "--warm-ms") == 0)
      options.warm_ns = 1e6 * (double)value;
    else
      return false;
    i++;
  }
  return options.reps >= 1 && options.reps <= kMaxReps;
}

int bench_main(int argc, char** argv, const bench_pattern* patterns, int count) {
  if (argc < 2 || !choose_patterns(argv[1], patterns, count)) return usage(argv[0], patterns, count);
  options.size = results[0].pattern->size;
  options.arg = results[0].pattern->arg;
  if (!parse_options(argc, argv)) return usage(argv[0], patterns, count);
  bench_launch(results[0].pattern);
  compare_patterns();
  bool wrong = false;
  for (int i = 0; i < result_count; i++) {
    print_result(&results[i]);
    wrong = wrong || results[i].wrong;
  }
  return wrong ? 1 : 0;
}
