// The task graphs that tasks of a worker record or replay. Owner only.
#pragma once

namespace chomp {

struct GraphsState {
  struct GraphRegion* regions = nullptr; // the latest first
  bool watches_waits = false; // one of these is being recorded: run_watermark is as if every task were watched
};

} // namespace chomp
