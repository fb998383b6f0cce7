// What observe/ompt_*.cpp share: the callbacks of the attached tool.
// ompt.cpp attaches the tool and ends it.
#pragma once

#include "runtime/core/team.h"
#include "runtime/core/program_call.h"
#include "runtime/core/worker.h"
#include "runtime/observe/ompt_types.h"

namespace chomp {
struct Observer;
}

namespace chomp::ompt {

/// The callbacks that are registered, by number. A tool may change them at any time, from any thread.
extern atomic<Function> callbacks[kEventCount];

/// While it lives, the calling thread is in the tool's code: in the callback of that event, or, for -1, in the tool's
/// start or end. After a crash there a message names the tool (tool_crash.h).
class InTool {
public:
  explicit InTool(int event) : worker_(tls_worker), outer_(worker_ != nullptr ? worker_->observe.tool.inside : 0) {
    set(event);
  }
  ~InTool() { set(outer_); }
  InTool(const InTool&) = delete;
  InTool& operator=(const InTool&) = delete;

private:
  void set(int event) {
    if (worker_ != nullptr) worker_->observe.tool.inside = event;
  }
  Worker* worker_;
  int outer_;
};

/// The tool's function for an event, or none. Can be called like the function, and compared with null.
template <class Callback> class ToolFunction {
public:
  ToolFunction(Callback* function, Event event) : function_(function), event_(event) {}
  explicit operator bool() const { return function_ != nullptr; }
  bool operator==(decltype(nullptr)) const { return function_ == nullptr; }
  template <class... Arguments> auto operator()(Arguments... arguments) const {
    InTool inside(event_);
    return function_(arguments...);
  }

private:
  Callback* function_;
  Event event_;
};

template <class Callback> ToolFunction<Callback> callback(Event event) {
  // relaxed: the function is code, there from the beginning; the tool orders what it wrote before.
  return {reinterpret_cast<Callback*>(callbacks[event].load(std::memory_order_relaxed)), event};
}

/// Registers a function for an event; null: none any more.
SetResult set_callback(int event, Function function);

/// ompt_finalize_tool(): the tool wants no more events.
void finalize();

/// The function of the interface with that name, or null (ompt_entry.cpp).
Function lookup(const char* name);
/// The same for an offload library, which may ask for callbacks of devices (ompt_entry.cpp).
Function lookup_for_offload(const char* name);

/// ompt_task_flag_t of a task that exists.
uint32_t flags_of(const Task* task, const Team* team);

/// What is added when the tool first wants an event of tasks, and when it starts (ompt_events.cpp).
extern const Observer task_observer, other_observer;

/// The initial task of a thread of the program, and the thread, end.
void end_initial_thread(Worker* worker);

} // namespace chomp::ompt
