// The runs. When EXPLORE is set, the first thing that the process does is to fork once per run; the child goes on as
// the program, the parent says how it ended. So neither the program nor the loader is started again for each run.
//   EXPLORE="runs=100 seed=1 strategy=random|pct|exhaustive|scale depth=3 memory=c11|sc races=0|1 faults=0|1 trace=0|1
//            steps=N cpus=N seconds=N keep_going=0|1 weaken=LIST"
// With strategy=scale there is one run, in the process itself, and more words: machine=CHIPSxCORES, limit_ns=N and
// the names of costs (scale.h).
// A line per failure and one at the end go to the descriptor EXPLORE_REPORT (1 if unset).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/process.h"

namespace virtual_machine {
namespace {

bool is(const char* word, const char* name, const char** value) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) != 0 || word[length] != '=') return false;
  *value = word + length + 1;
  return true;
}

void read_settings(const char* text) {
  char copy[8192];
  snprintf(copy, sizeof copy, "%s", text);
  char* rest = copy;
  while (char* word = strtok_r(nullptr, " ", &rest)) {
    const char* value;
    auto number = [&value] { return strtoull(value, nullptr, 10); };
    if (is(word, "runs", &value))
      settings.runs = number();
    else if (is(word, "seed", &value))
      settings.seed = number();
    else if (is(word, "depth", &value))
      settings.depth = static_cast<int>(number());
    else if (is(word, "memory", &value))
      settings.weak = strcmp(value, "sc") != 0;
    else if (is(word, "races", &value))
      settings.races = number() != 0;
    else if (is(word, "faults", &value))
      settings.interrupts = settings.faults = number() != 0;
    else if (is(word, "trace", &value))
      settings.trace = number() != 0;
    else if (is(word, "steps", &value))
      settings.step_limit = number();
    else if (is(word, "cpus", &value))
      settings.cpus = static_cast<int>(number());
    else if (is(word, "seconds", &value))
      settings.seconds = static_cast<int>(number());
    else if (is(word, "keep_going", &value))
      settings.keep_going = number() != 0;
    else if (is(word, "weaken", &value)) {
      if (!read_weakened(value)) {
        dprintf(2, "explore: not a list of places: weaken=%s\n", value);
        _exit(2);
      }
    } else if (is(word, "strategy", &value))
      settings.strategy = strcmp(value, "pct") == 0          ? Strategy::kPct
                          : strcmp(value, "exhaustive") == 0 ? Strategy::kExhaustive
                          : strcmp(value, "scale") == 0      ? Strategy::kScale
                                                             : Strategy::kRandom;
    else if (!read_scale_setting(word)) {
      dprintf(2, "explore: what is \"%s\" in EXPLORE?\n", word);
      _exit(2);
    }
  }
}

// The next path of an exhaustive search; false when all were taken.
bool next_path() {
  uint32_t depth = report->choices;
  while (depth > 0 && report->choice[depth - 1].taken + 1 >= report->choice[depth - 1].of) {
    report->choice[depth - 1] = {0, 0};
    --depth;
  }
  if (depth == 0) return false;
  ++report->choice[depth - 1].taken;
  return true;
}

void show(int output) {
  char buffer[65536];
  off_t end = lseek(output, 0, SEEK_END);
  off_t from = settings.trace || end < 4000 ? 0 : end - 4000;
  for (ssize_t got; (got = pread(output, buffer, sizeof buffer, from)) > 0; from += got)
    for (ssize_t done = 0; done < got;) {
      ssize_t written = write(2, buffer + done, static_cast<size_t>(got - done));
      if (written <= 0) return;
      done += written;
    }
}

// Programs that this one starts are not explored.
void forget_machine() {
  unsetenv("EXPLORE");
  unsetenv("LD_PRELOAD");
}

void serve() {
  int to = 1;
  if (const char* text = getenv("EXPLORE_REPORT")) to = atoi(text);
  int output = static_cast<int>(syscall(SYS_memfd_create, "output", MFD_CLOEXEC));
  uint64_t first = settings.seed, done = 0, failures = 0, steps = 0, switches = 0;
  bool complete = false;
  for (; done < settings.runs; ++done) {
    settings.seed = settings.strategy == Strategy::kExhaustive ? first : first + done;
    report->steps = report->switches = 0;
    report->failure[0] = 0;
    report->choices = 0;
    if (ftruncate(output, 0) != 0) _exit(3);
    lseek(output, 0, SEEK_SET);
    pid_t child = fork();
    if (child < 0) _exit(3);
    if (child == 0) {
      if (!settings.trace || settings.runs > 1) {
        dup2(output, 1);
        dup2(output, 2);
      }
      forget_machine();
      begin_run();
      return;
    }
    int status = 0;
    const char* stuck = wait_for(child, settings.seconds, &status);
    steps += report->steps;
    switches += report->switches;
    if (stuck != nullptr || status != 0) {
      ++failures;
      char what[512];
      if (stuck != nullptr)
        snprintf(what, sizeof what, "%s", stuck);
      else if (report->failure[0] != 0)
        snprintf(what, sizeof what, "%s", report->failure);
      else if (WIFSIGNALED(status))
        snprintf(what, sizeof what, "ended by signal %d", WTERMSIG(status));
      else
        snprintf(what, sizeof what, "wrong answer: exit status %d", WEXITSTATUS(status));
      dprintf(to, "FAILURE seed=%llu steps=%llu %s\n", (unsigned long long)settings.seed,
              (unsigned long long)report->steps, what);
      if (settings.runs > 1 || !settings.trace) show(output);
      if (!settings.keep_going) {
        ++done;
        break;
      }
    }
    if (settings.strategy == Strategy::kExhaustive && !next_path()) {
      complete = true;
      ++done;
      break;
    }
  }
  dprintf(to, "DONE runs=%llu failures=%llu steps=%llu switches=%llu%s\n", (unsigned long long)done,
          (unsigned long long)failures, (unsigned long long)steps, (unsigned long long)switches,
          complete ? " complete" : "");
  _exit(failures != 0);
}

// A scaled run is this process itself.
void scale() {
  settings.weak = settings.faults = false;
  settings.races = true; // plain accesses are asked for
  settings.cpus = cpu_count();
  if (settings.cpus < 1 || settings.cpus > kMaxCpus) {
    dprintf(2, "explore: a machine has 1 to %d CPUs\n", kMaxCpus);
    _exit(2);
  }
  begin_cpus();
  forget_machine();
  begin_run();
}

__attribute__((constructor)) void start(int, char** arguments, char** environment) {
  const char* text = getenv("EXPLORE");
  if (text == nullptr) return;
  read_settings(text);
  fix_addresses(arguments, environment);
  first_argument = reinterpret_cast<uintptr_t>(arguments);
  stay_on_one_cpu();
  report =
      static_cast<Report*>(mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (report == MAP_FAILED) _exit(3);
  if (scaling()) return scale();
  serve();
}

} // namespace
} // namespace virtual_machine
