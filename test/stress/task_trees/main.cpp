// Runs trees (tree.h) and compares their hashes with the serial ones. A failure, whatever its kind, is printed with the
// command that repeats it. To reduce one: fewer features, a smaller depth or size, fewer threads, until it passes.
#include "tree.h"

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

const char* const kFeatureNames[] = {"untied",  "undeferred",  "final",      "priorities", "yields",
                                     "scatter", "dependences", "reductions", "taskloops",  "detach",
                                     "cancel",  "exceptions",  "regions",    "chains",     "long"};

const char kUsage[] =
    "usage: task_trees [options]\n"
    "  --seed N         of the first tree; the next ones have N + 1, N + 2, ...     (from the clock)\n"
    "  --count N        trees                                                       (4)\n"
    "  --seconds S      new trees for so long, instead of --count\n"
    "  --repeat N       runs of each tree                                           (1)\n"
    "  --threads N      of the outer region                                         (OMP_NUM_THREADS)\n"
    "  --size N         about how many nodes each has                               (400)\n"
    "  --depth N        how many levels at most                                     (12)\n"
    "  --features LIST  only these, by comma; -NAME leaves one out of all\n"
    "  --limit S        seconds a tree may take; 0: for ever                        (60)\n"
    "  --serial         the hashes, without OpenMP\n"
    "features:";

#ifdef CHOMP_SANITIZED
constexpr int kTrees = 1;
#else
constexpr int kTrees = 4;
#endif

Program program;
char again[4096]; // the command that repeats the tree at hand

extern "C" char** environ;

void describe(const char* name, int threads) {
  std::string text = "again:";
  for (char** each = environ; *each != nullptr; ++each)
    for (const char* prefix : {"OMP_", "KMP_", "CHOMP_", "HWLOC_"})
      if (strncmp(*each, prefix, strlen(prefix)) == 0 && strncmp(*each, "CHOMP_SEED", 10) != 0) {
        std::string variable = *each;
        size_t equals = variable.find('=') + 1;
        text += " " + variable.substr(0, equals) + "'" + variable.substr(equals) + "'";
      }
  text += std::string(" ") + name + " --count 1 --repeat 100 --seed " + std::to_string(program.seed) + " --size " +
          std::to_string(program.size) + " --depth " + std::to_string(program.depth);
  if (threads > 0) text += " --threads " + std::to_string(threads);
  if (program.features != kAllFeatures) {
    text += " --features none";
    for (unsigned i = 0; i < std::size(kFeatureNames); ++i)
      if (program.features >> i & 1) text += std::string(",") + kFeatureNames[i];
  }
  snprintf(again, sizeof again, "%s\n", text.c_str());
}

void say_again() {
  if (write(STDERR_FILENO, again, strlen(again)) < 0) _exit(1);
}

void on_signal(int signal) {
  const char* text = signal == SIGALRM ? "task_trees: a tree does not end\n" : "task_trees: a crash\n";
  if (write(STDERR_FILENO, text, strlen(text)) > 0) say_again();
  if (signal == SIGALRM) _exit(1);
}

// Crashes are the sanitizer's to report if there is one.
void catch_signals() {
  static char stack[64 * 1024];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK | static_cast<int>(SA_RESETHAND); // and the instruction crashes again
  sigaction(SIGALRM, &action, nullptr);
#ifndef CHOMP_SANITIZED
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
#endif
}

struct ExternalThread {
  std::mutex mutex;
  std::condition_variable more;
  std::vector<omp_event_handle_t> events;

  [[noreturn]] void serve() {
    for (;;) {
      std::vector<omp_event_handle_t> mine;
      {
        std::unique_lock<std::mutex> lock(mutex);
        more.wait(lock, [this] { return !events.empty(); });
        mine.swap(events);
      }
      for (omp_event_handle_t event : mine) omp_fulfill_event(event);
    }
  }
};

ExternalThread* external; // never destroyed: its thread waits for ever

unsigned parse_features(const char* list) {
  unsigned features = list[0] == '-' ? kAllFeatures : 0;
  std::string text = list;
  for (size_t at = 0; at <= text.size();) {
    size_t comma = text.find(',', at);
    std::string name = text.substr(at, comma - at);
    bool leave_out = name[0] == '-';
    unsigned bit = name == "none" ? 0 : ~0u;
    for (unsigned i = 0; i < std::size(kFeatureNames); ++i)
      if (name.substr(leave_out) == kFeatureNames[i]) bit = 1u << i;
    if (bit == ~0u) {
      fprintf(stderr, "task_trees: no feature %s\n", name.c_str());
      exit(2);
    }
    features = leave_out ? features & ~bit : features | bit;
    at = comma == std::string::npos ? text.size() + 1 : comma + 1;
  }
  return features;
}

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

} // namespace

void hand_to_external_thread(omp_event_handle_t event) {
  std::lock_guard<std::mutex> lock(external->mutex);
  external->events.push_back(event);
  external->more.notify_one();
}

void broken(const char* what) {
  fprintf(stderr, "task_trees: %s\n", what);
  say_again();
  _exit(1);
}

int main(int argc, char** argv) {
  int count = kTrees, repeat = 1, threads = 0, limit = 60;
  double seconds = 0;
  bool only_serial = false;
  program.seed = static_cast<uint64_t>(time(nullptr)) << 16 ^ static_cast<uint64_t>(getpid());
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--serial") {
      only_serial = true;
      continue;
    }
    size_t equals = option.find('=');
    const char* value = nullptr;
    if (equals != std::string::npos) {
      value = argv[i] + equals + 1;
      option.resize(equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    }
    if (value == nullptr) option = "";
    if (option == "--seed")
      program.seed = strtoull(value, nullptr, 0);
    else if (option == "--count")
      count = atoi(value);
    else if (option == "--seconds")
      seconds = atof(value);
    else if (option == "--repeat")
      repeat = atoi(value);
    else if (option == "--threads")
      threads = atoi(value);
    else if (option == "--size")
      program.size = atoi(value);
    else if (option == "--depth")
      program.depth = atoi(value);
    else if (option == "--features")
      program.features = parse_features(value);
    else if (option == "--limit")
      limit = atoi(value);
    else {
      fputs(kUsage, stderr);
      for (const char* name : kFeatureNames) fprintf(stderr, " %s", name);
      fputs("\n", stderr);
      return 2;
    }
  }
  // Read at the first use of OpenMP, which comes below.
  setenv("OMP_CANCELLATION", "true", 0);
  setenv("OMP_MAX_TASK_PRIORITY", "10", 0);
  setenv("OMP_MAX_ACTIVE_LEVELS", "2", 0);
  catch_signals();
  external = new ExternalThread;
  std::thread([] { external->serve(); }).detach();
  if (threads > 0) omp_set_num_threads(threads);

  double end = now() + seconds;
  for (int tree = 0; seconds > 0 ? now() < end : tree < count; ++tree, ++program.seed) {
    describe(argv[0], threads);
    uint64_t expected = serial::hash_of(program);
    if (only_serial)
      printf("%llu %016llx\n", static_cast<unsigned long long>(program.seed),
             static_cast<unsigned long long>(expected));
    for (int run = 0; run < repeat && !only_serial; ++run) {
      alarm(static_cast<unsigned>(limit));
      if (parallel::hash_of(program) != expected) broken("a tree's hash is not the serial one");
      alarm(0);
    }
  }
  return 0;
}
