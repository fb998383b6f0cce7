// The runs. When EXPLORE is set, the first thing that the process does is to fork once per run; the child goes on as
// the program, the parent says how it ended. So neither the program nor the loader is started again for each run.
//   EXPLORE="runs=100 seed=1 strategy=random|pct|exhaustive|scale depth=3 memory=c11|sc races=0|1 faults=0|1 trace=0|1
//            steps=N cpus=N seconds=N keep_going=0|1 plant=NAME weaken=LIST"
// With strategy=scale there is one run, in the process itself, and more words: machine=CHIPSxCORES, limit_ns=N and
// the names of costs (scale.h).
// A line per failure and one at the end go to the descriptor EXPLORE_REPORT (1 if unset).
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"

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
      settings.faults = number() != 0;
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
    else if (is(word, "plant", &value))
      snprintf(settings.plant, sizeof settings.plant, "%s", value);
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

// --- The same addresses each time: what the program hashes, and which of its data share a line, must not change ---

// The kernel puts the strings of the arguments and of the environment above the first frame, and a pointer for each
// between them. Strings and pointers together fill a multiple of this, whatever they are.
constexpr size_t kAboveFirstFrame = size_t{128} << 10;
// The number of variables is a multiple of this: setenv() copies the pointers to the heap, and moves what lies there.
constexpr size_t kVariables = 256;
constexpr char kFiller[] = "EXPLORE_FILLER=";
constexpr size_t kMostVariables = 4096;

// The bytes of the strings; `*count` grows by how many there are.
size_t bytes_of_strings(char* const* list, size_t* count) {
  size_t bytes = 0;
  for (; *list != nullptr; ++list, ++*count) bytes += strlen(*list) + 1;
  return bytes;
}

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// Appends variables to the environment that fill it up. They are two or more: the kernel takes no string of 128 KiB.
// It aligns strings and pointers to 16 bytes each: since the pointers are counted so, the strings are no odd number.
void fill_up(char** arguments, char** environment) {
  size_t variables = 0, count = 0;
  size_t used = bytes_of_strings(environment, &variables) + bytes_of_strings(arguments, &count);
  size_t fillers = round_up(variables + 2, kVariables) - variables;
  used += fillers * sizeof kFiller + round_up((variables + fillers + count) * sizeof(char*), 16);
  size_t missing = round_up(used, kAboveFirstFrame) - used;
  static char text[kAboveFirstFrame + (kVariables + 2) * sizeof kFiller];
  char* at = text;
  for (size_t left = fillers; left > 0; --left) {
    size_t part = missing / left;
    environment[variables++] = at;
    memcpy(at, kFiller, sizeof kFiller - 1);
    memset(at + sizeof kFiller - 1, '-', part);
    at += sizeof kFiller + part;
    missing -= part;
  }
  environment[variables] = nullptr;
}

// Starts the program once more, where the system chooses no address at random, and with as much above the first frame
// each time. Returns in the second life, which knows itself by the filler, and where the system refuses.
void fix_addresses(char** arguments, char** environment) {
  static char* filled[kMostVariables + kVariables + 2];
  size_t count = 0;
  for (; environment[count] != nullptr; ++count) {
    if (strncmp(environment[count], kFiller, sizeof kFiller - 1) == 0) return;
    if (count == kMostVariables) return;
    filled[count] = environment[count];
  }
  fill_up(arguments, filled);
  int now = personality(0xffffffff);
  if (now != -1) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
  execve("/proc/self/exe", arguments, filled);
}

// One processor for all: handing the baton over is then a switch, not a message to another processor.
void stay_on_one_cpu() {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  CPU_ZERO(&one);
  int here = sched_getcpu();
  CPU_SET(here < 0 ? 0 : here, &one);
  sched_setaffinity(0, sizeof one, &one);
}

const char* wait_for(pid_t child, int* status) {
  int file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd waited{file, POLLIN, 0};
  int ready = file < 0 ? 1 : poll(&waited, 1, settings.seconds * 1000);
  if (file >= 0) close(file);
  if (ready == 0) kill(child, SIGKILL);
  while (waitpid(child, status, 0) < 0 && errno == EINTR) {
  }
  return ready == 0 ? "stuck: no end in the time allowed" : nullptr;
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
    const char* stuck = wait_for(child, &status);
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
  plant_bug(settings.plant);
  if (scaling()) return scale();
  serve();
}

} // namespace
} // namespace virtual_machine
