// Finds a tool and attaches it (OpenMP 5.2, 19.2), keeps its callbacks, and ends it when the process does.
//
// It looks for ompt_start_tool() in this order: in the process; in each library of OMP_TOOL_LIBRARIES; in libarcher.so,
// if ThreadSanitizer has instrumented the program. The first that returns a result is the tool. The first thread that
// uses OpenMP starts the tool once the runtime knows that thread, so a tool whose initialiser calls OpenMP does not
// wait for itself. Other threads that come meanwhile wait.
#include "runtime/observe/ompt.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/dynamic.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/version.h"
#include "runtime/config/config.h"
#include "runtime/config/settings_table.h"
#include "runtime/core/events.h"
#include "runtime/stacks/tool_crash.h"
#include "runtime/observe/ompt_tool.h"
#include "runtime/threads/thread_pool.h"

namespace chomp {

namespace ompt {

constinit atomic<Function> callbacks[kEventCount] = {};

namespace {

constinit Lock attach_lock;                   // held while the tool starts
constinit atomic<bool> attached{false};       // the search is over
constinit atomic<Worker*> attaching{nullptr}; // starts the tool; relaxed: a thread only looks for itself
constinit StartResult* tool = nullptr;        // what the tool has returned
constinit StartResult* offload = nullptr;
constinit bool observing = false;
constinit Lock observing_lock;

/// Writes what OMP_TOOL_VERBOSE_INIT asks for: the steps of the search, in libomp's words.
class SearchLog {
public:
  SearchLog() {
    const char* where = config.tool_verbose_init;
    if (where == nullptr || strcasecmp(where, "disabled") == 0) return;
    if (strcasecmp(where, "stdout") == 0)
      file_ = stdout;
    else if (strcasecmp(where, "stderr") == 0)
      file_ = stderr;
    else if (int file = open_report(where, O_TRUNC); file >= 0)
      file_ = opened_ = fdopen(file, "w");
    if (file_ == nullptr) warn(0, "OMP_TOOL_VERBOSE_INIT: cannot open %s: %m", where);
    say("----- START LOGGING OF TOOL REGISTRATION -----\n");
  }
  ~SearchLog() {
    say("----- END LOGGING OF TOOL REGISTRATION -----\n");
    if (opened_ != nullptr) fclose(opened_);
  }
  SearchLog(const SearchLog&) = delete;
  SearchLog& operator=(const SearchLog&) = delete;

  void say(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    if (file_ == nullptr) return;
    va_list list;
    va_start(list, format);
    vfprintf(file_, format, list);
    va_end(list);
    fflush(file_);
  }

private:
  FILE* file_ = nullptr;
  FILE* opened_ = nullptr;
};

constexpr char kRuntimeName[] = "chomp " CHOMP_VERSION ", in place of LLVM OMP version: 5.0";

/// `name`: the library that has the symbol; null: the process.
StartResult* start_with(void* symbol, const char* name) {
  auto* start = reinterpret_cast<StartTool*>(symbol);
  if (start == nullptr) return nullptr;
  tool_crash_watch(tls_worker, name);
  InTool inside(-1);
  return start(kOpenmpVersion, kRuntimeName);
}

/// Tries a library that may have the tool. `named`: the user asked for it, so a message says why it is not used.
StartResult* start_from_library(const char* name, bool named, SearchLog& log) {
  log.say("Opening %s... ", name);
  void* library = open_library(name);
  if (library == nullptr) {
    const char* why = library_error();
    log.say("Failed: %s\n", why);
    if (named) warn(0, "OMP_TOOL_LIBRARIES: the tool cannot be loaded: %s", why);
    return nullptr;
  }
  log.say("Success. \nSearching for ompt_start_tool in %s... ", name);
  void* symbol = find_symbol(library, "ompt_start_tool");
  if (symbol == nullptr) {
    log.say("Failed: %s\n", library_error());
    if (named) warn(0, "OMP_TOOL_LIBRARIES: %s is no tool: it has no ompt_start_tool()", name);
    close_library(library);
    return nullptr;
  }
  if (StartResult* result = start_with(symbol, name)) {
    log.say("Success. \n");
    return result;
  }
  log.say("Found but not using the OMPT interface.\nContinuing search...\n");
  close_library(library);
  return nullptr;
}

StartResult* start_from_list(const char* list, SearchLog& log) {
  log.say("Searching tool libraries...\nOMP_TOOL_LIBRARIES = %s\n", list);
  for (const char* at = list; *at != '\0';) {
    size_t length = strcspn(at, ":");
    char name[4096];
    if (length > 0 && length < sizeof name) {
      memcpy(name, at, length);
      name[length] = '\0';
      if (StartResult* result = start_from_library(name, true, log)) return result;
    }
    at += length;
    if (*at == ':') ++at;
  }
  return nullptr;
}

/// What the process itself has of a tool. In a static program there is nothing to find. Where nobody defines the names,
/// dlsym() is not asked.
struct InProcess {
  void* start_tool = nullptr;
  bool sanitised = false; // whether ThreadSanitizer's run time is there, found as Archer finds it
};

InProcess look_in_process() {
  void* start_tool = others_define("ompt_start_tool") ? find_in_program("ompt_start_tool") : nullptr;
  return {start_tool, others_define("RunningOnValgrind")};
}

StartResult* find_tool(const InProcess& process, SearchLog& log) {
  log.say("Search for OMP tool in current address space... ");
  if (StartResult* result = start_with(process.start_tool, nullptr)) {
    log.say("Success. \n");
    return result;
  }
  log.say("Failed.\n");
  if (config.tool_libraries != nullptr && config.tool_libraries[0] != '\0') {
    if (StartResult* result = start_from_list(config.tool_libraries, log)) return result;
  } else {
    log.say("No OMP_TOOL_LIBRARIES defined.\n");
  }
  log.say("...searching tool libraries failed.");
  StartResult* result = nullptr;
  if (process.sanitised) {
    log.say(" Using archer tool.\n");
    result = start_from_library("libarcher.so", false, log);
  } else {
    log.say("\n");
  }
  if (result == nullptr) log.say("No OMP tool loaded.\n");
  return result;
}

bool is_task_event(int event) {
  switch (event) {
#define CALLBACK(name, text)
#define TASK_CALLBACK(name, text) case name:
#include "runtime/core/events.def"
    return true;
  default: return false;
  }
}

bool is_device_event(int event) {
  switch (event) {
#define CALLBACK(name, text)
#define DEVICE_CALLBACK(name, text) case name:
#include "runtime/core/events.def"
    return true;
  default: return false;
  }
}

StartResult* search(const InProcess& process) {
  SearchLog log;
  StartResult* found = find_tool(process, log);
  if (found != nullptr) log.say("Tool was started and is using the OMPT interface.\n");
  return found;
}

bool initialize(StartResult* found) {
  InTool inside(-1);
  return found->initialize != nullptr && found->initialize(lookup, 0, &found->tool_data) != 0;
}

void start(const InProcess& process) {
  StartResult* found = config.tool ? search(process) : nullptr;
  if (found == nullptr) return;
  tool = found;
  events_add_observer(&other_observer);
  events_set_tool(true);
  if (!initialize(found)) {
    events_set_tool(false);
    tool = nullptr;
    for (auto& each : callbacks) each.store(nullptr, std::memory_order_relaxed); // relaxed: as above
  }
}

/// Whether the calling thread is outside all regions, so that its pool threads can be ended.
bool outside_regions(const Worker* worker) {
  return worker != nullptr && worker->thread.is_root &&
         worker->current == &worker->thread.initial_member->implicit_task;
}

} // namespace

SetResult set_callback(int event, Function function) {
  if (event <= 0 || event >= kEventCount) return kSetError;
  callbacks[event].store(function, std::memory_order_relaxed); // relaxed: see callback()
  if (is_device_event(event)) return kSetSometimes;            // an offload library reports them, if there is one
  if (function != nullptr && is_task_event(event)) {
    std::lock_guard guard(observing_lock);
    if (!observing) events_add_observer(&task_observer);
    observing = true;
  }
  return kSetAlways;
}

void finalize() {
  StartResult* ended;
  {
    std::lock_guard guard(attach_lock);
    ended = tool;
    tool = nullptr;
  }
  if (ended == nullptr) return;
  Worker* worker = tls_worker;
  bool outside = outside_regions(worker);
  if (outside || worker == nullptr) workers_end_pool(worker);
  if (outside) end_initial_thread(worker);
  events_set_tool(false); // an event that is on its way may still come
  for (auto& each : callbacks) each.store(nullptr, std::memory_order_relaxed); // relaxed: as above
  if (offload != nullptr && offload->finalize != nullptr) offload->finalize(nullptr);
  InTool inside(-1);
  if (ended->finalize != nullptr) ended->finalize(&ended->tool_data);
}

// Runs after the destructors of the program that uses the library.
__attribute__((destructor)) static void process_ends() { finalize(); }

} // namespace ompt

void tool_end() { ompt::finalize(); }

void tool_attach() {
  using namespace ompt;
  if (attached.load(std::memory_order_acquire)) return; // acquire: pairs with release below
  // The tool itself uses OpenMP while it starts.
  if (attaching.load(std::memory_order_relaxed) == tls_worker) return; // relaxed: a thread looks only for its own store
  Uncancelled whole;
  // This asks the loader before it takes our lock. The constructor of a library that is being opened runs under the
  // loader's lock; if it used OpenMP, it would wait for ours. Libraries that a user names are opened under both locks.
  InProcess process;
  if (config.tool) process = look_in_process();
  std::lock_guard guard(attach_lock);
  if (attached.load(std::memory_order_relaxed)) return;   // relaxed: the lock orders it
  attaching.store(tls_worker, std::memory_order_relaxed); // relaxed: as above
  start(process);
  attaching.store(nullptr, std::memory_order_relaxed); // relaxed: as above
  attached.store(true, std::memory_order_release);     // release: pairs with acquire above
}

void tool_reset_after_fork() {
  using namespace ompt;
  observing_lock.reset_after_fork();
  if (attaching.load(std::memory_order_relaxed) == tls_worker && tls_worker != nullptr) return; // relaxed: one thread
  attach_lock.reset_after_fork();
  attaching.store(nullptr, std::memory_order_relaxed); // relaxed: as above
}

int tool_control(int command, int modifier, void* argument, const void* site, const void* frame) {
  constexpr int kNoTool = -2, kNoCallback = -1;
  Worker* worker = this_worker();
  if (!tool_attached()) return kNoTool;
  auto control = ompt::callback<ompt::ControlTool>(ompt::kControlTool);
  if (control == nullptr) return kNoCallback;
  ProgramCall call(worker, site, frame);
  return control(static_cast<uint64_t>(command), static_cast<uint64_t>(modifier), argument, site);
}

void tool_connect_offload(void* start_result) {
  auto* result = static_cast<ompt::StartResult*>(start_result);
  if (!tool_attached() || result == nullptr || result->initialize == nullptr) return;
  ompt::offload = result;
  result->initialize(ompt::lookup_for_offload, 0, nullptr);
}

} // namespace chomp
