// See analysis.h. The streams of all workers are merged by time. What lies between two events of a worker belongs to
// what the worker did: ran a task, waited, was idle, wanted a lock. Work and span are those of Cilkview: each task
// carries the length of the longest chain of work up to where it is (`path`); what waits for others takes the longest
// of theirs.
#include "tools/shipped/analyse/analysis.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "runtime/observe/tool_state.h"
#include "tools/shipped/analyse/state.h"

namespace chomp::analyse {

namespace {

using namespace state;
using recording::Event;
using recording::Stream;

class Analyser {
public:
  Analyser(const recording::Recording& recording, const Costs& costs, const std::map<uint64_t, uint64_t>& same_place)
      : recording_(recording), same_place_(same_place) {
    result_.costs = costs;
    if (result_.costs.event_ns == 0) result_.costs.event_ns = recording.header.event_ns;
    end_ns_ = std::min(result_.costs.event_ns, shortest_task_ns());
    result_.program = recording.program();
    result_.scheduler = recording.scheduler();
    result_.missing = recording.missing();
    result_.host = recording.header.host;
    result_.runtime = recording.header.runtime;
    result_.date = recording.header.began_date;
    if (recording.ended()) result_.preempted = recording.header.preempted;
    for (const Stream& stream : recording.streams) workers_.emplace_back(stream);
    result_.threads = workers_.size();
    result_.cpus = recording.header.cpus;
    for (Stream stream : recording.streams)
      for (Event event; stream.next(event);)
        if (event.kind == RecordKind::kFulfil) fulfilled_.insert(event.id);
  }

  Analysis run() {
    first_ = now_ = beginning();
    for (Worker& worker : workers_) next(worker);
    for (Worker& worker : workers_) worker.last = first_;
    while (Worker* worker = earliest()) {
      if (worker->event.kind == RecordKind::kDelayed) {
        worker->delayed += static_cast<double>(worker->event.number);
        next(*worker);
        continue;
      }
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
    if (ready_ == 0 && running_ == 0 && detached_ > 0) passed_.detached += passed;
    if (regions_open_ == 0) serial(passed);
    now_ = ticks;
  }

  void serial(double ns) {
    result_.serial_ns += ns;
    if (auto found = result_.regions.find(last_region_); found != result_.regions.end())
      found->second.serial_after_ns += ns;
  }

  // ---- Where the time went -----------------------------------------------------------------------------------------

  /// What lies between the worker's last event and this one, without the recorder's share.
  void account(Worker& worker) {
    if (worker.event.at <= first_) return;
    double passed = ns(worker.event.at > worker.last ? worker.event.at - worker.last : 0);
    if (worker.event.kind == RecordKind::kPause) {
      if (!worker.idle) result_.recorder_ns += passed; // else it is in the idle time, which is counted when it ends
      return;
    }
    double delay = std::min(std::exchange(worker.delayed, 0.0), passed);
    if (delay > 0) others_wait(worker, delay);
    if (worker.idle) worker.idle_delays += delay;
    if (worker.idle) return; // when it ends
    bool first_event = worker.frames.empty() && worker.last == first_;
    if (first_event) return spend(Category::kLackOfWork, passed); // the thread did not exist yet
    if (delay > 0) delayed(worker, delay);
    passed -= delay;
    double own = passed - recording_ns(worker.event.kind) + worker.debt;
    worker.debt = std::min(own, 0.0);
    own = std::max(own, 0.0);
    result_.recorder_ns += passed - own;
    if (worker.wants_lock) {
      spend(Category::kLock, own);
      worker.lock_waits += own;
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

  void delayed(Worker& worker, double delay) {
    spend(Category::kNoCpu, delay);
    worker.delays += delay;
    passed_.delays += delay;
    if (regions_open_ == 0) serial(-delay);
  }

  /// Threads that are idle may have waited for this one, which had no CPU.
  void others_wait(const Worker& worker, double delay) {
    double stretch = ns(worker.event.at - worker.last);
    for (Worker& other : workers_)
      if (other.idle && &other != &worker)
        other.idle_delays += delay_within(ns(now_ - std::min(now_, other.idle_began)), delay, stretch);
  }

  void work(Frame& frame, double own) {
    spend(Category::kWork, own);
    if (frame.implicit && !frame.initial) work_of_member(frame, own);
    Task& task = tasks_[frame.id];
    task.path.ns += own;
    task.own_ns += own;
    if (frame.implicit)
      task.path.outside_tasks += own;
    else if (task.own_ns > task.path.largest)
      task.path.largest = task.own_ns, task.path.largest_site = task.site;
    if (task.region != nullptr) task.region->work_ns += own;
  }

  void idle_begins(Worker& worker) {
    worker.idle = true;
    worker.idle_since = passed_;
    worker.idle_began = now_;
    worker.idle_delays = 0;
  }

  void idle_ends(Worker& worker) {
    if (!worker.idle) return;
    worker.idle = false;
    Situation spell{passed_.ready - worker.idle_since.ready, passed_.tasks - worker.idle_since.tasks,
                    passed_.none - worker.idle_since.none, passed_.detached - worker.idle_since.detached,
                    worker.idle_delays};
    without_delays(spell);
    const Frame* frame = worker.frames.empty() ? nullptr : &worker.frames.back();
    Region* region = nullptr;
    if (frame != nullptr && tasks_.count(frame->id) != 0) region = tasks_[frame->id].region.get();
    if (frame == nullptr || region == nullptr || region->ended || frame->waits.empty())
      return spend(Category::kLackOfWork, spell.ready + spell.tasks + spell.none);
    spend(Category::kUnfoundWork, spell.ready);
    region->idle_ns += spell.ready + spell.tasks + spell.none;
    const Frame::Wait& wait = frame->waits.back();
    RecordWait what = wait.what;
    if (!frame->implicit && !tasks_[frame->id].untied && (what == RecordWait::kChildren || what == RecordWait::kGroup))
      result_.waits[wait.site].unfound_ns += spell.ready;
    if (spell.detached > 0) result_.tasks[detached_site_].detached_idle_ns += spell.detached;
    if (what == RecordWait::kBarrier || what == RecordWait::kJoin) {
      spend(Category::kLackOfWork, spell.tasks);
      spend(Category::kBarrier, spell.none);
    } else {
      spend(Category::kTaskwait, spell.tasks + spell.none);
    }
  }

  /// While one thread has no CPU, others wait for it: that part of their time is no fault of the program's.
  void without_delays(Situation& spell) {
    double all = spell.ready + spell.tasks + spell.none;
    if (all <= 0 || spell.delays <= 0) return;
    double kept = std::max(0.0, 1 - spell.delays / all);
    spend(Category::kNoCpu, all * (1 - kept));
    for (double* each : {&spell.ready, &spell.tasks, &spell.none, &spell.detached}) *each *= kept;
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

  // ---- Events -----------------------------------------------------------------------------------------------------

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
    case RecordKind::kStop: return stop(worker);
    case RecordKind::kGoOn: return go_on(worker);
    case RecordKind::kDiscard: return discard(event.id);
    case RecordKind::kFulfil: return fulfil(event.id);
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
        worker.frames.back().works.push_back(
            {event.number, event.site, event.number2, event.at, worker.delays, worker.lock_waits});
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

  // ---- Tasks ------------------------------------------------------------------------------------------------------

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
    construct.recursive |= parent.site == event.site;
    construct.taskloop |= taskloops_.count(event.site) != 0;
    uint64_t flags = event.kind == RecordKind::kCreate ? event.number : 0;
    bool undeferred = (flags & kRecordUndeferred) != 0;
    construct.prioritised |= (flags & kRecordPriority) != 0;
    task.undeferred = undeferred;
    task.untied = (flags & kRecordUntied) != 0;
    task.detached = (flags & kRecordDetachable) != 0 && fulfilled_.count(event.id) != 0;
    for (auto [mode, address] : worker.accesses) depend(parent, event.id, mode, address);
    worker.accesses.clear();
    task.held = task.waits_for > 0;
    if (task.region != nullptr) {
      ++task.region->tasks;
      task.region->undeferred += undeferred;
      ++task.region->makes[event.site];
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
    ++running_;
    set_ready(task, false);
    Frame frame;
    frame.id = worker.event.id;
    worker.frames.push_back(std::move(frame));
    if (task.region != nullptr) task.region->deepest = std::max<uint64_t>(task.region->deepest, worker.frames.size());
  }

  void stop(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().implicit) return;
    if (running_ > 0) --running_;
    uint64_t id = worker.frames.back().id;
    stopped_[id] = std::move(worker.frames.back());
    worker.frames.pop_back();
  }

  void go_on(Worker& worker) {
    ++running_;
    Frame& frame = stopped_[worker.event.id]; // a new one if the counters of two CPUs differ
    frame.id = worker.event.id;
    worker.frames.push_back(std::move(frame));
    stopped_.erase(worker.event.id);
  }

  void end(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().implicit) return;
    uint64_t id = worker.frames.back().id;
    worker.frames.pop_back();
    Task& task = tasks_[id];
    add_to_construct(result_.tasks[task.site], task, static_cast<uint32_t>(id >> 48) - 1, worker.stream.worker());
    if (running_ > 0) --running_;
    if (!task.detached) return finish(id, task);
    ++detached_;
    detached_site_ = task.site;
  }

  /// All that is counted of tasks is counted when they end: a program that is killed leaves others.
  void add_to_construct(TaskConstruct& construct, const Task& task, uint32_t maker, uint32_t runner) {
    construct.grain.add(task.own_ns, result_.preempted);
    construct.held += task.held;
    construct.undeferred += task.undeferred;
    construct.moved += maker != runner;
    ++construct.makers[maker];
  }

  void fulfil(uint64_t id) {
    auto found = tasks_.find(id);
    if (found == tasks_.end() || !found->second.detached || detached_ == 0) return;
    --detached_;
    finish(id, found->second);
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
      (task.undeferred ? parent->second.path : parent->second.children).take(task.path);
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

  // ---- Regions and waits ------------------------------------------------------------------------------------------

  void begin_region(Worker& worker) {
    auto region = std::make_shared<Region>();
    region->site = worker.event.site;
    region->size = worker.event.number;
    region->began = worker.event.at;
    region->encountering = worker.frames.empty() ? 0 : worker.frames.back().id;
    region->start = region->longest = tasks_[region->encountering].path;
    open_[region->encountering] = region;
    ++regions_open_;
    active_ += region->size > 0 ? region->size - 1 : 0;
    region->active = active_ + 1;
  }

  void end_region(Worker& worker) {
    uint64_t encountering = worker.frames.empty() ? 0 : worker.frames.back().id;
    auto found = open_.find(encountering);
    if (found == open_.end()) return; // its beginning was lost
    std::shared_ptr<Region> region = std::move(found->second);
    open_.erase(found);
    --regions_open_;
    active_ -= std::min(active_, region->size > 0 ? region->size - 1 : 0);
    last_region_ = region->site;
    leave_idle_threads(region.get());
    region->ended = true;
    RegionConstruct& construct = result_.regions[region->site];
    ++construct.count;
    construct.threads = std::max(construct.threads, region->size);
    construct.time_ns += ns(worker.event.at - region->began);
    construct.work_ns += region->work_ns + region->inner_ns;
    construct.span_ns += region->longest.ns - region->start.ns;
    construct.span_outside_tasks_ns += region->longest.outside_tasks - region->start.outside_tasks;
    if (region->longest.largest > construct.span_largest_ns) {
      construct.span_largest_ns = region->longest.largest;
      construct.span_largest_site = region->longest.largest_site;
    }
    for (auto [site, count] : region->makes) construct.makes[site] += count;
    construct.span_waited_ns += region->longest.waited - region->start.waited;
    if (region->longest.wait_site != 0) construct.span_wait_site = region->longest.wait_site;
    double span = region->longest.ns - region->start.ns;
    construct.overheads.all.push_back(std::max(0.0, ns(worker.event.at - region->began) - span));
    construct.active = std::max(construct.active, region->active);
    Region* outer = worker.frames.empty() ? nullptr : tasks_[encountering].region.get();
    if (outer != nullptr) outer->inner_ns += region->work_ns + region->inner_ns;
    bool nested = outer != nullptr && outer->size > 1;
    construct.nested |= nested;
    if (region->size == 1 && !nested) {
      result_.one_thread_ns += region->work_ns;
      result_.one_thread_site = region->site;
    }
    construct.tasks += region->tasks;
    construct.undeferred += region->undeferred;
    construct.held += region->held;
    construct.idle_ns += region->idle_ns;
    construct.deepest = std::max(construct.deepest, region->deepest);
    for (auto& [key, execution] : region->loops) add_loop(result_, *region, key.first, execution);
    for (const Region::Phase& phase : region->phases) add_phase(result_, *region, phase);
    tasks_[encountering].path = std::max(tasks_[encountering].path, region->longest);
    ended_paths_.clear();
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
    frame.waits.push_back({what, worker.event.site, worker.event.at, passed_.delays});
    if (what == RecordWait::kChildren || what == RecordWait::kGroup) {
      WaitConstruct& wait = result_.waits[worker.event.site];
      ++wait.count;
      wait.tasks += frame.wait_sites.insert(worker.event.site).second;
    }
    Task& task = tasks_[frame.id];
    if ((what == RecordWait::kBarrier || what == RecordWait::kJoin) && task.region != nullptr) {
      task.region->longest = std::max(task.region->longest, task.path);
      end_phase(frame, what == RecordWait::kJoin ? task.region->site : worker.event.site);
    }
  }

  void end_wait(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().waits.empty()) return;
    Frame& frame = worker.frames.back();
    Frame::Wait wait = frame.waits.back();
    RecordWait what = wait.what;
    frame.waits.pop_back();
    worker.accesses.clear();
    Task& task = tasks_[frame.id];
    if (what == RecordWait::kChildren) task.path.join(task.children, wait.site);
    if (what == RecordWait::kGroup && task.group != nullptr) {
      task.path.join(task.group->longest, wait.site);
      task.group = task.group->outer;
    }
    if (what != RecordWait::kBarrier || task.region == nullptr) return;
    task.path = std::max(task.path, task.region->longest);
    end_barrier(frame, *task.region, std::max(0.0, ns(worker.event.at - wait.began) - (passed_.delays - wait.delays)));
  }

  // ---- Between barriers -------------------------------------------------------------------------------------------

  void work_of_member(Frame& frame, double own) {
    frame.work += own;
    if (frame.works.empty()) frame.loose_work += own;
    if (frame.works.empty() || static_cast<WorkKind>(frame.works.back().kind) != WorkKind::kSingleExecutor) return;
    SingleConstruct& single = result_.singles[frame.works.back().site];
    single.work_ns += own;
    if (frame.region == nullptr) return;
    single.threads = std::max(single.threads, frame.region->size);
    single.region = frame.region->site;
    if (frame.region->tasks == 0) single.alone_ns += own;
  }

  /// A member comes to a barrier.
  void end_phase(Frame& frame, uint64_t site) {
    if (frame.region == nullptr) return;
    frame.phase = std::max(frame.phase, frame.region->first_phase); // a damaged recording may say otherwise
    size_t index = frame.phase++ - frame.region->first_phase;
    std::deque<Region::Phase>& phases = frame.region->phases;
    if (phases.size() <= index) phases.resize(index + 1);
    Region::Phase& phase = phases[index];
    phase.site = site;
    ++phase.came;
    phase.sum += frame.loose_work;
    phase.longest = std::max(phase.longest, frame.loose_work);
    phase.work += frame.work;
    frame.work = frame.loose_work = 0;
  }

  /// The member goes on.
  void end_barrier(Frame& frame, Region& region, double waited) {
    if (frame.phase <= region.first_phase || frame.phase > region.first_phase + region.phases.size()) return;
    Region::Phase& phase = region.phases[frame.phase - 1 - region.first_phase];
    phase.waited += waited;
    ++phase.left;
    for (; !region.phases.empty() && region.phases[0].left == region.size; ++region.first_phase) {
      add_phase(result_, region, region.phases[0]);
      region.phases.pop_front();
    }
  }

  void end_work(Worker& worker) {
    if (worker.frames.empty() || worker.frames.back().works.empty()) return;
    Frame& frame = worker.frames.back();
    Frame::Work work = frame.works.back();
    frame.works.pop_back();
    auto kind = static_cast<WorkKind>(work.kind);
    if (kind == WorkKind::kSingleExecutor) ++result_.singles[work.site].count;
    bool shared = kind == WorkKind::kLoopStatic || kind == WorkKind::kLoopDynamic || kind == WorkKind::kLoopGuided ||
                  kind == WorkKind::kSections;
    if (!shared || frame.region == nullptr) return;
    Region::Execution& execution = frame.region->loops[{work.site, frame.executions[work.site]++}];
    double wall = ns(worker.event.at - work.began), delays = worker.delays - work.delays;
    double length = std::max(0.0, wall - delays - (worker.lock_waits - work.lock_waits));
    execution.kind = work.kind;
    execution.iterations = std::max(execution.iterations, work.iterations);
    execution.sum += length;
    execution.longest = std::max(execution.longest, length);
    execution.ends.push_back({ns(worker.event.at - frame.region->began), wall, delays});
  }

  const recording::Recording& recording_;
  const std::map<uint64_t, uint64_t>& same_place_;
  std::set<uint64_t> taskloops_; // sites
  Analysis result_;
  std::vector<Worker> workers_;
  std::unordered_map<uint64_t, Task> tasks_;                   // that have not ended; implicit ones too
  std::unordered_map<uint64_t, Frame> stopped_;                // of tasks that will go on
  std::unordered_map<uint64_t, std::shared_ptr<Region>> open_; // by the task that encountered them
  std::unordered_map<uint64_t, Path> ended_paths_;             // of tasks that others may depend on
  double end_ns_ = 0;                                          // recording the end of a task
  uint64_t first_ = 0, now_ = 0;
  Situation passed_;
  int64_t ready_ = 0;
  uint64_t outstanding_ = 0;
  int regions_open_ = 0;
  uint64_t last_region_ = 0;                  // the site of the one that ended last
  uint64_t active_ = 0;                       // members of all open regions but their primaries
  uint64_t running_ = 0;                      // tasks that have begun
  uint64_t detached_ = 0, detached_site_ = 0; // tasks that have returned, and whose event is not fulfilled
  std::unordered_set<uint64_t> fulfilled_;    // tasks whose event is fulfilled after they have returned
};

} // namespace

Analysis analyse(const recording::Recording& recording, const Costs& costs,
                 const std::map<uint64_t, uint64_t>& same_place) {
  return Analyser(recording, costs, same_place).run();
}

} // namespace chomp::analyse
