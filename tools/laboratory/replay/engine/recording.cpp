// Making a graph of what CHOMP_RECORD wrote (tools/shipped/recording). Streams of several workers are merged by time
// and by cause: a task begins after it was made.
#include "graph.h"

#include <algorithm>
#include <memory>

#include "tools/shipped/recording/recording.h"
#include "tools/shipped/recording/task_table.h"

namespace chomp::simulate {
namespace {

using recording::Event;

/// The events of one worker that are about the graph. What lies between them counts for the next one.
class Stream {
public:
  explicit Stream(recording::Stream all) : all_(std::move(all)) {}

  bool next(Event& event) {
    uint64_t skipped = 0;
    while (all_.next(event)) {
      switch (event.kind) {
      case RecordKind::kSite:
      case RecordKind::kDomain:
      case RecordKind::kIdleBegin:
      case RecordKind::kIdleEnd:
      case RecordKind::kPublish:
      case RecordKind::kWorkBegin:
      case RecordKind::kWorkEnd:
      case RecordKind::kDelayed:
      case RecordKind::kMutexWait:
      case RecordKind::kMutexAcquired:
      case RecordKind::kMutexGivenUp:
      case RecordKind::kMutexReleased: skipped += event.ticks; break;
      default: event.ticks += skipped; return true;
      }
    }
    return false;
  }

private:
  recording::Stream all_;
};

/// A recording that is complete.
class File {
public:
  explicit File(const std::string& path) : recording(path), header(recording.header) {
    if (!recording.ended()) throw Error(path + ": the recording has no end; was the program killed?");
    if (!recording.whole()) throw Error(path + ": a part of the recording is missing");
    for (recording::Stream& each : recording.streams) streams.emplace_back(std::move(each));
  }

  recording::Recording recording;
  const RecordHeader& header;
  std::vector<Stream> streams;
};

class Ids {
public:
  static constexpr TaskId kUnknown = kNoTask - 1;
  TaskId& operator[](uint64_t id) { return tasks_[id]; }
  bool knows(uint64_t id) const { return tasks_.at(id) != kUnknown; }

private:
  recording::TaskTable<TaskId> tasks_{kUnknown};
};

/// The ticks between the events of one worker, without pauses.
struct Gap {
  RecordKind from, to;
  uint64_t ticks;
};

using Gaps = std::vector<std::vector<Gap>>; // by worker

Gaps gaps_of(const std::string& path) {
  File file(path);
  Gaps gaps;
  for (Stream& stream : file.streams) {
    std::vector<Gap>& all = gaps.emplace_back();
    auto last = RecordKind::kPause;
    for (Event event; stream.next(event);) {
      if (event.kind == RecordKind::kPause) continue;
      all.push_back({last, event.kind, event.ticks});
      last = event.kind;
    }
  }
  return gaps;
}

// Of recordings whose events are the same as the first's, the lower quartile of each gap: the shortest would be luck.
Gaps undisturbed_gaps(const std::vector<std::string>& paths) {
  std::vector<Gaps> alike;
  for (const std::string& path : paths) {
    Gaps more = gaps_of(path);
    bool same = alike.empty() || more.size() == alike[0].size();
    for (size_t lane = 0; same && !alike.empty() && lane < more.size(); ++lane)
      same = std::equal(more[lane].begin(), more[lane].end(), alike[0][lane].begin(), alike[0][lane].end(),
                        [](const Gap& a, const Gap& b) { return a.to == b.to; });
    if (same) alike.push_back(std::move(more));
  }
  Gaps result = alike[0];
  std::vector<uint64_t> ticks(alike.size());
  auto quartile = ticks.begin() + static_cast<ptrdiff_t>(ticks.size() / 4);
  for (size_t lane = 0; lane < result.size(); ++lane)
    for (size_t i = 0; i < result[lane].size(); ++i) {
      for (size_t k = 0; k < alike.size(); ++k) ticks[k] = alike[k][lane][i].ticks;
      std::nth_element(ticks.begin(), quartile, ticks.end());
      result[lane][i].ticks = *quartile;
    }
  return result;
}

class Reader {
public:
  Reader(const std::vector<std::string>& paths, const RecordingCosts& costs) : file_(paths.at(0)), costs_(costs) {
    if (paths.size() > 1) undisturbed_ = undisturbed_gaps(paths);
    graph_.program = file_.recording.program();
    graph_.scheduler = file_.recording.scheduler();
    for (Stream& stream : file_.streams) {
      lanes_.emplace_back(std::make_unique<Lane>());
      lanes_.back()->stream = &stream;
      lanes_.back()->number = lanes_.size();
      advance(*lanes_.back());
    }
  }

  Graph read() {
    merge();
    for (auto& lane : lanes_) // threads that were still recording when the program ended
      while (!lane->frames.empty()) leave(*lane);
    finish();
    return std::move(graph_);
  }

private:
  struct Frame {
    TaskId task; // kNoTask outside of regions
    uint64_t id = 0;
    bool waiting = false, nested = false;
    RecordWait wait{};
    std::vector<Operation> operations;
    std::unique_ptr<DependenceResolver> children;
  };
  struct Lane { // a worker
    Stream* stream;
    size_t number = 0; // from 1
    size_t gap = 0;    // events so far, without pauses
    Event event;
    bool more = false;
    uint64_t time = 0;                                       // of `event`
    RecordKind last = RecordKind::kPause;                    // until there is one
    std::vector<std::pair<RecordAccess, uint64_t>> accesses; // of the task that is created next
    Awaited awaited;
    double debt = 0;
    std::vector<Frame> frames;
  };
  struct RecordedRegion {
    int size;
    int in_graph; // or -1: nested
    Lane* lane;   // the primary's
    TaskId encountering;
  };
  /// The regions that one task encountered, and how many of them each member has begun or left out.
  struct Encountered {
    std::vector<RecordedRegion> regions;
    std::unordered_map<uint64_t, size_t> next;
  };

  void advance(Lane& lane) {
    lane.more = lane.stream->next(lane.event);
    if (!lane.more) return;
    lane.time = lane.event.at;
    if (!undisturbed_.empty() && lane.event.kind != RecordKind::kPause)
      lane.event.ticks = undisturbed_[lane.number - 1][lane.gap++].ticks;
  }

  // The region that a member's implicit task belongs to: the next one that is large enough; null: not yet known.
  const RecordedRegion* region_of(const Event& event, bool take) {
    Encountered& by = encountered_[event.parent];
    size_t next = by.next[event.number];
    while (next < by.regions.size() && by.regions[next].size <= static_cast<int>(event.number)) ++next;
    if (next == by.regions.size()) return nullptr;
    if (take) by.next[event.number] = next + 1;
    return &by.regions[next];
  }

  // Whether the event must not be looked at before another worker's.
  bool must_wait(const Event& event) {
    switch (event.kind) {
    case RecordKind::kBegin:
    case RecordKind::kFulfil: return !ids_.knows(event.id);
    case RecordKind::kImplicitBegin: return event.parent != 0 && region_of(event, false) == nullptr;
    default: return false;
    }
  }

  void merge() {
    std::vector<Lane*> order;
    for (;;) {
      order.clear();
      for (auto& lane : lanes_)
        if (lane->more) order.push_back(lane.get());
      if (order.empty()) return;
      std::sort(order.begin(), order.end(),
                [](Lane* a, Lane* b) { return a->time != b->time ? a->time < b->time : a->number < b->number; });
      auto ready = std::find_if(order.begin(), order.end(), [&](Lane* lane) { return !must_wait(lane->event); });
      if (ready == order.end()) throw Error("the recording contradicts itself: a task begins that nobody made");
      // As long as it is the first; but a lane that jumped the queue takes one step.
      uint64_t until = ready != order.begin() ? 0 : order.size() > 1 ? order[1]->time : UINT64_MAX;
      Lane& lane = **ready;
      do {
        take(lane);
        advance(lane);
      } while (lane.more && lane.time <= until && !must_wait(lane.event));
    }
  }

  // The time since the last event of the worker that the program itself computed.
  Time computed(Lane& lane) {
    auto from = static_cast<size_t>(lane.last), to = static_cast<size_t>(lane.event.kind);
    double cost = costs_.known && costs_.ns[from][to] >= 0 ? costs_.ns[from][to] : file_.header.event_ns;
    double ns = static_cast<double>(lane.event.ticks) * file_.header.ns_per_tick - cost + lane.debt;
    lane.debt = ns < 0 ? std::max(ns, -4 * cost) : 0;
    return ns < 0 ? 0 : from_ns(ns);
  }

  static bool is_create(RecordKind kind) {
    return kind == RecordKind::kCreate || kind == RecordKind::kCreateTied || kind == RecordKind::kDiscard;
  }

  // Whether the time before this event belongs to the innermost task, or to the runtime.
  static bool is_own_time(const Lane& lane) {
    RecordKind kind = lane.event.kind;
    if (lane.frames.empty() || lane.frames.back().waiting) return false;
    if (lane.last == RecordKind::kDependence) return false; // followed by the creation
    return !(kind == RecordKind::kBegin && is_create(lane.last));
  }

  void put(Frame& frame, Time before, Op op, uint32_t argument = 0) {
    constexpr Time kMost = UINT32_MAX;
    for (; before > kMost; before -= kMost)
      frame.operations.push_back({static_cast<uint32_t>(kMost), static_cast<uint32_t>(Op::kNothing) << 28});
    frame.operations.push_back({static_cast<uint32_t>(before), static_cast<uint32_t>(op) << 28 | argument});
  }

  Frame& top(Lane& lane) {
    if (lane.frames.empty()) lane.frames.push_back(Frame{kNoTask, 0, false, false, {}, {}, nullptr});
    return lane.frames.back();
  }

  void enter(Lane& lane, TaskId task, uint64_t id) {
    lane.frames.push_back(Frame{task, id, false, false, {}, {}, nullptr});
  }

  void leave(Lane& lane, Time own = 0) {
    Frame frame = std::move(lane.frames.back());
    lane.frames.pop_back();
    if (frame.task == kNoTask) return;
    if (frame.nested) {
      put(frame, own, Op::kGroupEnd);
      own = 0;
    }
    put(frame, own, Op::kEnd);
    graph_.tasks[frame.task].first_operation = static_cast<uint32_t>(graph_.operations.size());
    graph_.operations.insert(graph_.operations.end(), frame.operations.begin(), frame.operations.end());
    begun_[frame.task] = true;
  }

  TaskId add_task(TaskId parent, uint8_t properties) {
    begun_.push_back(false);
    return graph_.add_task(parent, properties);
  }

  // The frame of the task that encountered a taskloop: it waits, perhaps on another worker.
  Frame& frame_of(uint64_t id, Lane& lane) {
    for (auto& each : lanes_)
      for (Frame& frame : each->frames)
        if (frame.id == id && frame.task != kNoTask) return frame;
    return top(lane);
  }

  void create(Lane& lane, Time own) {
    const Event& event = lane.event;
    Frame& innermost = top(lane);
    Frame& parent = event.parent != 0 ? frame_of(event.parent, lane) : innermost;
    if (&parent != &innermost && innermost.task != kNoTask && own > 0) {
      put(innermost, own, Op::kNothing);
      own = 0;
    }
    uint64_t flags = event.kind == RecordKind::kCreate ? event.number : 0;
    TaskId task = kNoTask;
    if (parent.task != kNoTask) {
      uint8_t properties = 0;
      if (flags & kRecordUntied) properties |= kUntied;
      if (flags & kRecordDetachable) properties |= kDetached;
      if (flags & kRecordPriority) properties |= kPrioritised;
      task = add_task(parent.task, properties);
      if (flags & kRecordPriority) graph_.priorities[task] = static_cast<int>(event.number2);
      put(parent, own, flags & kRecordUndeferred ? Op::kCall : Op::kCreate, task);
      for (auto [mode, address] : lane.accesses) access(parent, task, mode, address, nullptr);
    }
    lane.accesses.clear();
    ids_[event.id] = task;
  }

  void access(Frame& parent, TaskId task, RecordAccess mode, uint64_t address, Awaited* awaited) {
    if (parent.children == nullptr) parent.children = std::make_unique<DependenceResolver>(graph_);
    Access access = Access::kOut;
    switch (mode) {
    case RecordAccess::kIn: access = Access::kIn; break;
    case RecordAccess::kInOutSet: access = Access::kInOutSet; break;
    case RecordAccess::kAll: access = Access::kAll; break;
    case RecordAccess::kMutexInOutSet: access = Access::kMutexInOutSet; break;
    case RecordAccess::kOut: break;
    }
    parent.children->access(task, address, access, awaited);
  }

  void depend(Lane& lane) {
    Frame& frame = top(lane);
    auto mode = static_cast<RecordAccess>(lane.event.number);
    if (frame.waiting && frame.wait == RecordWait::kDependences) {
      if (frame.task != kNoTask) access(frame, kNoTask, mode, lane.event.address, &lane.awaited);
    } else {
      lane.accesses.emplace_back(mode, lane.event.address);
    }
  }

  void wait_end(Lane& lane) {
    Frame& frame = top(lane);
    if (frame.waiting && frame.wait == RecordWait::kDependences && frame.task != kNoTask) {
      put(frame, 0, Op::kWaitTasks, static_cast<uint32_t>(graph_.awaited.size()));
      graph_.awaited.push_back(std::move(lane.awaited));
      lane.awaited = {};
    }
    frame.waiting = false;
  }

  void wait_begin(Lane& lane, Time own) {
    Frame& frame = top(lane);
    frame.waiting = true;
    frame.wait = static_cast<RecordWait>(lane.event.number);
    if (frame.task == kNoTask) return;
    switch (frame.wait) {
    case RecordWait::kChildren: put(frame, own, Op::kWait); break;
    case RecordWait::kGroup: put(frame, own, Op::kGroupEnd); break;
    case RecordWait::kBarrier:
      if (frame.nested) {
        put(frame, own, Op::kGroupEnd);
        put(frame, 0, Op::kGroupBegin);
      } else {
        put(frame, own, Op::kBarrier);
      }
      break;
    case RecordWait::kDependences:
    case RecordWait::kJoin:
    case RecordWait::kOther: put(frame, own, Op::kNothing); break;
    }
  }

  void region_begin(Lane& lane, Time own) {
    Frame& frame = top(lane);
    RecordedRegion region{static_cast<int>(lane.event.number), -1, &lane, frame.task};
    if (frame.task == kNoTask) {
      region.in_graph = static_cast<int>(graph_.regions.size());
      graph_.regions.push_back({region.size, {}});
      graph_.workers_recorded = std::max(graph_.workers_recorded, region.size);
    } else {
      put(frame, own, Op::kNothing);
    }
    encountered_[frame.id].regions.push_back(region);
  }

  void implicit_begin(Lane& lane) {
    const Event& event = lane.event;
    if (event.parent == 0) return enter(lane, kNoTask, event.id); // an initial task
    const RecordedRegion& region = *region_of(event, true);
    if (region.in_graph >= 0) {
      TaskId task = add_task(kNoTask, kImplicitTask);
      graph_.regions[static_cast<size_t>(region.in_graph)].implicit.push_back(task);
      return enter(lane, task, event.id);
    }
    // A nested region is replayed as an undeferred task for each member, one after the other.
    TaskId task = add_task(region.encountering, 0);
    for (Frame& frame : region.lane->frames)
      if (frame.task == region.encountering) put(frame, 0, Op::kCall, task);
    enter(lane, task, event.id);
    lane.frames.back().nested = true;
    put(lane.frames.back(), 0, Op::kGroupBegin);
  }

  void take(Lane& lane) {
    const Event& event = lane.event;
    if (event.kind == RecordKind::kPause) return;
    bool is_own = is_own_time(lane);
    Time own = is_own ? computed(lane) : 0;
    Frame& frame = top(lane);
    if (is_own && frame.task == kNoTask) graph_.outside += own;
    switch (event.kind) {
    case RecordKind::kCreate:
    case RecordKind::kCreateTied: create(lane, own); break;
    case RecordKind::kBegin:
      if (frame.task != kNoTask && own > 0) put(frame, own, Op::kNothing);
      enter(lane, ids_[event.id], event.id);
      break;
    case RecordKind::kEnd:
    case RecordKind::kImplicitEnd: leave(lane, own); break;
    case RecordKind::kWaitBegin: wait_begin(lane, own); break;
    case RecordKind::kWaitEnd: wait_end(lane); break;
    case RecordKind::kGroupBegin:
      if (frame.task != kNoTask) put(frame, own, Op::kGroupBegin);
      break;
    case RecordKind::kDependence:
      if (frame.task != kNoTask && own > 0) put(frame, own, Op::kNothing);
      depend(lane);
      break;
    case RecordKind::kRegionBegin: region_begin(lane, own); break;
    case RecordKind::kImplicitBegin:
      if (frame.task != kNoTask && own > 0) put(frame, own, Op::kNothing);
      implicit_begin(lane);
      break;
    case RecordKind::kRegionEnd:
      if (frame.task != kNoTask) put(frame, own, Op::kNothing);
      break;
    case RecordKind::kFulfil: {
      TaskId task = ids_[event.id];
      if (frame.task == kNoTask || task == kNoTask) break;
      // A task that waits fulfils nothing: the worker that has run the detached task tells, which was fulfilled while
      // its body returned. So it was not detached for any time.
      if (frame.waiting) break;
      put(frame, own, Op::kFulfil, task);
      fulfilled_.push_back(task);
      break;
    }
    case RecordKind::kDiscard: break;
    default: break; // kPause: see above
    }
    lane.last = event.kind;
  }

  void finish() {
    // Tasks that never ran were cancelled. Events that no task fulfilled count as fulfilled at the end of the body.
    uint32_t nothing = static_cast<uint32_t>(graph_.operations.size());
    graph_.add_operation(0, Op::kEnd);
    std::sort(fulfilled_.begin(), fulfilled_.end());
    for (TaskId task = 0; task < graph_.size(); ++task) {
      if (!begun_[task]) graph_.tasks[task].first_operation = nothing;
      if (graph_.properties[task] & kDetached && !std::binary_search(fulfilled_.begin(), fulfilled_.end(), task))
        graph_.properties[task] &= static_cast<uint8_t>(~kDetached);
    }
    graph_.finish();
  }

  File file_;
  Gaps undisturbed_; // of several recordings
  RecordingCosts costs_;
  Graph graph_;
  std::vector<bool> begun_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Ids ids_;
  std::unordered_map<uint64_t, Encountered> encountered_;
  std::vector<TaskId> fulfilled_;
};

} // namespace

Graph read_recordings(const std::vector<std::string>& paths, const RecordingCosts& costs) {
  return Reader(paths, costs).read();
}

RecordingCosts measure_gaps(const std::vector<std::string>& paths) {
  std::vector<double> by_kind[kRecordKinds][kRecordKinds];
  double ns_per_tick = File(paths.at(0)).header.ns_per_tick;
  for (const std::vector<Gap>& lane : undisturbed_gaps(paths))
    for (const Gap& gap : lane)
      by_kind[static_cast<size_t>(gap.from)][static_cast<size_t>(gap.to)].push_back(static_cast<double>(gap.ticks) *
                                                                                    ns_per_tick);
  RecordingCosts costs;
  costs.known = true;
  for (unsigned from = 0; from < kRecordKinds; ++from)
    for (unsigned to = 0; to < kRecordKinds; ++to) {
      std::vector<double>& all = by_kind[from][to];
      costs.ns[from][to] = -1;
      if (all.size() < 16) continue;
      // Without what remains of interrupts and page faults: the mean of all but the longest tenth.
      size_t kept = all.size() - all.size() / 10;
      std::nth_element(all.begin(), all.begin() + static_cast<ptrdiff_t>(kept) - 1, all.end());
      double sum = 0;
      for (size_t i = 0; i < kept; ++i) sum += all[i];
      costs.ns[from][to] = sum / static_cast<double>(kept);
    }
  return costs;
}

} // namespace chomp::simulate
