// The task graphs that tasks on a worker's stack record or replay. Owner only.
#pragma once

namespace chomp {

struct GraphsState {
  struct GraphRegion* regions = nullptr; // the innermost first
  bool watches_waits = false; // one of these is being recorded: run_watermark is as if every task were watched
};

} // namespace chomp
