// The runs. When CHOMP_EXPLORE is set (`chomp explore` does), the first thing that the process does is to fork once per
// run; the child goes on as the program. This process compares what the runs print, and says what they have found.
//   CHOMP_EXPLORE="runs=N seed=N seconds=N steps=N threads=2,3 replay=N reduce=N until=N any_output=1 all=1"
//   CHOMP_EXPLORE_REGION: FILE:LINE of the parallel region that alone is explored
//   CHOMP_EXPLORE_ORDER: the switches to repeat, of the seed that is to be repeated (reduce.h)
//   CHOMP_EXPLORE_EXPECT, CHOMP_EXPLORE_CHECK: the output that is right; a command that reads it and judges
//   CHOMP_EXPLORE_JUNIT, CHOMP_EXPLORE_SARIF: files to write
//   CHOMP_EXPLORE_AGAIN: how the user calls it, for the line that says how to repeat a run
#include <errno.h>
#include <initializer_list>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/process.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/reduce.h"
#include "tools/shipped/explore/results.h"
#include "tools/shipped/explore/search.h"
#include "tools/shipped/explore/strand.h"

namespace explore {
namespace {

using virtual_machine::report;
using virtual_machine::settings;

struct Options {
  uint64_t runs = 1000;
  uint64_t seed = 1;
  int seconds = 10; // for all runs; 0: any time
  bool replay = false;
  bool exhaustive = false;
  bool naive = false; // without reduction
  int given_threads = 0;
  bool bounded = false; // --runs was given
  bool reduce = false;  // `reduced`, whose output is compared with that of `seed`
  uint64_t reduced = 0;
  bool any_output = false; // it may depend on the order
  bool all = false;        // goes on after a failure
  int threads[16] = {2, 3, 4};
  int thread_counts = 3;
};
Options options;
const char *expected = nullptr, *check = nullptr, *only_region = nullptr;

bool is(const char* word, const char* name, const char** value) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) != 0 || word[length] != '=') return false;
  *value = word + length + 1;
  return true;
}

void read_options(const char* text) {
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", text);
  char* rest = copy;
  while (char* word = strtok_r(nullptr, " ", &rest)) {
    const char* value;
    auto number = [&value] { return strtoull(value, nullptr, 10); };
    if (is(word, "runs", &value)) options.runs = number(), options.bounded = true;
    if (is(word, "exhaustive", &value)) options.exhaustive = true, options.naive = number() == 2;
    if (is(word, "seed", &value)) options.seed = number();
    if (is(word, "seconds", &value)) options.seconds = static_cast<int>(number());
    if (is(word, "steps", &value)) settings.step_limit = number();
    if (is(word, "until", &value)) settings.stop_at = number();
    if (is(word, "any_output", &value)) options.any_output = number() != 0;
    if (is(word, "determinacy", &value)) determinacy = number() != 0;
    if (is(word, "all", &value)) options.all = number() != 0;
    if (is(word, "replay", &value)) options.replay = true, options.seed = number(), options.runs = 1;
    if (is(word, "reduce", &value)) options.reduce = true, options.reduced = number();
    if (is(word, "threads", &value)) {
      options.thread_counts = 0;
      for (const char* at = value; at != nullptr && options.thread_counts < 16; at = strchr(at, ',')) {
        at += *at == ',';
        options.threads[options.thread_counts++] = atoi(at);
      }
      options.given_threads = options.threads[0];
    }
  }
}

int64_t now_ms() {
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The program cannot go on without what a run needs.
[[noreturn]] void cannot_run() {
  dprintf(2, "chomp explore: no memory or process for a run: %s\n", strerror(errno));
  _exit(2);
}

void* share(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) cannot_run();
  return memory;
}

int memory_file(const char* name) { return static_cast<int>(syscall(SYS_memfd_create, name, MFD_CLOEXEC)); }

struct Output {
  char* text;
  size_t bytes;
};
Output contents(int file) {
  off_t size = lseek(file, 0, SEEK_END);
  auto bytes = static_cast<size_t>(size < 0 ? 0 : size);
  auto* text = static_cast<char*>(malloc(bytes + 1));
  ssize_t got = pread(file, text, bytes, 0);
  bytes = got < 0 ? 0 : static_cast<size_t>(got);
  text[bytes] = 0;
  return {text, bytes};
}

void write_all(int to, const char* text, size_t bytes) {
  while (bytes > 0) {
    ssize_t written = write(to, text, bytes);
    if (written <= 0) return;
    text += written;
    bytes -= static_cast<size_t>(written);
  }
}

// ---- One run --------------------------------------------------------------------------------------------------------

// Programs that this one starts are not explored, and chomp warns of CHOMP_ variables that it does not know.
void forget_this() {
  for (const char* name :
       {"CHOMP_EXPLORE", "CHOMP_EXPLORE_AGAIN", "CHOMP_EXPLORE_EXPECT", "CHOMP_EXPLORE_CHECK", "CHOMP_EXPLORE_JUNIT",
        "CHOMP_EXPLORE_SARIF", "CHOMP_EXPLORE_ORDER", "CHOMP_EXPLORE_REGION", "LD_BIND_NOW", "LD_PRELOAD"})
    unsetenv(name);
}

// What a seed decides beside the order itself: how many threads there are, how a task finds one, how often threads
// take turns.
void begin(uint64_t seed) {
  static const char* const schedulers[] = {"fifo", "hierarchical", "lifo", "steal", "central"};
  uint64_t number = (seed * 0x9e3779b97f4a7c15) >> 20;
  settings.seed = seed;
  settings.strategy = seed % 4 == 3 ? virtual_machine::Strategy::kPct : virtual_machine::Strategy::kRandom;
  if (virtual_machine::written != nullptr) settings.strategy = virtual_machine::Strategy::kWritten;
  settings.races = true;
  settings.faults = false; // what the system does rarely is the runtime's matter
  settings.idle_limit = 200000;
  settings.cpus = 8;
  char threads[16];
  snprintf(threads, sizeof threads, "%d", options.threads[seed % static_cast<uint64_t>(options.thread_counts)]);
  setenv("OMP_NUM_THREADS", threads, 1);
  setenv("CHOMP_SCHEDULER", schedulers[number % (sizeof schedulers / sizeof *schedulers)], 0);
  setenv("KMP_BLOCKTIME", "0", 1);
  if (trace != nullptr) {
    snprintf(threads, sizeof threads, "%d", options.threads[0]);
    setenv("OMP_NUM_THREADS", threads, 1);
    setenv("CHOMP_SCHEDULER", "at-once", 1);
    setenv("KMP_BLOCKTIME", "infinite", 1);
    follow_plan();
  }
  forget_this();
  virtual_machine::describe_failure = describe_stuck;
  virtual_machine::begin_run();
  if (only_region != nullptr) explore_only(only_region);
}

struct Run {
  int out, errors; // what it prints
  int status;
  const char* stuck;
};

// Where standard input begins for each run, if it is a file; else -1.
off_t input_at = -1;

// Returns in the child too, which goes on as the program: false.
bool run(uint64_t seed, Run* result) {
  if (ftruncate(result->out, 0) != 0 || ftruncate(result->errors, 0) != 0) cannot_run();
  if (input_at >= 0) lseek(0, input_at, SEEK_SET);
  lseek(result->out, 0, SEEK_SET);
  lseek(result->errors, 0, SEEK_SET);
  report->steps = report->switches = 0;
  report->failure[0] = 0;
  memset(findings, 0, sizeof *findings);
  if (trace != nullptr) {
    trace->steps = trace->arrivals = trace->held = trace->past_words = 0;
    trace->redundant = trace->ends_held = false;
  }
  pid_t child = fork();
  if (child < 0) cannot_run();
  if (child == 0) {
    if (!options.replay) {
      dup2(result->out, 1);
      dup2(result->errors, 2);
    }
    begin(seed);
    return false;
  }
  const int longest = options.replay ? INT32_MAX / 1000 : 120; // seconds; a debugger may hold what is repeated
  result->stuck = virtual_machine::wait_for(child, longest, &result->status);
  return true;
}

// ---- Judging --------------------------------------------------------------------------------------------------------

// What is right where nothing is said: what came out in the first order.
Output first_output{};
int first_status = -1;
uint64_t first_seed = 0;

__attribute__((format(printf, 2, 3))) void find(const char* kind, const char* format, ...) {
  Finding* finding = new_finding(kind);
  if (finding == nullptr) return;
  finding->step = 0; // the run has ended
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(finding->text, sizeof finding->text, format, arguments);
  va_end(arguments);
}

// Where two outputs differ first.
void compare(const Output& right, const Output& other, const char* whose) {
  size_t at = 0, line_begin = 0, line = 1;
  while (at < right.bytes && at < other.bytes && right.text[at] == other.text[at])
    if (right.text[at++] == '\n') line_begin = at, ++line;
  if (at == right.bytes && at == other.bytes) return;
  auto length = [line_begin](const Output& output) {
    return static_cast<int>(strcspn(output.text + line_begin, "\n"));
  };
  find("wrong output", "line %zu of the output\n    %s: %.*s\n    here: %.*s", line, whose,
       length(right) < 200 ? length(right) : 200, right.text + line_begin, length(other) < 200 ? length(other) : 200,
       other.text + line_begin);
}

void ask_check(int out) {
  pid_t child = fork();
  if (child == 0) {
    forget_this();
    lseek(out, 0, SEEK_SET);
    dup2(out, 0);
    execl("/bin/sh", "sh", "-c", check, static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) find("wrong output", "the check says so: %s", check);
}

void judge(const Run& run, uint64_t seed) {
  if (run.stuck != nullptr) return find("no end", "the run did not end within two minutes");
  if (report->failure[0] != 0) return; // the run has said it itself
  if (findings->count != 0) return;    // what else was wrong may follow from that
  if (WIFSIGNALED(run.status)) return find("crash", "the program ended by signal %d", WTERMSIG(run.status));
  if (options.replay) return;
  int status = WEXITSTATUS(run.status);
  if (first_status < 0) {
    first_status = status;
    first_seed = seed;
    first_output = contents(run.out);
  } else if (status != first_status) {
    find("exit status", "the program ends with status %d; with status %d in the order of seed %llu", status,
         first_status, static_cast<unsigned long long>(first_seed));
  }
  if (check != nullptr) return ask_check(run.out);
  if (options.any_output && expected == nullptr) return;
  Output output = contents(run.out);
  if (expected != nullptr) {
    while (output.bytes > 0 && output.text[output.bytes - 1] == '\n') output.text[--output.bytes] = 0;
    Output right{const_cast<char*>(expected), strlen(expected)};
    compare(right, output, "expected");
  } else if (!findings->reads_clock) {
    char whose[64];
    snprintf(whose, sizeof whose, "in the order of seed %llu", static_cast<unsigned long long>(first_seed));
    compare(first_output, output, whose);
  }
  free(output.text);
}

// ---- All runs -------------------------------------------------------------------------------------------------------

// How many different orders there were: a set of their numbers.
struct Orders {
  static constexpr size_t kPlaces = size_t{1} << 20;
  uint64_t* numbers;
  uint64_t count, last_new;
  void add(uint64_t number, uint64_t run) {
    number |= 1;
    size_t at = (number * 0x9e3779b97f4a7c15) >> 44;
    while (numbers[at] != 0 && numbers[at] != number) at = (at + 1) % kPlaces;
    if (numbers[at] == number || count > kPlaces / 2) return;
    numbers[at] = number;
    ++count;
    last_new = run;
  }
};

const char* command() {
  const char* words = getenv("CHOMP_EXPLORE_AGAIN");
  return words != nullptr ? words : "program";
}

// As `--replay` reads it.
void name_order(uint64_t seed, char* text, size_t room) {
  if (trace != nullptr) {
    int length = snprintf(text, room, "x%d:", options.threads[0]);
    return write_choices(text + length, room - static_cast<size_t>(length));
  }
  int length = snprintf(text, room, "%llu", static_cast<unsigned long long>(seed));
  if (virtual_machine::written == nullptr) return;
  text[length++] = ':';
  write_order(*virtual_machine::written, text + length, room - static_cast<size_t>(length));
}

// Tells what a run has found, and keeps it for the files.
void say(const Run& run, uint64_t seed) {
  const char* again = command();
  char order[2000];
  name_order(seed, order, sizeof order);
  keep(*findings, order);
  for (uint32_t i = 0; i < findings->count; ++i)
    dprintf(2, "chomp explore: %s: %s\n", findings->list[i].kind, findings->list[i].text);
  if (!options.replay) {
    Output errors = contents(run.errors);
    constexpr size_t kMost = 2000;
    if (errors.bytes > 0) {
      dprintf(2, "What the program wrote to its standard error in that run:\n");
      write_all(2, errors.text, errors.bytes < kMost ? errors.bytes : kMost);
    }
    free(errors.text);
    dprintf(2, "Again: chomp explore --replay %s %s\n", order, again);
    if (findings->list[0].step != 0)
      dprintf(2,
              "In gdb: gdb -ex 'set follow-fork-mode child' -ex run --args chomp explore --force --replay %s --until "
              "%llu %s\n",
              order, static_cast<unsigned long long>(findings->list[0].step), again);
  }
}

void write_results() {
  struct ResultFile {
    const char* variable;
    bool (*write)(const char* path, const char* command);
  };
  for (auto [variable, write] :
       {ResultFile{"CHOMP_EXPLORE_JUNIT", write_junit}, ResultFile{"CHOMP_EXPLORE_SARIF", write_sarif}}) {
    const char* path = getenv(variable);
    if (path != nullptr && !write(path, command())) dprintf(2, "chomp explore: %s: %s\n", path, strerror(errno));
  }
}

const char* unseen_region() {
  return only_region == nullptr || findings->region_seen ? "" : "; no parallel region begins at that line";
}

[[noreturn]] void finish(int status, uint64_t done, uint64_t failed, const Orders& orders, int64_t begun) {
  write_results();
  if (options.replay) _exit(failed != 0 ? 1 : status); // as the program ends
  if (options.reduce) {
    dprintf(2, "chomp explore: %llu runs in %.1f s\n", static_cast<unsigned long long>(done),
            static_cast<double>(now_ms() - begun) / 1000);
    _exit(status);
  }
  double seconds = static_cast<double>(now_ms() - begun) / 1000;
  dprintf(2, "chomp explore: %llu run%s in %.1f s, %llu order%s of events, the last new one in run %llu: ",
          static_cast<unsigned long long>(done), done == 1 ? "" : "s", seconds,
          static_cast<unsigned long long>(orders.count), orders.count == 1 ? "" : "s",
          static_cast<unsigned long long>(orders.last_new));
  if (failed != 0) {
    dprintf(2, "%llu failed\n", static_cast<unsigned long long>(failed));
    _exit(1);
  }
  bool compared = expected != nullptr || check != nullptr || options.any_output || !findings->reads_clock;
  dprintf(2, "nothing found%s%s%s\n",
          findings->instrumented ? "" : "; races were not looked for (compile with `chomp cc`)",
          compared ? "" : "; it asks for the time, so outputs were not compared (--expect, --check)", unseen_region());
  _exit(0);
}

// ---- The fewest switches -------------------------------------------------------------------------------------------

Run shortened{};   // the runs that try what can be left out
Finding to_keep{}; // what they are to find
uint64_t tries = 0;
int64_t stop_at_ms = 0;
bool enough = false;

bool finds_the_same() {
  auto same_places = [](int a, int b) {
    const Finding& now = findings->list[0];
    return now.line[0] == to_keep.line[a] && now.line[1] == to_keep.line[b] &&
           strcmp(now.file[0], to_keep.file[a]) == 0 && strcmp(now.file[1], to_keep.file[b]) == 0;
  };
  return findings->count > 0 && strcmp(findings->list[0].kind, to_keep.kind) == 0 &&
         (same_places(0, 1) || same_places(1, 0));
}

Outcome fails_with(const SwitchList& order) {
  virtual_machine::written = &order;
  if (!run(options.reduced, &shortened)) return Outcome::kChild;
  ++tries;
  judge(shortened, options.reduced);
  enough = tries >= options.runs || (stop_at_ms != 0 && now_ms() > stop_at_ms);
  return finds_the_same() ? Outcome::kFails : Outcome::kPasses;
}

[[noreturn]] void give_up(const char* why) {
  dprintf(2, "chomp explore: seed %llu: %s\n", static_cast<unsigned long long>(options.reduced), why);
  _exit(2);
}

// Repeats the seed and notes its switches, leaves out what it fails without, and says what is left. Returns only in
// the processes that are runs.
void serve_reduction(Run* result) {
  int64_t begun = now_ms();
  if (options.seconds > 0) stop_at_ms = begun + int64_t{1000} * options.seconds;
  if (expected == nullptr && check == nullptr && options.reduced != options.seed) {
    if (!run(options.seed, result)) return;
    judge(*result, options.seed);
  }
  auto* order = static_cast<SwitchList*>(virtual_machine::map_memory(sizeof(SwitchList)));
  virtual_machine::noted = static_cast<SwitchList*>(share(sizeof(SwitchList)));
  if (!run(options.reduced, result)) return;
  judge(*result, options.reduced);
  if (findings->count == 0) give_up("nothing is found in that order");
  order->count = virtual_machine::noted->count;
  memcpy(order->list, virtual_machine::noted->list, order->count * sizeof order->list[0]);
  virtual_machine::noted = nullptr;
  to_keep = findings->list[0];
  shortened = *result;
  uint32_t before = order->count;
  Outcome outcome = fails_with(*order);
  if (outcome == Outcome::kPasses) give_up("its switches alone do not make it fail: what it finds depends on time");
  if (outcome == Outcome::kFails) outcome = reduce(order, fails_with, &enough);
  bool complete = !enough;
  if (outcome == Outcome::kFails) outcome = try_single_switches(order, fails_with, &enough);
  if (outcome == Outcome::kChild) return;
  virtual_machine::tell_switch = describe_switch;
  if (fails_with(*order) == Outcome::kChild) return;
  if (findings->count == 0) give_up("the shorter order does not always fail");
  if (order->count == 0)
    dprintf(2, "chomp explore: no switch is needed: it fails where each thread runs until it waits\n");
  else
    dprintf(2, "chomp explore: %u of %u switches %s; elsewhere each thread runs until it waits\n", order->count, before,
            complete ? "are left, and none can be left out" : "are left when time is up");
  for (uint32_t i = 0; i < findings->switch_count && i < Findings::kMostSwitches; ++i)
    dprintf(2, "    %u. %s\n", i + 1, findings->switches[i]);
  say(shortened, options.reduced);
  finish(1, tries, 1, Orders{}, begun);
}

// ---- All orders -----------------------------------------------------------------------------------------------------

[[noreturn]] void finish_search(uint64_t orders, uint64_t done, uint64_t failed, bool complete, int64_t begun) {
  write_results();
  double seconds = static_cast<double>(now_ms() - begun) / 1000;
  char what[64];
  snprintf(what, sizeof what, "order%s%s", orders == 1 ? "" : "s",
           !findings->instrumented  ? " of the runtime's calls"
           : only_region != nullptr ? " of that region"
                                    : "");
  auto count = static_cast<unsigned long long>(orders);
  bool all = complete && trace->not_all[0] == 0 && !trace->scarce;
  if (failed != 0 && !options.all)
    dprintf(2, "chomp explore: the last of %llu %s explored fails", count, what);
  else if (all)
    dprintf(2, "chomp explore: all %llu %s explored: %s", count, what, failed != 0 ? "some fail" : "none fails");
  else
    dprintf(2, "chomp explore: %llu %s explored, not all: %s", count, what,
            !complete                ? "the search was cut short"
            : trace->not_all[0] != 0 ? trace->not_all
                                     : "tasks had to wait for a thread: --threads with a larger number");
  dprintf(2, "%s (%d threads, %llu runs, %.1f s)\n", unseen_region(), options.threads[0],
          static_cast<unsigned long long>(done), seconds);
  constexpr int kNotAll = 3;
  _exit(failed != 0 ? 1 : all ? 0 : kNotAll);
}

// Returns only in the processes that are runs.
void serve_search(Run* result) {
  constexpr int kMostThreads = 16;
  trace = static_cast<Trace*>(share(sizeof(Trace)));
  if (options.given_threads == 0) options.threads[0] = 2;
  begin_search(options.naive);
  int64_t begun = now_ms();
  uint64_t done = 0, orders = 0, failed = 0;
  for (;;) {
    if (!run(options.seed, result)) return;
    ++done;
    if (trace->scarce && options.given_threads == 0 && options.threads[0] < kMostThreads) {
      options.threads[0] *= 2; // so that tasks find one, where the program does not say how many there are
      trace->scarce = false;
      trace->not_all[0] = 0;
      done = orders = failed = 0;
      first_status = -1;
      begin_search(options.naive);
      continue;
    }
    if (!trace->redundant) {
      ++orders;
      judge(*result, options.seed);
      if (findings->count > 0) {
        ++failed;
        say(*result, options.seed);
        if (!options.all) finish_search(orders, done, failed, false, begun);
      }
    }
    if (!plan_next()) finish_search(orders, done, failed, true, begun);
    bool late = options.seconds > 0 && now_ms() - begun > int64_t{1000} * options.seconds;
    if (late || (options.bounded && done >= options.runs)) finish_search(orders, done, failed, false, begun);
  }
}

void serve() {
  Run result{memory_file("output"), memory_file("errors"), 0, nullptr};
  if (options.reduce) return serve_reduction(&result);
  if (options.exhaustive && !options.replay) return serve_search(&result);
  Orders orders{static_cast<uint64_t*>(virtual_machine::map_memory(Orders::kPlaces * sizeof(uint64_t))), 0, 0};
  int64_t begun = now_ms();
  uint64_t done = 0, failed = 0;
  for (; done < options.runs; ++done) {
    if (options.seconds > 0 && now_ms() - begun > int64_t{1000} * options.seconds && !options.replay) break;
    uint64_t seed = options.seed + done;
    if (!run(seed, &result)) return;
    orders.add(findings->order, done + 1);
    judge(result, seed);
    if (findings->count == 0) continue;
    ++failed;
    say(result, seed);
    if (options.all) continue;
    ++done;
    break;
  }
  finish(WEXITSTATUS(result.status), done, failed, orders, begun);
}

// Programs that only start others: those are explored.
bool starts_others() {
  static const char* const names[] = {"sh",  "dash", "bash",    "zsh",     "ksh",
                                      "env", "nice", "timeout", "taskset", "numactl"};
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  const char* slash = strrchr(path, '/');
  for (const char* name : names)
    if (slash != nullptr && strcmp(slash + 1, name) == 0) return true;
  return false;
}

__attribute__((constructor)) void start(int, char** arguments, char** environment) {
  const char* text = getenv("CHOMP_EXPLORE");
  if (text == nullptr || starts_others()) return;
  read_options(text);
  virtual_machine::fix_addresses(arguments, environment);
  virtual_machine::stay_on_one_cpu();
  input_at = lseek(0, 0, SEEK_CUR);
  expected = getenv("CHOMP_EXPLORE_EXPECT");
  check = getenv("CHOMP_EXPLORE_CHECK");
  only_region = getenv("CHOMP_EXPLORE_REGION");
  if (const char* order = getenv("CHOMP_EXPLORE_ORDER")) {
    auto* list = static_cast<SwitchList*>(virtual_machine::map_memory(sizeof(SwitchList)));
    if (options.exhaustive ? !read_choices(order) : !read_order(order, list)) {
      dprintf(2, "chomp explore: not an order: %s\n", order);
      _exit(2);
    }
    if (options.exhaustive)
      trace = static_cast<Trace*>(share(sizeof(Trace)));
    else
      virtual_machine::written = list;
  }
  report = static_cast<virtual_machine::Report*>(share(sizeof(virtual_machine::Report)));
  findings = static_cast<Findings*>(share(sizeof(Findings)));
  serve();
}

} // namespace
} // namespace explore
