// See timeline.h. Each worker is read twice: first for the lengths of its slices, so that the shortest can be drawn in
// groups where there are too many; then to draw.
#include "tools/shipped/analyse/timeline.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "runtime/observe/tool_state.h"
#include "tools/shipped/analyse/lane.h"
#include "tools/shipped/analyse/perfetto.h"
#include "tools/shipped/analyse/symbols.h"

namespace chomp::analyse {
namespace {

using recording::Recording;

// ---- Names ----------------------------------------------------------------------------------------------------------

const char* name_of_wait(uint64_t wait) {
  switch (static_cast<RecordWait>(wait)) {
  case RecordWait::kChildren: return "taskwait";
  case RecordWait::kGroup: return "end of taskgroup";
  case RecordWait::kBarrier: return "barrier";
  case RecordWait::kJoin: return "end of region";
  default: return "wait for dependences";
  }
}

const char* name_of_work(uint64_t kind) {
  switch (static_cast<WorkKind>(kind)) {
  case WorkKind::kSections: return "sections";
  case WorkKind::kSingleExecutor: return "single";
  case WorkKind::kDistribute: return "distribute";
  case WorkKind::kTaskloop: return "taskloop";
  case WorkKind::kScope: return "scope";
  case WorkKind::kLoopStatic: return "static loop";
  case WorkKind::kLoopDynamic: return "dynamic loop";
  case WorkKind::kLoopGuided: return "guided loop";
  default: return "loop";
  }
}

const char* name_of_mutex(uint64_t kind) {
  switch (static_cast<MutexKind>(kind)) {
  case MutexKind::kCritical: return "wants critical";
  case MutexKind::kAtomic: return "wants atomic";
  case MutexKind::kOrdered: return "wants ordered";
  default: return "wants lock";
  }
}

std::string name_of(const Slice& slice, const Symbols& symbols) {
  std::string name, where = slice.site != 0 ? " " + symbols.at(slice.site).text() : "";
  switch (slice.kind) {
  case SliceKind::kRegion: return "parallel" + where;
  case SliceKind::kImplicit: return "implicit task";
  case SliceKind::kTask: return "task" + where;
  case SliceKind::kWait: return name_of_wait(slice.number) + where;
  case SliceKind::kWork: return name_of_work(slice.number) + where;
  case SliceKind::kMutex: return name_of_mutex(slice.number) + where;
  case SliceKind::kIdle: return "idle";
  case SliceKind::kInitial: break;
  }
  return "";
}

const char* category_of(SliceKind kind) {
  switch (kind) {
  case SliceKind::kRegion: return "region";
  case SliceKind::kImplicit: return "implicit";
  case SliceKind::kTask: return "task";
  case SliceKind::kWait: return "wait";
  case SliceKind::kWork: return "work";
  case SliceKind::kMutex: return "mutex";
  case SliceKind::kIdle: return "idle";
  case SliceKind::kInitial: break;
  }
  return "";
}

TraceWriter::Note note_of(const Slice& slice) {
  switch (slice.kind) {
  case SliceKind::kRegion: return {"threads", slice.number};
  case SliceKind::kImplicit: return {"member", slice.number};
  case SliceKind::kWork: return {"iterations", slice.number2};
  default: return {};
  }
}

// ---- Counters -------------------------------------------------------------------------------------------------------

/// A number that changes often, drawn as it is at the end of each of a few thousand stretches of time.
class Level {
public:
  Level(uint64_t began, uint64_t ended) : began_(began), width_((ended - began) / kStretches + 1) {}
  void change(uint64_t ticks, int64_t by) {
    size_t at = ticks > began_ ? (ticks - began_) / width_ : 0;
    if (at >= changes_.size()) changes_.resize(at + 1);
    changes_[at] += by;
  }
  template <class Draw> void draw(Draw draw) const {
    int64_t level = 0;
    for (size_t at = 0; at < changes_.size(); ++at) {
      if (changes_[at] == 0) continue;
      level += changes_[at];
      draw(began_ + (at + 1) * width_, level);
    }
  }

private:
  static constexpr uint64_t kStretches = 5000;
  uint64_t began_, width_;
  std::vector<int64_t> changes_;
};

// ---- First reading --------------------------------------------------------------------------------------------------

/// The length of each slice, in the order of their beginnings.
struct Lengths {
  void begin(uint64_t ticks, const Slice&) {
    open.push_back({ticks, all.size()});
    all.push_back(0);
  }
  void end(uint64_t ticks) {
    auto [began, number] = open.back();
    open.pop_back();
    all[number] = static_cast<uint32_t>(std::min<uint64_t>(ticks - began, UINT32_MAX));
  }
  void created(uint64_t, uint64_t, uint64_t) {}
  void published(uint64_t, uint64_t) {}
  void happened(uint64_t, const char*) {}

  std::vector<uint32_t> all;
  std::vector<std::pair<uint64_t, size_t>> open;
};

// ---- Drawing --------------------------------------------------------------------------------------------------------

struct Tracks {
  uint64_t process, waiting, hungry;
  uint64_t chip(uint32_t domain) const { return process + 0x1000 + domain; }
  uint64_t worker(uint32_t worker) const { return process + 0x100000 + worker; }
};

struct Counts {
  uint64_t slices = 0, tasks = 0, groups = 0;
};

/// The tasks that another worker ran than the one that made them, and that are drawn one by one.
using Moved = std::set<uint64_t>;

class Drawer {
public:
  Drawer(const Recording& recording, const Symbols& symbols, const Tracks& tracks, uint32_t worker,
         const std::vector<uint32_t>& lengths, uint32_t shortest, uint64_t window, const Moved& moved, TraceWriter& out,
         Level& waiting, Level& hungry, Counts& counts)
      : recording_(recording), symbols_(symbols), track_(tracks.worker(worker)), lengths_(lengths), shortest_(shortest),
        longest_gap_(std::max<uint64_t>(shortest, window)), longest_group_(std::max(kGroupLength * shortest, window)),
        moved_(moved), out_(out), waiting_(waiting), hungry_(hungry), counts_(counts) {}

  void begin(uint64_t ticks, const Slice& slice) {
    bool is_short = lengths_[number_++] < shortest_;
    bool begins_task = slice.kind == SliceKind::kTask && !slice.again;
    if (begins_task) {
      waiting_.change(ticks, -1);
      ++counts_.tasks;
    }
    if (slice.kind == SliceKind::kIdle) hungry_.change(ticks, 1);
    kinds_.push_back(slice.kind);
    if (slice.kind == SliceKind::kInitial) return;
    if (is_short || short_depth_ > 0) {
      if (short_depth_++ == 0) join_group(ticks);
      if (slice.kind == SliceKind::kTask) {
        group_.tasks += begins_task;
        if (group_.site == 0) group_.site = slice.site;
      }
      return;
    }
    end_group();
    ++counts_.slices;
    TraceWriter::Arrow arrow;
    if (slice.moved && moved_.count(slice.id) != 0) arrow = {slice.id, true};
    out_.begin(track_, ns(ticks), name_of(slice, symbols_), category_of(slice.kind), note_of(slice), arrow);
  }

  void end(uint64_t ticks) {
    SliceKind kind = kinds_.back();
    kinds_.pop_back();
    if (kind == SliceKind::kIdle) hungry_.change(ticks, -1);
    if (kind == SliceKind::kInitial) return end_group();
    if (short_depth_ > 0) {
      if (--short_depth_ == 0) group_.ended = ticks;
      return;
    }
    end_group();
    out_.end(track_, ns(ticks));
  }

  void created(uint64_t ticks, uint64_t id, uint64_t site) {
    waiting_.change(ticks, 1);
    if (moved_.count(id) == 0) return;
    if (short_depth_ == 0) end_group();
    out_.instant(track_, ns(ticks), "makes task " + symbols_.at(site).text(), "create", {}, {id, false});
  }

  void published(uint64_t ticks, uint64_t tasks) {
    if (short_depth_ == 0 && shortest_ == 0)
      out_.instant(track_, ns(ticks), "gives tasks to others", "publish", {"tasks", tasks}, {});
  }

  void happened(uint64_t ticks, const char* what) {
    if (short_depth_ == 0 && shortest_ == 0) out_.instant(track_, ns(ticks), what, "event", {}, {});
  }

  /// After the last event: what is still in a group is drawn.
  void finish() { end_group(); }

private:
  struct Group {
    uint64_t began = 0, ended = 0, tasks = 0, site = 0;
    bool open = false;
  };

  uint64_t ns(uint64_t ticks) const {
    return static_cast<uint64_t>(recording_.header.began_ns) +
           static_cast<uint64_t>(std::max(recording_.ns(ticks), 0.0));
  }

  /// A short slice begins: the group goes on, unless there is a gap before it, or the group is long enough.
  void join_group(uint64_t ticks) {
    if (group_.open && (ticks - group_.ended > longest_gap_ || ticks - group_.began > longest_group_)) end_group();
    if (group_.open) return;
    group_ = {};
    group_.open = true;
    group_.began = ticks;
  }

  void end_group() {
    if (!group_.open) return;
    group_.open = false;
    ++counts_.groups;
    std::string name = group_.tasks > 0 ? "tasks " + symbols_.at(group_.site).text() : "waits";
    out_.begin(track_, ns(group_.began), name, "group", {"tasks", group_.tasks}, {});
    out_.end(track_, ns(group_.ended));
  }

  static constexpr uint64_t kGroupLength = 20;

  const Recording& recording_;
  const Symbols& symbols_;
  uint64_t track_;
  const std::vector<uint32_t>& lengths_;
  uint32_t shortest_;
  uint64_t longest_gap_, longest_group_; // ticks
  const Moved& moved_;
  TraceWriter& out_;
  Level &waiting_, &hungry_;
  Counts& counts_;
  size_t number_ = 0;
  int short_depth_ = 0;
  Group group_;
  std::vector<SliceKind> kinds_;
};

/// The moved tasks whose slices are drawn.
struct MovedTasks {
  void begin(uint64_t, const Slice& slice) {
    if (slice.moved && lengths[number] >= shortest) moved.insert(slice.id);
    ++number;
  }
  void end(uint64_t) {}
  void created(uint64_t, uint64_t, uint64_t) {}
  void published(uint64_t, uint64_t) {}
  void happened(uint64_t, const char*) {}

  const std::vector<uint32_t>& lengths;
  uint32_t shortest;
  Moved& moved;
  size_t number = 0;
};

// ---- A process ------------------------------------------------------------------------------------------------------

/// Slices shorter than this are drawn in groups.
uint32_t shortest_drawn(const std::vector<Lengths>& lengths, uint64_t most) {
  std::vector<uint32_t> all;
  for (const Lengths& each : lengths) all.insert(all.end(), each.all.begin(), each.all.end());
  if (most == 0 || all.size() <= most) return 0;
  auto place = all.end() - static_cast<ptrdiff_t>(most / 2);
  std::nth_element(all.begin(), place, all.end());
  return *place + 1;
}

class Process {
public:
  Process(const std::string& path, unsigned number, TraceWriter& out)
      : recording_(path), context_(recording_), symbols_(recording_, {context_.sites.begin(), context_.sites.end()}),
        out_(out) {
    tracks_.process = uint64_t{number + 1} << 32;
    tracks_.waiting = tracks_.process + 1;
    tracks_.hungry = tracks_.process + 2;
  }

  void draw(uint64_t most_slices) {
    declare_tracks();
    std::vector<Lengths> lengths(recording_.streams.size());
    for (size_t i = 0; i < lengths.size(); ++i) Lane(context_, recording_.streams[i], lengths[i]).walk();
    uint32_t shortest = shortest_drawn(lengths, most_slices);
    // Groups that end since this time is over are as many at most as the slices that are drawn one by one.
    uint64_t ticks = (context_.last_ticks - recording_.header.began_ticks) * lengths.size();
    uint64_t window = shortest > 0 ? ticks / (most_slices / 2 + 1) : 0;
    Moved moved;
    for (size_t i = 0; i < lengths.size(); ++i) {
      MovedTasks sink{lengths[i].all, shortest, moved};
      Lane(context_, recording_.streams[i], sink).walk();
    }
    Level waiting(recording_.header.began_ticks, context_.last_ticks),
        hungry(recording_.header.began_ticks, context_.last_ticks);
    for (size_t i = 0; i < lengths.size(); ++i) {
      Drawer drawer(recording_, symbols_, tracks_, recording_.streams[i].worker(), lengths[i].all, shortest, window,
                    moved, out_, waiting, hungry, counts_);
      Lane(context_, recording_.streams[i], drawer).walk();
      drawer.finish();
    }
    draw_level(waiting, tracks_.waiting);
    draw_level(hungry, tracks_.hungry);
    say(moved.size(), shortest);
  }

private:
  void declare_tracks() {
    out_.process(tracks_.process, recording_.header.process, recording_.program());
    out_.counter_track(tracks_.waiting, tracks_.process, "tasks that wait", 1);
    out_.counter_track(tracks_.hungry, tracks_.process, "threads without work", 2);
    std::map<uint32_t, std::vector<uint32_t>> chips;
    for (recording::Stream& stream : recording_.streams) chips[last_domain(stream)].push_back(stream.worker());
    for (auto& [domain, workers] : chips) {
      out_.track(tracks_.chip(domain), tracks_.process, "chip " + std::to_string(domain),
                 10 + static_cast<int>(domain));
      for (uint32_t worker : workers)
        out_.track(tracks_.worker(worker), tracks_.chip(domain), "thread " + std::to_string(worker),
                   static_cast<int>(worker));
    }
  }

  static uint32_t last_domain(recording::Stream stream) {
    uint32_t domain = stream.first_domain();
    recording::Event event;
    while (stream.next(event))
      if (event.kind == RecordKind::kDomain) domain = static_cast<uint32_t>(event.number);
    return domain;
  }

  void draw_level(const Level& level, uint64_t track) {
    level.draw([&](uint64_t ticks, int64_t value) {
      out_.counter(track,
                   static_cast<uint64_t>(recording_.header.began_ns) + static_cast<uint64_t>(recording_.ns(ticks)),
                   value);
    });
  }

  void say(size_t arrows, uint32_t shortest) const {
    const size_t threads = recording_.streams.size();
    std::printf("process %u: %s\n  %zu thread%s, %.6f s, %llu tasks, %llu slices, %zu arrows",
                recording_.header.process, recording_.program().c_str(), threads, threads == 1 ? "" : "s",
                recording_.ns(context_.last_ticks) / 1e9, static_cast<unsigned long long>(counts_.tasks),
                static_cast<unsigned long long>(counts_.slices), arrows);
    if (shortest > 0)
      std::printf("; slices below %.3g us are drawn in %llu groups", shortest * recording_.header.ns_per_tick / 1e3,
                  static_cast<unsigned long long>(counts_.groups));
    std::printf("\n");
    if (std::string missing = recording_.missing(); !missing.empty()) std::printf("  %s\n", missing.c_str());
  }

  Recording recording_;
  Context context_;
  Symbols symbols_;
  TraceWriter& out_;
  Tracks tracks_{};
  Counts counts_;
};

} // namespace

void write_timeline(const std::vector<std::string>& recordings, const TimelineOptions& options) {
  TraceWriter out(options.output);
  unsigned number = 0;
  recording::for_each_recording(
      recordings, [&](const std::string& path) { Process(path, number++, out).draw(options.most_slices); });
  out.finish();
  std::printf("%s: to be opened in Perfetto's viewer\n", options.output.c_str());
}

} // namespace chomp::analyse
