// See analysis.h. The streams of all workers are merged by time. What lies between two events of a worker belongs to
// what the worker did: ran a task, waited, was idle, wanted a lock. Work and span are those of Cilkview: each task
// carries the length of the longest chain of work up to where it is (`path`); what waits for others takes the longest
// of theirs.
#include "tools/analyse/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <unordered_map>

#include "runtime/core/tool_data.h"

namespace chomp::analyse {

const char* const kCategoryNames[kCategories] = {
    "work",    "task creation", "scheduling",    "stealing",        "taskwait",
    "barrier", "locks",         "lack of tasks", "tasks not found",
};

void Grain::add(double ns, size_t interruptions) {
  constexpr size_t kMore = 3, kMost = 1000;
  longest.insert(ns);
  if (longest.size() > std::min(interruptions + kMore, kMost)) longest.erase(longest.begin());
  ++count;
  sum_ns += ns;
  int power = ns >= 1 ? std::ilogb(ns) : 0;
  ++lengths[static_cast<size_t>(std::min<int>(power, static_cast<int>(lengths.size()) - 1))];
}

double Grain::undisturbed_mean_ns() const {
  if (count == 0) return 0;
  double sum = sum_ns, median = median_ns();
  for (double each : longest) sum -= std::max(0.0, each - median);
  return sum / static_cast<double>(count);
}

double Grain::median_ns() const {
  uint64_t below = 0;
  for (size_t power = 0; power < lengths.size(); ++power)
    if ((below += lengths[power]) * 2 >= count && count > 0) return std::ldexp(1.5, static_cast<int>(power));
  return 0;
}

double Analysis::total_ns() const {
  double sum = 0;
  for (double each : time_ns) sum += each;
  return sum;
}

double Analysis::share(Category category) const { return total_ns() > 0 ? of(category) / total_ns() : 0; }

namespace {

using recording::Event;
using recording::Stream;

struct Group {
  double longest = 0; // path at the end of any of its tasks
  std::shared_ptr<Group> outer;
};

struct Region {
  uint64_t site = 0, size = 0, began = 0, encountering = 0;
  double start = 0, longest = 0, work_ns = 0;
  uint64_t tasks = 0, held = 0, deepest = 0, outstanding = 0;
  double idle_ns = 0, barrier_ns = 0;
  bool ended = false;
  struct Execution {
    uint64_t kind = 0, iterations = 0;
    double sum = 0, longest = 0;
  };
  std::map<std::pair<uint64_t, uint64_t>, Execution> loops; // by site and number
};

/// What dependences are between: the tasks that one task makes.
struct Siblings {
  struct Address {
    std::vector<uint64_t> writers, readers;
  };
  std::unordered_map<uint64_t, Address> addresses;
};

struct Task {
  uint64_t site = 0, parent = 0;
  double path = 0;     // where it begins, or is
  double children = 0; // the longest path at the end of a child
  double own_ns = 0;
  bool made = false, ready = false, held = false;
  uint32_t waits_for = 0; // tasks that it depends on and that have not ended
  std::vector<uint64_t> successors;
  std::shared_ptr<Region> region;
  std::shared_ptr<Group> group;
  std::unique_ptr<Siblings> siblings;
};

struct Frame {
  uint64_t id = 0;
  bool implicit = false, initial = false;
  std::shared_ptr<Region> region; // of an implicit task
  std::vector<RecordWait> waits;
  struct Work {
    uint64_t kind, site, iterations, began;
  };
  std::vector<Work> works;
  std::map<uint64_t, uint64_t> executions; // of each loop of the region, by site
};

/// How long what was the case, until a moment; an idle thread compares two readings.
struct Situation {
  double ready = 0; // tasks waited to be run
  double tasks = 0; // none did, but there were unfinished ones
  double none = 0;
};

struct Worker {
  Stream stream;
  Event event;
  bool more = false;
  uint64_t last = 0;
  double debt = 0;
  bool idle = false, wants_lock = false;
  uint64_t lock_site = 0, lock = 0, wanted_at = 0;
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> locks; // that it has: site, since when
  Situation idle_since;
  std::vector<Frame> frames;
  std::vector<std::pair<RecordAccess, uint64_t>> accesses; // of the task that is made next
  explicit Worker(Stream from) : stream(std::move(from)) {}
};

class Analyser {
public:
  Analyser(const recording::Recording& recording, const Costs& costs, const std::map<uint64_t, uint64_t>& same_place)
      : recording_(recording), same_place_(same_place) {
    result_.costs = costs;
    if (result_.costs.event_ns == 0) result_.costs.event_ns = recording.header.event_ns;
    end_ns_ = std::min(result_.costs.event_ns, shortest_task_ns());
    result_.program = recording.program();
    result_.scheduler = recording.scheduler();
    result_.complete = recording.ended() && recording.whole();
    if (recording.ended()) {
      result_.preempted = recording.header.preempted;
      result_.delayed_ns = static_cast<double>(recording.header.delayed_ns);
    }
    for (const Stream& stream : recording.streams) workers_.emplace_back(stream);
    result_.threads = workers_.size();
  }

  Analysis run() {
    first_ = now_ = beginning();
    for (Worker& worker : workers_) next(worker);
    for (Worker& worker : workers_) worker.last = first_;
    while (Worker* worker = earliest()) {
      advance_to(worker->event.at);
      account(*worker);
      take(*worker);
      worker->last = std::max(worker->event.at, first_);
      next(*worker);
    }
    for (Worker& worker : workers_) end_of(worker);
    result_.elapsed_ns = ns(now_ - first_);
    return std::move(result_);
  }

private:
  /// Of the first region: before it the runtime starts, and the program does what has nothing to do with OpenMP.
  uint64_t beginning() const {
    uint64_t first_event = UINT64_MAX, first_region = UINT64_MAX;
    for (Stream stream : recording_.streams) {
      Event event;
      while (first_region == UINT64_MAX || event.at < first_region) {
        if (!stream.next(event)) break;
        first_event = std::min(first_event, event.at);
        if (event.kind != RecordKind::kRegionBegin) continue;
        first_region = std::min(first_region, event.at);
        break;
      }
    }
    return first_region != UINT64_MAX ? first_region : first_event;
  }

  /// From the begin to the end of the shortest twentieth of the tasks that call nothing: recording an end takes no
  /// longer than that.
  double shortest_task_ns() const {
    constexpr size_t kEnough = 100'000;
    std::vector<uint64_t> lengths;
    for (Stream stream : recording_.streams) {
      Event event;
      size_t before = lengths.size();
      for (bool begun = false; lengths.size() - before < kEnough && stream.next(event);) {
        if (begun && event.kind == RecordKind::kEnd) lengths.push_back(event.ticks);
        begun = event.kind == RecordKind::kBegin;
      }
    }
    if (lengths.empty()) return std::numeric_limits<double>::infinity();
    auto twentieth = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 20);
    std::nth_element(lengths.begin(), twentieth, lengths.end());
    return ns(*twentieth);
  }

  double ns(uint64_t ticks) const { return static_cast<double>(ticks) * recording_.header.ns_per_tick; }
  void spend(Category category, double ns) { result_.time_ns[static_cast<size_t>(category)] += ns; }

  void next(Worker& worker) {
    worker.more = worker.stream.next(worker.event);
    if (auto found = same_place_.find(worker.event.site); found != same_place_.end()) worker.event.site = found->second;
  }

  Worker* earliest() {
    Worker* first = nullptr;
    for (Worker& worker : workers_)
      if (worker.more && (first == nullptr || worker.event.at < first->event.at)) first = &worker;
    return first;
  }

  /// What recording an event took. Of a task's three, only the end lies in the task's own time: if its share is smaller
  /// than a third, the other two have the rest.
  double recording_ns(RecordKind kind) const {
    double mean = result_.costs.event_ns;
    return kind == RecordKind::kEnd ? end_ns_ : mean + (mean - end_ns_) / 2;
  }

  /// Everybody's time goes on.
  void advance_to(uint64_t ticks) {
    if (ticks <= now_) return; // the counters of two CPUs may differ by a little
    double passed = ns(ticks - now_);
    (ready_ > 0 ? passed_.ready : outstanding_ > 0 ? passed_.tasks : passed_.none) += passed;
    if (regions_open_ == 0) result_.serial_ns += passed;
    now_ = ticks;
  }

  // ---- Where the time went
  // --------------------------------------------------------------------------------------------

  /// What lies between the worker's last event and this one, without the recorder's share.
  void account(Worker& worker) {
    if (worker.event.at <= first_) return;
    double passed = ns(worker.event.at > worker.last ? worker.event.at - worker.last : 0);
    if (worker.event.kind == RecordKind::kPause) {
      result_.recorder_ns += passed;
      return;
    }
    if (worker.idle) return; // when it ends
    bool first_event = worker.frames.empty() && worker.last == first_;
    if (first_event) return spend(Category::kLackOfWork, passed); // the thread did not exist yet
    double own = passed - recording_ns(worker.event.kind) + worker.debt;
    worker.debt = std::min(own, 0.0);
    own = std::max(own, 0.0);
    result_.recorder_ns += passed - own;
    if (worker.wants_lock) {
      spend(Category::kLock, own);
      result_.locks[worker.lock_site].wait_ns += own;
      return;
    }
    if (worker.frames.empty()) return spend(Category::kWork, own);
    Frame& frame = worker.frames.back();
    if (!frame.waits.empty()) {
      bool from_elsewhere =
          worker.event.kind == RecordKind::kBegin && worker.event.id >> 48 != worker.stream.worker() + 1u;
      return spend(from_elsewhere ? Category::kStealing : Category::kScheduling, own);
    }
    bool creates = worker.event.kind == RecordKind::kCreate || worker.event.kind == RecordKind::kCreateTied;
    double creation = creates ? std::min(own, result_.costs.task_ns / 2) : 0;
    spend(Category::kCreation, creation);
    work(frame, own - creation);
  }

  void work(Frame& frame, double own) {
    spend(Category::kWork, own);
    Task& task = tasks_[frame.id];
    task.path += own;
    task.own_ns += own;
    if (task.region != nullptr) task.region->work_ns += own;
  }

  void idle_begins(Worker& worker) {
    worker.idle = true;
    worker.idle_since = passed_;
  }

  void idle_ends(Worker& worker) {
    if (!worker.idle) return;
    worker.idle = false;
    Situation spell{passed_.ready - worker.idle_since.ready, passed_.tasks - worker.idle_since.tasks,
                    passed_.none - worker.idle_since.none};
    const Frame* frame = worker.frames.empty() ? nullptr : &worker.frames.back();
    Region* region = nullptr;
    if (frame != nullptr && tasks_.count(frame->id) != 0) region = tasks_[frame->id].region.get();
    if (frame == nullptr || region == nullptr || region->ended || frame->waits.empty())
      return spend(Category::kLackOfWork, spell.ready + spell.tasks + spell.none);
    spend(Category::kUnfoundWork, spell.ready);
    RecordWait what = frame->waits.back();
    if (what == RecordWait::kBarrier || what == RecordWait::kJoin) {
      spend(Category::kLackOfWork, spell.tasks);
      spend(Category::kBarrier, spell.none);
      region->idle_ns += spell.tasks;
      region->barrier_ns += spell.none;
    } else {
      spend(Category::kTaskwait, spell.tasks + spell.none);
    }
  }

  /// The region is over for its pool threads, although they will learn of it only when they are next needed.
  void leave_idle_threads(const Region* region) {
    for (Worker& worker : workers_) {
      if (!worker.idle || worker.frames.empty() || worker.frames.back().region.get() != region) continue;
      idle_ends(worker);
      idle_begins(worker);
    }
  }

  void end_of(Worker& worker) {
    if (worker.idle) return idle_ends(worker);
    double passed = ns(now_ > worker.last ? now_ - worker.last : 0);
    bool waits = !worker.frames.empty() && !worker.frames.back().waits.empty();
    spend(waits ? Category::kLackOfWork : Category::kWork, passed);
  }

  // ---- Events
  // ---------------------------------------------------------------------------------------------------------

  void take(Worker& worker) {
    const Event& event = worker.event;
    switch (event.kind) {
    case RecordKind::kIdleBegin: return idle_begins(worker);
    case RecordKind::kIdleEnd: return idle_ends(worker);
    case RecordKind::kDependence:
      worker.accesses.emplace_back(static_cast<RecordAccess>(event.number), event.address);
      return;
    case RecordKind::kCreate:
    case RecordKind::kCreateTied: return create(worker);
    case RecordKind::kBegin: return begin(worker);
    case RecordKind::kEnd: return end(worker);
    case RecordKind::kDiscard: return discard(event.id);
    case RecordKind::kRegionBegin: return begin_region(worker);
    case RecordKind::kRegionEnd: return end_region(worker);
    case RecordKind::kImplicitBegin: return begin_implicit(worker);
    case RecordKind::kImplicitEnd: return end_implicit(worker);
    case RecordKind::kGroupBegin: return begin_group(worker);
    case RecordKind::kWaitBegin: return begin_wait(worker);
    case RecordKind::kWaitEnd: return end_wait(worker);
    case RecordKind::kWorkBegin:
      if (static_cast<WorkKind>(event.number) == WorkKind::kTaskloop) taskloops_.insert(event.site);
      if (!worker.frames.empty())
        worker.frames.back().works.push_back({event.number, event.site, event.number2, event.at});
      return;
    case RecordKind::kWorkEnd: return end_work(worker);
    case RecordKind::kMutexWait:
      worker.wants_lock = true;
      worker.lock_site = event.site;
      worker.lock = event.address;
      ++result_.locks[event.site].count;
      result_.locks[event.site].kind = event.number;
      return;
    case RecordKind::kMutexGivenUp: worker.wants_lock = false; return;
    case RecordKind::kMutexAcquired:
      worker.wants_lock = false;
      worker.locks[worker.lock] = {worker.lock_site, event.at};
      return;
    case RecordKind::kMutexReleased:
      if (auto found = worker.locks.find(event.address); found != worker.locks.end()) {
        result_.locks[found->second.first].held_ns += ns(event.at - found->second.second);
        worker.locks.erase(found);
      }
      return;
    default: return;
    }
  }

  // ---- Tasks
  // ----------------------------------------------------------------------------------------------------------

  void create(Worker& worker) {
    const Event& event = worker.event;
    uint64_t maker = worker.frames.empty() ? 0 : worker.frames.back().id;
    if (event.parent != 0 && tasks_.count(event.parent) != 0) maker = event.parent;
    Task& parent = tasks_[maker];
    Task& task = tasks_[event.id];
    task.site = event.site;
    task.parent = maker;
    task.region = parent.region;
    task.group = parent.group;
    task.path = parent.path;
    bool had_begun = task.made; // its begin came first: the counters of two CPUs differ
    task.made = true;
    TaskConstruct& construct = result_.tasks[event.site];
    ++construct.makers[worker.stream.worker()];
    construct.recursive |= parent.site == event.site;
    construct.taskloop |= taskloops_.count(event.site) != 0;
    if (event.kind == RecordKind::kCreate && (event.number & kRecordUndeferred) != 0) ++construct.undeferred;
    for (auto [mode, address] : worker.accesses) depend(parent, event.id, mode, address);
    worker.accesses.clear();
    if (task.waits_for > 0) {
      task.held = true;
      ++construct.held;
    }
    if (task.region != nullptr) {
      ++task.region->tasks;
      task.region->held += task.held;
    }
    ++outstanding_;
    if (!had_begun && task.waits_for == 0) set_ready(task, true);
  }

  void set_ready(Task& task, bool ready) {
    if (task.ready == ready) return;
    task.ready = ready;
    ready_ += ready ? 1 : -1;
  }

  void depend(Task& parent, uint64_t id, RecordAccess mode, uint64_t address) {
    if (parent.siblings == nullptr) parent.siblings = std::make_unique<Siblings>();
    Siblings::Address& at = parent.siblings->addresses[address];
    bool reads = mode == RecordAccess::kIn;
    for (uint64_t before : at.writers) follow(before, id);
    if (!reads)
      for (uint64_t before : at.readers) follow(before, id);
    if (reads) {
      at.readers.push_back(id);
    } else {
      at.writers.assign(1, id);
      at.readers.clear();
    }
  }

  void follow(uint64_t before, uint64_t after) {
    auto found = tasks_.find(before);
    if (before == after || found == tasks_.end()) { // it has ended: its path counts
      if (auto path = ended_paths_.find(before); path != ended_paths_.end())
        tasks_[after].path = std::max(tasks_[after].path, path->second);
      return;
    }
    found->second.successors.push_back(after);
    ++tasks_[after].waits_for;
  }

  void begin(Worker& worker) {
    Task& task = tasks_[worker.event.id];
    task.made = true;
    set_ready(task, false);
    if (worker.stream.worker() + 1u != worker.event.id >> 48) ++result_.tasks[task.site].moved;
    Frame frame;
    frame.id = worker.event.id;
    worker.frames.push_back(std::move(frame));
    if (task.region != nullptr) task.region->deepest = std::max<uint64_t>(task.region->deepest, worker.frames.size());
  }

  void end(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().implicit) return;
    uint64_t id = worker.frames.back().id;
    worker.frames.pop_back();
    Task& task = tasks_[id];
    result_.tasks[task.site].grain.add(task.own_ns, result_.preempted);
    finish(id, task);
  }

  void discard(uint64_t id) {
    auto found = tasks_.find(id);
    if (found == tasks_.end()) return;
    set_ready(found->second, false);
    finish(id, found->second);
  }

  void finish(uint64_t id, Task& task) {
    if (outstanding_ > 0) --outstanding_;
    if (auto parent = tasks_.find(task.parent); parent != tasks_.end())
      parent->second.children = std::max(parent->second.children, task.path);
    for (Group* group = task.group.get(); group != nullptr; group = group->outer.get())
      group->longest = std::max(group->longest, task.path);
    if (task.region != nullptr) task.region->longest = std::max(task.region->longest, task.path);
    for (uint64_t next : task.successors) {
      auto found = tasks_.find(next);
      if (found == tasks_.end()) continue;
      found->second.path = std::max(found->second.path, task.path);
      if (--found->second.waits_for == 0) set_ready(found->second, true);
    }
    auto parent = tasks_.find(task.parent);
    if (parent != tasks_.end() && parent->second.siblings != nullptr) ended_paths_[id] = task.path;
    tasks_.erase(id);
  }

  // ---- Regions and waits
  // ----------------------------------------------------------------------------------------------

  void begin_region(Worker& worker) {
    auto region = std::make_shared<Region>();
    region->site = worker.event.site;
    region->size = worker.event.number;
    region->began = worker.event.at;
    region->encountering = worker.frames.empty() ? 0 : worker.frames.back().id;
    region->start = region->longest = tasks_[region->encountering].path;
    open_[region->encountering] = region;
    ++regions_open_;
  }

  void end_region(Worker& worker) {
    uint64_t encountering = worker.frames.empty() ? 0 : worker.frames.back().id;
    std::shared_ptr<Region> region = open_[encountering];
    if (region == nullptr) return;
    open_.erase(encountering);
    --regions_open_;
    leave_idle_threads(region.get());
    region->ended = true;
    RegionConstruct& construct = result_.regions[region->site];
    ++construct.count;
    construct.threads = std::max(construct.threads, region->size);
    construct.time_ns += ns(worker.event.at - region->began);
    construct.work_ns += region->work_ns;
    construct.span_ns += region->longest - region->start;
    construct.tasks += region->tasks;
    construct.held += region->held;
    construct.idle_ns += region->idle_ns;
    construct.barrier_ns += region->barrier_ns;
    construct.deepest = std::max(construct.deepest, region->deepest);
    for (auto& [key, execution] : region->loops) add_loop(*region, key.first, execution);
    tasks_[encountering].path = std::max(tasks_[encountering].path, region->longest);
    ended_paths_.clear();
  }

  void add_loop(const Region& region, uint64_t site, const Region::Execution& execution) {
    LoopConstruct& loop = result_.loops[site];
    ++loop.count;
    loop.kind = execution.kind;
    loop.iterations = execution.iterations;
    loop.threads = std::max(loop.threads, region.size);
    loop.sum_ns += execution.sum;
    loop.longest_ns += execution.longest;
    loop.lost_ns += execution.longest * static_cast<double>(region.size) - execution.sum;
  }

  void begin_implicit(Worker& worker) {
    const Event& event = worker.event;
    Frame frame;
    frame.id = event.id;
    frame.implicit = true;
    frame.initial = event.parent == 0;
    Task& task = tasks_[event.id];
    task = Task{};
    if (auto found = open_.find(event.parent); !frame.initial && found != open_.end()) {
      frame.region = task.region = found->second;
      task.path = task.region->start;
    }
    worker.frames.push_back(std::move(frame));
  }

  void end_implicit(Worker& worker) {
    while (!worker.frames.empty() && !worker.frames.back().implicit) worker.frames.pop_back();
    if (worker.frames.empty()) return;
    Frame frame = std::move(worker.frames.back());
    worker.frames.pop_back();
    auto task = tasks_.find(frame.id);
    if (task != tasks_.end() && frame.region != nullptr && !frame.region->ended)
      frame.region->longest = std::max(frame.region->longest, task->second.path);
    if (!frame.initial) tasks_.erase(frame.id);
  }

  void begin_group(Worker& worker) {
    if (worker.frames.empty()) return;
    Task& task = tasks_[worker.frames.back().id];
    auto group = std::make_shared<Group>();
    group->outer = task.group;
    task.group = group;
  }

  void begin_wait(Worker& worker) {
    if (worker.frames.empty()) return;
    Frame& frame = worker.frames.back();
    auto what = static_cast<RecordWait>(worker.event.number);
    frame.waits.push_back(what);
    Task& task = tasks_[frame.id];
    if ((what == RecordWait::kBarrier || what == RecordWait::kJoin) && task.region != nullptr)
      task.region->longest = std::max(task.region->longest, task.path);
  }

  void end_wait(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().waits.empty()) return;
    Frame& frame = worker.frames.back();
    RecordWait what = frame.waits.back();
    frame.waits.pop_back();
    worker.accesses.clear();
    Task& task = tasks_[frame.id];
    if (what == RecordWait::kChildren) task.path = std::max(task.path, task.children);
    if (what == RecordWait::kGroup && task.group != nullptr) {
      task.path = std::max(task.path, task.group->longest);
      task.group = task.group->outer;
    }
    if (what == RecordWait::kBarrier && task.region != nullptr) task.path = std::max(task.path, task.region->longest);
  }

  void end_work(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().works.empty()) return;
    Frame& frame = worker.frames.back();
    Frame::Work work = frame.works.back();
    frame.works.pop_back();
    auto kind = static_cast<WorkKind>(work.kind);
    bool shared = kind == WorkKind::kLoopStatic || kind == WorkKind::kLoopDynamic || kind == WorkKind::kLoopGuided ||
                  kind == WorkKind::kSections;
    if (!shared || frame.region == nullptr) return;
    Region::Execution& execution = frame.region->loops[{work.site, frame.executions[work.site]++}];
    double length = ns(worker.event.at - work.began);
    execution.kind = work.kind;
    execution.iterations = std::max(execution.iterations, work.iterations);
    execution.sum += length;
    execution.longest = std::max(execution.longest, length);
  }

  const recording::Recording& recording_;
  const std::map<uint64_t, uint64_t>& same_place_;
  std::set<uint64_t> taskloops_; // sites
  Analysis result_;
  std::vector<Worker> workers_;
  std::unordered_map<uint64_t, Task> tasks_;                   // that have not ended; implicit ones too
  std::unordered_map<uint64_t, std::shared_ptr<Region>> open_; // by the task that encountered them
  std::unordered_map<uint64_t, double> ended_paths_;           // of tasks that others may depend on
  double end_ns_ = 0;                                          // recording the end of a task
  uint64_t first_ = 0, now_ = 0;
  Situation passed_;
  int64_t ready_ = 0;
  uint64_t outstanding_ = 0;
  int regions_open_ = 0;
};

} // namespace

Analysis analyse(const recording::Recording& recording, const Costs& costs,
                 const std::map<uint64_t, uint64_t>& same_place) {
  return Analyser(recording, costs, same_place).run();
}

} // namespace chomp::analyse
