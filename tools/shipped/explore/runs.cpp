// The runs. When CHOMP_EXPLORE is set (`chomp explore` does), the first thing that the process does is to fork once per
// run; the child goes on as the program. This process decides which order is next, and says at the end what was
// covered.
#include <dirent.h>
#include <initializer_list>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/process.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/one_run.h"
#include "tools/shipped/explore/options.h"
#include "tools/shipped/explore/reduce.h"
#include "tools/shipped/explore/search.h"
#include "tools/shipped/explore/strand.h"
#include "tools/shipped/explore/telling.h"
#include "tools/shipped/explore/verdict.h"

namespace explore {
namespace {

/// How the command ends; 2 is for what cannot be done. tools/docs/races.md has the table.
enum Status { kNothingFound = 0, kFault = 1, kNotAll = 3, kUndecided = 4 };

int memory_file(const char* name) { return static_cast<int>(syscall(SYS_memfd_create, name, MFD_CLOEXEC)); }
unsigned long long big(uint64_t number) { return number; }
double seconds_since(int64_t begun) { return static_cast<double>(now_ms() - begun) / 1000; }
bool is_time_up(int64_t begun) { return options.seconds > 0 && now_ms() - begun > int64_t{1000} * options.seconds; }

// A sentence in parts.
struct Line {
  char text[600];
  size_t used = 0;
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text + used, sizeof text - used, format, arguments);
    va_end(arguments);
    if (length > 0) used = used + static_cast<size_t>(length) < sizeof text ? used + static_cast<size_t>(length) : used;
  }
};

// ---- All orders -----------------------------------------------------------------------------------------------------

struct Search {
  uint64_t done, orders, failed;
  bool complete;
  const char* reason() const {
    return !complete                ? "the search was cut short"
           : trace->not_all[0] != 0 ? trace->not_all
           : trace->scarce          ? "tasks had to wait for a thread: --threads with a larger number"
                                    : nullptr;
  }
};

// What the last run has shown asks for another kind of search: more threads, so that tasks find one, where the program
// does not say how many there are; or unlocking is a step, too, since the program tests locks.
bool must_begin_again() {
  constexpr int kMostThreads = 16;
  bool more = trace->scarce && !options.given_threads && search_threads < kMostThreads;
  bool tests = trace->tests && !trace->releases_are_steps;
  if (more) search_threads *= 2;
  if (tests) trace->releases_are_steps = true;
  return more || tests;
}

void begin_again(Search* search) {
  *search = Search{};
  trace->scarce = false;
  trace->not_all[0] = 0;
  begin_search(options.naive);
}

// Returns in the processes that are runs, too: false.
bool search_orders(Run* result, Search* search, uint64_t most_runs, int64_t until_ms, Orders* orders) {
  static auto* memory = static_cast<Trace*>(share(sizeof(Trace)));
  trace = memory;
  search_threads = options.given_threads ? options.threads[0] : 2;
  begin_again(search);
  for (uint64_t all = 0; all < most_runs && (until_ms == 0 || now_ms() < until_ms);) {
    if (!run(options.seed, result)) return false;
    ++all, ++search->done, ++progress.runs;
    if (result->end != End::kItself && findings->count == 0) {
      judge(*result, options.seed);
      return true;
    }
    if (must_begin_again()) {
      if (options.exhaustive) forget_first_outputs();
      begin_again(search);
      continue;
    }
    if (!trace->redundant) {
      ++search->orders;
      orders->add(findings->order, progress.runs);
      progress.orders = orders->count;
      judge(*result, options.seed);
      if (findings->count > 0) {
        ++search->failed;
        say(*result, options.seed);
        if (!options.all) return true;
      }
    }
    show_progress();
    if (!plan_next()) {
      search->complete = true;
      return true;
    }
  }
  return true;
}

const char* what_is_explored() {
  return !findings->instrumented ? " of the runtime's calls" : options.only_region != nullptr ? " of that region" : "";
}

[[noreturn]] void finish_search(const Search& search, int64_t begun) {
  write_results();
  hide_progress();
  if (search.failed == 0) tell_doubts();
  Line line;
  const char *why_not_all = search.reason(), *plural = search.orders == 1 ? "" : "s", *what = what_is_explored();
  if (search.failed != 0 && !options.all)
    line.add("the last of %llu order%s%s explored fails", big(search.orders), plural, what);
  else if (why_not_all == nullptr)
    line.add("all %llu order%s%s explored: %s", big(search.orders), plural, what,
             search.failed != 0    ? "some fail"
             : undecided_runs != 0 ? "none fails, but see above"
                                   : "none fails");
  else
    line.add("%llu order%s%s explored, not all: %s", big(search.orders), plural, what, why_not_all);
  dprintf(2, "chomp explore: %s%s (%d threads, %llu runs, %.1f s)\n", line.text, unseen_region(), search_threads,
          big(search.done), seconds_since(begun));
  if (search.failed == 0 && why_not_all == nullptr)
    dprintf(2, "    Taken for granted: this input, no time limits, memory in one order, all code compiled for it.\n");
  _exit(search.failed != 0       ? kFault
        : undecided_runs != 0    ? kUndecided
        : why_not_all == nullptr ? kNothingFound
                                 : kNotAll);
}

// Returns only in the processes that are runs.
void serve_search(Run* result, Orders* orders) {
  Search search{};
  int64_t begun = progress.begun_ms;
  progress.what = "order";
  cut_at_ms = options.seconds > 0 ? begun + int64_t{1000} * options.seconds : 0;
  uint64_t most = options.bounded ? options.runs : UINT64_MAX;
  if (search_orders(result, &search, most, cut_at_ms, orders)) finish_search(search, begun);
}

// ---- Orders at random -----------------------------------------------------------------------------------------------

// All orders are tried for so long before others are: a fifth of the time and of the runs.
constexpr uint64_t kPartForAll = 5;

// What all runs have come to.
struct Tally {
  uint64_t done, failed;
  bool time_up;
  Search all;
  int all_threads; // with so many threads
  bool tried_all;
};

void add_covered(Line* line, const Tally& tally) {
  if (!findings->instrumented) line->add("; races were not looked for (compile with `chomp cc`)");
  line->add("%s", unseen_region());
  if (tally.time_up) line->add("; --seconds %d ended it", options.seconds);
  if (tally.tried_all && *unseen_region() == 0)
    line->add("; with %d threads all orders%s, %llu", tally.all_threads, what_is_explored(), big(tally.all.orders));
  if (undecided_runs != 0) line->add("; not decided: %llu run%s", big(undecided_runs), undecided_runs == 1 ? "" : "s");
}

[[noreturn]] void finish(int status, const Tally& tally, const Orders& orders, int64_t begun) {
  write_results();
  hide_progress();
  if (tally.failed == 0) tell_doubts();
  if (options.replay) _exit(tally.failed != 0 ? kFault : undecided_runs != 0 ? kUndecided : status); // as it ends
  Line line;
  line.add("%llu run%s in %.1f s", big(tally.done), tally.done == 1 ? "" : "s", seconds_since(begun));
  if (!options.reduce)
    line.add(", %llu order%s of events, the last new one in run %llu: ", big(orders.count),
             orders.count == 1 ? "" : "s", big(orders.last_new));
  if (!options.reduce && tally.failed != 0) line.add("%llu failed", big(tally.failed));
  if (!options.reduce && tally.failed == 0) {
    line.add("nothing found");
    add_covered(&line, tally);
  }
  dprintf(2, "chomp explore: %s\n", line.text);
  _exit(tally.failed != 0 ? kFault : undecided_runs != 0 ? kUndecided : kNothingFound);
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

// The next run is to follow the list. In orders of a search for all its numbers are those of steps, and of who of those
// held goes on.
void use_order(const SwitchList& order) {
  if (trace == nullptr) {
    virtual_machine::written = &order;
    return;
  }
  plan.count = order.count;
  for (uint32_t i = 0; i < order.count; ++i)
    plan.list[i] = {order.list[i].decision, static_cast<uint32_t>(order.list[i].next)};
}

Outcome fails_with(const SwitchList& order) {
  use_order(order);
  if (!run(options.reduced, &shortened)) return Outcome::kChild;
  ++tries;
  judge(shortened, options.reduced);
  enough = tries >= options.runs || (stop_at_ms != 0 && now_ms() > stop_at_ms);
  return finds_the_same() ? Outcome::kFails : Outcome::kPasses;
}

[[noreturn]] void give_up(const char* why) {
  dprintf(2, "chomp explore: --reduce: %s\n", why);
  _exit(2);
}

// Repeats the seed and notes its switches, leaves out what it fails without, and says what is left. Returns only in
// the processes that are runs.
void serve_reduction(Run* result) {
  int64_t begun = progress.begun_ms;
  if (options.seconds > 0) stop_at_ms = begun + int64_t{1000} * options.seconds;
  uint64_t first = options.seed; // whose output was the first of so many threads
  while (first < options.reduced && !same_shape(first, options.reduced)) ++first;
  auto* order = static_cast<SwitchList*>(virtual_machine::map_memory(sizeof(SwitchList)));
  for (uint32_t i = 0; trace != nullptr && i < plan.count; ++i)
    order->list[order->count++] = {plan.list[i].step, 0, static_cast<int16_t>(plan.list[i].which)};
  plan.count = 0;
  bool compares = options.expected == nullptr && options.check == nullptr;
  if (compares && (trace != nullptr ? order->count != 0 : first != options.reduced)) {
    if (!run(first, result)) return;
    judge(*result, first);
  }
  if (trace != nullptr)
    use_order(*order);
  else
    virtual_machine::noted = static_cast<SwitchList*>(share(sizeof(SwitchList)));
  if (!run(options.reduced, result)) return;
  judge(*result, options.reduced);
  if (findings->count == 0) give_up("nothing is found in that order");
  if (const SwitchList* noted = virtual_machine::noted; noted != nullptr) {
    order->count = noted->count;
    memcpy(order->list, noted->list, order->count * sizeof order->list[0]);
    virtual_machine::noted = nullptr;
  }
  to_keep = findings->list[0];
  shortened = *result;
  uint32_t before = order->count;
  Outcome outcome = fails_with(*order);
  if (outcome == Outcome::kPasses) give_up("its switches alone do not make it fail: what it finds depends on time");
  if (outcome == Outcome::kFails) outcome = reduce(order, fails_with, &enough);
  bool complete = !enough;
  if (outcome == Outcome::kFails && trace == nullptr) outcome = try_single_switches(order, fails_with, &enough);
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
  finish(1, Tally{.done = tries, .failed = 1, .time_up = false, .all = {}, .all_threads = 0, .tried_all = false},
         Orders{}, begun);
}

// ---- Serving --------------------------------------------------------------------------------------------------------

// What a replayed run has printed, where it was kept to be judged.
void show_output(const Run& result) {
  Output output = contents(result.out);
  if (write(1, output.text, output.bytes) < 0) perror("chomp explore");
  free(output.text);
}

// After the first order at random, which shows what most orders show. Returns in the processes that are runs, too:
// false.
bool try_all_for_a_moment(Run* result, Tally* tally, Orders* orders) {
  if (options.given_seed || determinacy || options.runs < kPartForAll) return true;
  int64_t ms = int64_t{1000} * (options.seconds > 0 ? options.seconds : 10) / static_cast<int64_t>(kPartForAll);
  if (!search_orders(result, &tally->all, options.runs / kPartForAll, now_ms() + ms, orders)) return false;
  tally->tried_all = tally->all.reason() == nullptr && tally->all.failed == 0;
  tally->all_threads = search_threads;
  tally->failed += tally->all.failed;
  tally->done = progress.runs;
  trace = nullptr;
  return true;
}

// One order after the other. Returns only in the processes that are runs.
void serve_orders(Run* result, Orders* orders) {
  int64_t begun = progress.begun_ms;
  Tally tally{};
  progress.what = "run";
  if (options.given_seconds && options.seconds > 0) cut_at_ms = begun + int64_t{1000} * options.seconds;
  for (uint64_t seed = options.seed; tally.done < options.runs; ++seed) {
    if (tally.done > 0 && is_time_up(begun)) {
      tally.time_up = true;
      break;
    }
    if (!run(seed, result)) return;
    judge(*result, seed);
    if (result->end != End::kItself && findings->count == 0) {
      tally.time_up = result->end == End::kCut;
      if (tally.time_up && tally.done == 0) tell_unfinished_run();
      break;
    }
    tally.done = ++progress.runs;
    orders->add(findings->order, tally.done);
    progress.orders = orders->count;
    if (findings->count > 0) {
      ++tally.failed;
      say(*result, seed);
      if (!options.all) break;
    }
    show_progress();
    if (tally.done == 1 && options.seconds > 0) cut_at_ms = begun + int64_t{1000} * options.seconds;
    if (tally.done == 1 && !options.replay && !try_all_for_a_moment(result, &tally, orders)) return;
    if (tally.failed != 0 && !options.all) break;
  }
  if (options.replay && (options.expected != nullptr || options.check != nullptr)) show_output(*result);
  finish(WEXITSTATUS(result->status), tally, *orders, begun);
}

void serve() {
  Run result{memory_file("output"), memory_file("errors"), 0, End::kItself, 0, 0};
  Orders orders{static_cast<uint64_t*>(virtual_machine::map_memory(Orders::kPlaces * sizeof(uint64_t))), 0, 0};
  progress.begun_ms = now_ms();
  if (options.reduce) return serve_reduction(&result);
  if (options.exhaustive && !options.replay) return serve_search(&result, &orders);
  serve_orders(&result, &orders);
}

// What the ranks of a job say to each other no other order of one of them can repeat.
void refuse_ranks() {
  for (const char* name : {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "MPI_LOCALRANKID"}) {
    if (getenv(name) == nullptr) continue;
    dprintf(2,
            "chomp explore: rank %s of an MPI job cannot be explored, since the others would have to repeat what they "
            "do; without mpirun the program is a job of one rank, which can\n",
            getenv(name));
    _exit(2);
  }
}

void start() {
  refuse_ranks();
  if (const char* order = getenv("CHOMP_EXPLORE_ORDER")) {
    auto* list = static_cast<SwitchList*>(virtual_machine::map_memory(sizeof(SwitchList)));
    if (options.exhaustive ? !read_choices(order) : !read_order(order, list)) {
      dprintf(2, "chomp explore: not an order: %s\n", order);
      _exit(2);
    }
    if (!options.exhaustive) virtual_machine::written = list;
  }
  if (options.exhaustive && (options.replay || options.reduce)) trace = static_cast<Trace*>(share(sizeof(Trace)));
  search_threads = options.threads[0];
  prepare_runs();
  serve();
}

// The process makes use of OpenMP only now, in code that it has loaded: what it has done before belongs to all runs.
void start_late() {
  virtual_machine::before_first_use = nullptr;
  int threads = 0;
  if (DIR* folder = opendir("/proc/self/task")) {
    while (const dirent* each = readdir(folder)) threads += each->d_name[0] != '.';
    closedir(folder);
  }
  fflush(nullptr);
  if (threads != 1) {
    dprintf(2,
            "chomp explore: cannot be explored: the process has %d threads when it begins to use OpenMP; what it has "
            "printed and keeps outside of libc (Python does, without -u or flush) is lost\n",
            threads);
    _exit(2);
  }
  start();
}

// Explored is what uses OpenMP; other programs, such as those that a script calls, run as they are.
__attribute__((constructor)) void begin_process(int, char** arguments, char** environment) {
  const char *text = getenv("CHOMP_EXPLORE"), *whatever = getenv("CHOMP_EXPLORE_WHATEVER");
  if (text == nullptr) return;
  read_options(text);
  bool forced = whatever != nullptr && atoi(whatever) == getpid();
  if (!forced && !uses_openmp()) {
    virtual_machine::before_first_use = start_late;
    return;
  }
  virtual_machine::fix_addresses(arguments, environment);
  start();
}

} // namespace
} // namespace explore
