// What observers keep of a worker (core/events.h), and its counters.
#pragma once

#include <cstdint>

#include "runtime/core/counters.h"
#include "runtime/observe/tool_state.h"

namespace chomp {

struct ObserveState {
  struct RecordStream* record = nullptr;
  bool every_task_is_watched = false; // run_watermark is above every stack pointer
  uint64_t tasks = 0;                 // ids given to tasks here
  ToolThread tool;
  WorkerCounters counters;
};

} // namespace chomp
