// What one worker did, as slices that nest: regions, tasks, waits, constructs. Made from the events of its stream.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/shipped/recording/recording.h"
#include "tools/shipped/recording/task_table.h"

namespace chomp::analyse {

enum class SliceKind : uint8_t { kInitial, kRegion, kImplicit, kTask, kWait, kIdle, kWork, kMutex };

struct Slice {
  SliceKind kind{};
  uint64_t site = 0;
  uint64_t id = 0;      // of a task
  uint64_t number = 0;  // the size of a region's team, the member, the kind of wait, construct or mutex
  uint64_t number2 = 0; // iterations
  bool moved = false;   // another worker has made the task
  bool again = false;   // of a task that had stopped
};

/// What has to be known of all workers before one can be understood: read once, from copies of the streams.
struct Context {
  explicit Context(const recording::Recording& recording);

  uint64_t site_of_task(uint64_t id) const;
  /// When the region that `encountering` began last before `ticks` has ended; UINT64_MAX if that is not known.
  uint64_t end_of_region(uint64_t encountering, uint64_t ticks) const;

  uint64_t last_ticks = 0; // of any event
  std::vector<uint64_t> sites;
  uint64_t created = 0, published = 0;

private:
  struct Region {
    uint64_t began, ended;
  };
  recording::TaskTable<uint32_t> task_sites_{UINT32_MAX};     // index in `sites`
  std::unordered_map<uint64_t, std::vector<Region>> regions_; // by the task that encountered them
};

/// Calls `sink` for the slices of a stream:
///   begin(ticks, Slice)   end(ticks)   created(ticks, id, site)   published(ticks, tasks)   happened(ticks, what)
/// begins and ends nest, and each begin has its end.
template <class Sink> class Lane {
public:
  Lane(const Context& context, recording::Stream stream, Sink& sink)
      : context_(context), stream_(std::move(stream)), sink_(sink) {}

  void walk() {
    recording::Event event;
    begin_lost_regions();
    while (stream_.next(event)) {
      now_ = event.at;
      leave_region_that_has_ended();
      if (!over_ || event.kind == RecordKind::kImplicitEnd) take(event);
    }
    now_ = context_.last_ticks;
    leave_region_that_has_ended();
    while (!open_.empty()) close();
  }

private:
  struct Open {
    Slice slice;
    uint64_t region_ended; // of an implicit task of the pool
  };

  /// A recording that keeps only the last part of a run has ends of regions whose beginnings were replaced: they began
  /// before the first event that is left.
  void begin_lost_regions() {
    recording::Stream stream = stream_;
    recording::Event event;
    size_t open_regions = 0, lost = 0;
    for (bool first = true; stream.next(event); first = false) {
      if (first) now_ = event.at;
      if (event.kind == RecordKind::kRegionBegin) ++open_regions;
      if (event.kind == RecordKind::kRegionEnd && open_regions-- == 0) open_regions = 0, ++lost;
    }
    for (; lost > 0; --lost) open({SliceKind::kRegion});
  }

  void take(const recording::Event& event) {
    if (event.kind == RecordKind::kPause) return;
    switch (event.kind) {
    case RecordKind::kRegionBegin: return open({SliceKind::kRegion, event.site, 0, event.number});
    case RecordKind::kRegionEnd: return close_to(SliceKind::kRegion);
    case RecordKind::kImplicitBegin: return begin_implicit(event);
    case RecordKind::kImplicitEnd:
      if (over_)
        over_ = false;
      else
        close_to(in_region_ > 0 ? SliceKind::kImplicit : SliceKind::kInitial);
      return;
    case RecordKind::kBegin: return open(slice_of_task(event));
    case RecordKind::kEnd: return close_to(SliceKind::kTask);
    case RecordKind::kStop: return stop();
    case RecordKind::kGoOn: return go_on(event);
    case RecordKind::kWaitBegin: return open({SliceKind::kWait, event.site, 0, event.number});
    case RecordKind::kWaitEnd: return close_to(SliceKind::kWait);
    case RecordKind::kIdleBegin: return open({SliceKind::kIdle});
    case RecordKind::kIdleEnd: return close_to(SliceKind::kIdle);
    case RecordKind::kWorkBegin: return open({SliceKind::kWork, event.site, 0, event.number, event.number2});
    case RecordKind::kWorkEnd: return close_to(SliceKind::kWork);
    case RecordKind::kMutexWait: return open({SliceKind::kMutex, event.site, event.address, event.number});
    case RecordKind::kMutexAcquired:
    case RecordKind::kMutexGivenUp: return close_to(SliceKind::kMutex);
    case RecordKind::kCreate:
    case RecordKind::kCreateTied: return sink_.created(now_, event.id, event.site);
    case RecordKind::kPublish: return sink_.published(now_, event.number);
    default:
      if (const char* shown = kRecordForms[static_cast<size_t>(event.kind)].shown) sink_.happened(now_, shown);
    }
  }

  Slice slice_of_task(const recording::Event& event) const {
    return {SliceKind::kTask, context_.site_of_task(event.id), event.id, 0, 0, event.id >> 48 != stream_.worker() + 1u};
  }

  /// What is open in the task that stops, as a wait, is open again when it goes on.
  void stop() {
    size_t at = innermost(SliceKind::kTask);
    if (at == 0) return;
    std::vector<Open>& stopped = stopped_[open_[at - 1].slice.id];
    stopped.assign(open_.begin() + static_cast<std::ptrdiff_t>(at) - 1, open_.end());
    close_to(SliceKind::kTask);
  }

  /// An untied task goes on anywhere; nothing is open in it.
  void go_on(const recording::Event& event) {
    auto stopped = stopped_.find(event.id);
    std::vector<Open> slices{{slice_of_task(event), UINT64_MAX}};
    if (stopped != stopped_.end()) slices = std::move(stopped->second), stopped_.erase(stopped);
    slices[0].slice.moved = false;
    slices[0].slice.again = true;
    for (const Open& each : slices) open(each.slice, each.region_ended);
  }

  void begin_implicit(const recording::Event& event) {
    bool initial = event.parent == 0;
    // The primary ends its own regions; a thread of the pool learns of the end when it is next needed.
    uint64_t ended = initial || event.number == 0 ? UINT64_MAX : context_.end_of_region(event.parent, now_);
    in_region_ += !initial;
    open({initial ? SliceKind::kInitial : SliceKind::kImplicit, 0, event.id, event.number}, ended);
  }

  void leave_region_that_has_ended() {
    if (innermost_end_ >= now_) return;
    uint64_t now = std::exchange(now_, innermost_end_);
    close_to(SliceKind::kImplicit);
    now_ = now;
    over_ = true;
  }

  void open(Slice slice, uint64_t region_ended = UINT64_MAX) {
    open_.push_back({slice, region_ended});
    if (region_ended != UINT64_MAX) innermost_end_ = region_ended;
    sink_.begin(now_, slice);
  }

  void close() {
    bool implicit = open_.back().slice.kind == SliceKind::kImplicit;
    open_.pop_back();
    sink_.end(now_);
    if (!implicit) return;
    --in_region_;
    innermost_end_ = UINT64_MAX;
    for (const Open& each : open_)
      if (each.region_ended != UINT64_MAX) innermost_end_ = each.region_ended;
  }

  /// Ends the innermost slice of that kind and what lies in it. Its begin may have been lost: then there is nothing to
  /// end.
  void close_to(SliceKind kind) {
    size_t at = innermost(kind);
    if (at == 0) return;
    while (open_.size() >= at) close();
  }

  /// How many are open up to the innermost of that kind; 0: none is.
  size_t innermost(SliceKind kind) const {
    size_t at = open_.size();
    while (at > 0 && open_[at - 1].slice.kind != kind) --at;
    return at;
  }

  const Context& context_;
  recording::Stream stream_;
  Sink& sink_;
  uint64_t now_ = 0, innermost_end_ = UINT64_MAX;
  int in_region_ = 0;
  bool over_ = false; // the region of the innermost implicit task has ended, and the thread waits for the next one
  std::vector<Open> open_;
  std::unordered_map<uint64_t, std::vector<Open>> stopped_; // by the id of the task
};

} // namespace chomp::analyse
