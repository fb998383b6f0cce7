// See one_run.h.
#include "tools/shipped/explore/one_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
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
#include "tools/shipped/explore/options.h"
#include "tools/shipped/explore/search.h"
#include "tools/shipped/explore/shared_calls.h"
#include "tools/shipped/explore/shares.h"
#include "tools/shipped/explore/strand.h"
#include "tools/shipped/explore/telling.h"

namespace explore {

using virtual_machine::report;
using virtual_machine::settings;

int64_t cut_at_ms = 0;
int search_threads = 2;

int64_t now_ms() {
  timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void cannot_run() {
  dprintf(2, "chomp explore: no memory or process for a run: %s\n", strerror(errno));
  _exit(2);
}

void* share(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) cannot_run();
  return memory;
}

namespace {

// Where standard input begins for each run, if it is a file; else -1.
off_t input_at = -1;

// ---- What a seed decides beside the order itself --------------------------------------------------------------------

struct Shape {
  int threads, teams;
};

// Each number of threads comes with each kind of order. What hangs on one thread does so each time: few runs have one.
// Few have many, each of which gets few iterations. Where the program does not say how many teams there are, half of
// the runs have two.
Shape shape_of(uint64_t seed) {
  if (trace != nullptr) return {search_threads, 2};
  uint64_t kind = (seed - 1) % 4, round = (seed - 1) / 4;
  if (!options.given_threads && seed % 16 == 4) return {1, 1};
  if (!options.given_threads && seed % 16 == 10) return {seed % 32 == 10 ? 8 : 17, 2};
  return {options.threads[(kind + round) % static_cast<uint64_t>(options.thread_counts)], seed / 4 % 2 == 1 ? 2 : 1};
}

} // namespace

bool same_shape(uint64_t a, uint64_t b) {
  Shape first = shape_of(a), second = shape_of(b);
  return first.threads == second.threads && first.teams == second.teams;
}

namespace {

void set_number(const char* name, int number, bool always) {
  char text[16];
  snprintf(text, sizeof text, "%d", number);
  setenv(name, text, always ? 1 : 0);
}

bool is_time_up() { return cut_at_ms != 0 && now_ms() > cut_at_ms; }

// The process that watches, or the system's limit, says that it has had enough CPU time, or that all time is up.
void tell_where(int, siginfo_t*, void* context) {
  const auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
  auto* pc = reinterpret_cast<const void*>(machine->gregs[REG_RIP]);
  virtual_machine::current->last_pc = virtual_machine::place_in_program(pc);
  if (is_time_up()) virtual_machine::fail("too long: the first run has not ended within --seconds %d", options.seconds);
  virtual_machine::fail("too long: a run has used up its CPU time (two minutes, or `ulimit -t`), and has not ended");
}

void begin(uint64_t seed, const Run& run) {
  static const char* const schedulers[] = {"fifo", "hierarchical", "lifo", "steal", "central"};
  uint64_t number = (seed * 0x9e3779b97f4a7c15) >> 20;
  virtual_machine::stay_on_one_cpu();
  settings.seed = seed;
  settings.strategy = seed % 4 == 3 ? virtual_machine::Strategy::kPct : virtual_machine::Strategy::kRandom;
  if (virtual_machine::written != nullptr) settings.strategy = virtual_machine::Strategy::kWritten;
  settings.races = true;
  settings.faults = false; // what the system does rarely is the runtime's matter
  settings.idle_limit = 200000;
  settings.cpus = 8;
  settings.wakes_early = seed % 2 == 0;
  constexpr int64_t kDay = 86'400'000'000'000;
  settings.realtime_offset += static_cast<int64_t>(seed % 10'000) * kDay; // so that srand(time(NULL)) tries others
  set_number("OMP_NUM_THREADS", run.threads, true);
  if (run.teams > 1) set_number("OMP_NUM_TEAMS", run.teams, false);
  setenv("CHOMP_SCHEDULER", schedulers[number % (sizeof schedulers / sizeof *schedulers)], 0);
  setenv("KMP_BLOCKTIME", "0", 1);
  if (trace != nullptr) {
    setenv("CHOMP_SCHEDULER", "at-once", 1);
    setenv("KMP_BLOCKTIME", "infinite", 1);
    follow_plan();
  }
  forget_options();
  struct sigaction action{};
  action.sa_sigaction = tell_where;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGXCPU, &action, nullptr);
  virtual_machine::describe_failure = describe_stuck;
  share_out_by_seed();
  virtual_machine::limits_come_early = is_of_program;
  virtual_machine::note_unusual = [](const char* what, const void* pc) {
    if (findings->unusual == nullptr) findings->unusual = what, findings->unusual_at = pc;
  };
  virtual_machine::last_change = 1; // what changes memory tells so
  virtual_machine::changes_unseen = [](const void* pc) { return whose(pc) == Whose::kOther; };
  virtual_machine::begin_run();
  if (trace != nullptr) look_for_other_code();
  if (options.only_region != nullptr) explore_only(options.only_region);
}

// ---- Its end --------------------------------------------------------------------------------------------------------

constexpr int kLookEveryMs = 100;

int64_t cpu_ms_of(pid_t child) {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(child, &clock) != 0 || syscall(SYS_clock_gettime, clock, &used) != 0) return -1;
  return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

// Why a run that goes on is ended now; kItself: it is not. CPU time counts, since others may have the machine.
struct Watch {
  static constexpr int64_t kMostCpuMs = 120'000, kStandsStillMs = 30'000, kMoreFindingsMs = 500;
  int64_t cpu_ms = -1, changed_ms = now_ms(), found_cpu_ms = -1;

  // A debugger may hold it: CPU time alone counts, as much as the run that is repeated had of time.
  static End look_at_replay(int64_t cpu) {
    bool found = findings->count > 0;
    int64_t most =
        (found || options.given_seconds) && options.seconds > 0 ? options.seconds * int64_t{1000} : kMostCpuMs;
    if (settings.stop_at != 0 || cpu <= most) return End::kItself;
    return found ? End::kCut : End::kTooLong;
  }

  End look(pid_t child) {
    int64_t now = now_ms(), cpu = cpu_ms_of(child);
    if (options.replay) return look_at_replay(cpu);
    if (is_time_up()) return End::kCut;
    if (findings->count > 0 && found_cpu_ms < 0) found_cpu_ms = cpu;
    if (found_cpu_ms >= 0 && cpu > found_cpu_ms + kMoreFindingsMs && !options.all) return End::kCut;
    if (cpu > kMostCpuMs) return End::kTooLong;
    if (cpu != cpu_ms) cpu_ms = cpu, changed_ms = now;
    return now > changed_ms + kStandsStillMs ? End::kWaitsOutside : End::kItself;
  }
};

// The run says where it was: that takes CPU time, for which it may have to wait.
void let_tell(pid_t child, pollfd* ended) {
  constexpr int64_t kMostCpuMs = 2000, kMostMs = 30'000;
  int64_t last_cpu_ms = cpu_ms_of(child) + kMostCpuMs, last_ms = now_ms() + kMostMs;
  if (kill(child, SIGXCPU) != 0) return;
  while (poll(ended, 1, kLookEveryMs) == 0 && cpu_ms_of(child) < last_cpu_ms && now_ms() < last_ms) {
  }
}

End wait_for_end(pid_t child, int* status) {
  int file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd waited{file, POLLIN, 0};
  Watch watch;
  End end = End::kItself;
  while (file >= 0 && end == End::kItself && poll(&waited, 1, kLookEveryMs) == 0) {
    tell_found_so_far();
    show_progress();
    end = watch.look(child);
  }
  bool first_is_cut = end == End::kCut && progress.runs == 0 && findings->count == 0;
  if (end == End::kTooLong || first_is_cut) let_tell(child, &waited);
  if (file >= 0) close(file);
  if (end != End::kItself) kill(child, SIGKILL);
  while (waitpid(child, status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

void forget_last_run(Run* result) {
  if (ftruncate(result->out, 0) != 0 || ftruncate(result->errors, 0) != 0) cannot_run();
  if (input_at >= 0) lseek(0, input_at, SEEK_SET);
  lseek(result->out, 0, SEEK_SET);
  lseek(result->errors, 0, SEEK_SET);
  report->steps = report->switches = 0;
  report->failure[0] = 0;
  bool instrumented = findings->instrumented, region_seen = findings->region_seen; // what one has shown holds for all
  memset(findings, 0, sizeof *findings);
  findings->instrumented = instrumented;
  findings->region_seen = region_seen;
  nothing_told();
  if (trace == nullptr) return;
  trace->steps = trace->arrivals = trace->held = trace->past_words = 0;
  trace->redundant = trace->ends_held = false;
}

} // namespace

void prepare_runs() {
  input_at = lseek(0, 0, SEEK_CUR);
  report = static_cast<virtual_machine::Report*>(share(sizeof(virtual_machine::Report)));
  findings = static_cast<Findings*>(share(sizeof(Findings)));
}

bool run(uint64_t seed, Run* result) {
  forget_last_run(result);
  Shape shape = shape_of(seed);
  result->threads = shape.threads;
  result->teams = shape.teams;
  bool judged = !options.replay || options.expected != nullptr || options.check != nullptr;
  pid_t child = fork();
  if (child < 0) cannot_run();
  if (child == 0) {
    if (judged) dup2(result->out, 1);
    if (!options.replay) dup2(result->errors, 2);
    begin(seed, *result);
    return false;
  }
  result->end = wait_for_end(child, &result->status);
  return true;
}

} // namespace explore
