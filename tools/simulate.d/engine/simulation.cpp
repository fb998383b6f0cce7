// The passage of time: each worker performs the operations of the task on top of its stack, or looks for another.
// Costs of an operation delay the worker that performs it; its effect is there at once.
#include "team.h"

#include <cstring>

namespace chomp::simulate {
namespace {

class Simulation : Team {
public:
  using Team::Team;

  Result run() {
    for (const auto& [task, count] : graph_.predecessors) unmet_[task] = count + 1; // and its creation
    for (const Region& region : graph_.regions) run_region(region);
    result_.time = now_;
    result_.idle = now_ * machine_.size() - result_.computed - result_.moved - result_.overhead;
    return result_;
  }

private:
  // ---- Regions and barriers ----

  void run_region(const Region& region) {
    now_ += price_.fork;
    charge(price_.fork);
    for (Worker& each : workers_) each.implicit.clear();
    for (size_t i = 0; i < region.implicit.size(); ++i) {
      TaskId task = region.implicit[i];
      auto& member = workers_[i % workers_.size()];
      member.implicit.push_back({task, graph_.tasks[task].first_operation, false});
      state_[task].runner = static_cast<uint16_t>(member.number);
    }
    unended_ = static_cast<int>(region.implicit.size());
    while (begin_phase()) {
      run_phase();
      now_ += price_.barrier;
    }
  }

  // Between two barriers each member executes what its implicit tasks have there.
  bool begin_phase() {
    if (unended_ == 0) return false;
    arrived_ = 0;
    open_ = false;
    for (Worker& each : workers_) {
      each.current_implicit = 0;
      next_implicit(each, 0);
    }
    return true;
  }

  void next_implicit(Worker& worker, Time cost) {
    while (worker.current_implicit < worker.implicit.size()) {
      Implicit& next = worker.implicit[worker.current_implicit];
      if (next.ended) {
        ++worker.current_implicit;
        continue;
      }
      worker.stack.push_back({next.task, next.next, worker.deque.top(), state_[next.task].group, Waits::kNot, 0, 0});
      return schedule(worker, cost);
    }
    worker.stack.push_back({kNoTask, 0, worker.deque.base(), kNoGroup, Waits::kBarrier, 0, 0});
    ++arrived_;
    open_if_done();
    look_at(worker, cost);
  }

  void leave_implicit(Worker& worker, bool ended) {
    Implicit& implicit = worker.implicit[worker.current_implicit++];
    implicit.next = worker.stack.back().next + 1;
    implicit.ended = ended;
    if (ended) --unended_;
    worker.stack.pop_back();
    next_implicit(worker, 0);
  }

  void open_if_done() {
    if (arrived_ == machine_.size() && unfinished_ == 0) open_ = true;
  }

  void run_phase() {
    open_if_done();
    while (!open_) {
      int first = clock_.first();
      Time when = clock_.time(first);
      if (revoke_at_ < when) {
        if (when == kNever && !anything_private()) stuck();
        now_ = revoke_at_;
        revoke_stuck();
        continue;
      }
      if (when == kNever) stuck();
      now_ = when;
      step(worker(first));
    }
    for (Worker& each : workers_) {
      clear_hungry(each);
      each.stack.clear();
      clock_.set(each.number, kNever);
    }
    revoke_at_ = kNever;
  }

  bool anything_private() const {
    for (const Worker& each : workers_)
      if (!each.deque.empty()) return true;
    return false;
  }

  [[noreturn]] void stuck() const {
    throw Error(std::string("the program cannot go on under ") + policy_.name + ": " + std::to_string(unfinished_) +
                " tasks are unfinished, and nobody may run one");
  }

  // ---- One worker ----

  void charge(Time cost) { result_.overhead += cost; }

  void step(Worker& worker) { worker.looks ? look(worker) : perform(worker); }

  void look_at(Worker& worker, Time cost) {
    charge(cost);
    worker.looks = true;
    clock_.set(worker.number, now_ + cost);
  }

  // The operation at Frame::next comes after what the task computes before it.
  void schedule(Worker& worker, Time cost) {
    charge(cost);
    Frame& frame = worker.stack.back();
    Time before = graph_.operations[frame.next].before, moved = 0;
    if (frame.moved_left > 0 && before > 0) {
      moved = std::min(frame.moved_left, static_cast<Time>(static_cast<double>(before) * frame.moved_per_ns));
      frame.moved_left -= moved;
    }
    result_.computed += before;
    result_.moved += moved;
    worker.looks = false;
    clock_.set(worker.number, now_ + cost + before + moved);
  }

  void go_on(Worker& worker, Time cost) {
    ++worker.stack.back().next;
    schedule(worker, cost);
  }

  void perform(Worker& worker) {
    Frame& frame = worker.stack.back();
    Operation operation = graph_.operations[frame.next];
    switch (operation.op()) {
    case Op::kNothing: return go_on(worker, 0);
    case Op::kCreate: return create(worker, operation.argument());
    case Op::kCall:
      count_created(worker, operation.argument());
      wait_then_call(worker, operation.argument());
      return;
    case Op::kWait: return wait_or_go_on(worker, Waits::kChildren, 0);
    case Op::kWaitTasks: return wait_or_go_on(worker, Waits::kTasks, 0);
    case Op::kGroupBegin:
      groups_.push_back({frame.group, 0, worker.number});
      frame.group = static_cast<uint32_t>(groups_.size() - 1);
      return go_on(worker, price_.group);
    case Op::kGroupEnd: return wait_or_go_on(worker, Waits::kGroup, 0);
    case Op::kBarrier: return leave_implicit(worker, false);
    case Op::kFulfil: {
      Time cost = 0;
      TaskId task = operation.argument();
      if (event_of(task) == Event::kBodyEnded)
        complete(worker, task, cost);
      else
        events_[task] = Event::kFulfilled;
      return go_on(worker, cost);
    }
    case Op::kEnd: return end(worker);
    }
  }

  void wait_or_go_on(Worker& worker, Waits what, Time cost) {
    Frame& frame = worker.stack.back();
    frame.waits = what;
    if (is_over(worker)) return stop_waiting(worker, cost);
    // What a wait looks at first lies in the private deque; looking elsewhere comes in its own time.
    look(worker);
  }

  bool is_over(const Worker& worker) const {
    const Frame& frame = worker.stack.back();
    switch (frame.waits) {
    case Waits::kNot: return true;
    case Waits::kChildren: return state_[frame.task].children == 0;
    case Waits::kGroup: return frame.group == kNoGroup || groups_[frame.group].pending == 0;
    case Waits::kTasks:
      for (TaskId task : graph_.awaited[graph_.operations[frame.next].argument()])
        if (state_[task].runner != kFinished) return false;
      return true;
    case Waits::kBarrier: return false; // run_phase() ends it
    }
    return true;
  }

  void stop_waiting(Worker& worker, Time cost) {
    Frame& frame = worker.stack.back();
    if (frame.waits == Waits::kGroup && frame.group != kNoGroup) {
      uint32_t group = frame.group;
      frame.group = groups_[group].parent;
      if (group + 1 == groups_.size()) groups_.pop_back(); // else it stays: few do
    }
    frame.waits = Waits::kNot;
    go_on(worker, cost);
  }

  // ---- Tasks ----

  void count_created(Worker& worker, TaskId task) {
    Frame& frame = worker.stack.back();
    ++result_.counters.created;
    ++unfinished_;
    ++state_[frame.task].children;
    TaskState& state = state_[task];
    state = {0, frame.group, static_cast<uint16_t>(worker.number), 0};
    if (frame.group != kNoGroup) ++groups_[frame.group].pending;
  }

  // Whether the task, just created or rid of a predecessor, has no other.
  bool is_ready(TaskId task) {
    auto found = unmet_.find(task);
    return found == unmet_.end() || --found->second == 0;
  }

  void create(Worker& worker, TaskId task) {
    count_created(worker, task);
    bool dependent = graph_.properties[task] & kDependent, detached = graph_.properties[task] & kDetached;
    Time cost = dependent || (graph_.properties[task] & kHasHeirs) ? price_.depend : 0;
    if (dependent && !is_ready(task)) return go_on(worker, cost); // in a team of one, for a detached task
    if (serial()) return begin(worker, task, cost + price_.task_serial);
    cost += price_.task / 2;
    if (queue_task(worker, task, detached, cost)) return go_on(worker, cost);
    ++result_.counters.run_inline;
    begin(worker, task, cost + price_.task / 2);
  }

  // An undeferred task: with predecessors, the creator waits for them first, as recorded before it.
  void wait_then_call(Worker& worker, TaskId task) {
    is_ready(task);
    ++result_.counters.run_inline;
    begin(worker, task, price_.task_serial);
  }

  void begin(Worker& worker, TaskId task, Time cost) {
    clear_hungry(worker);
    TaskState& state = state_[task];
    state.runner = static_cast<uint16_t>(worker.number);
    ++result_.counters.run;
    Frame frame{task, graph_.tasks[task].first_operation, worker.deque.top(), state.group, Waits::kNot, 0, 0};
    if (state.maker != worker.number) {
      bool far = this->worker(state.maker).domain != worker.domain;
      if (far) ++result_.counters.run_on_other_domain;
      cost += far ? price_.moved_far : price_.moved;
      frame.moved_per_ns = far ? price_.moved_far_per_ns : price_.moved_per_ns;
      frame.moved_left = frame.moved_per_ns > 0 ? price_.moved_most : 0;
    }
    worker.stack.push_back(frame);
    auto depth = static_cast<uint32_t>(worker.stack.size());
    if (depth > result_.counters.deepest_nesting) result_.counters.deepest_nesting = depth;
    schedule(worker, cost);
  }

  void end(Worker& worker) {
    Frame frame = worker.stack.back();
    if (graph_.properties[frame.task] & kImplicitTask) return leave_implicit(worker, true);
    worker.stack.pop_back();
    Time cost = 0;
    if (!(graph_.properties[frame.task] & kDetached) || event_of(frame.task) == Event::kFulfilled)
      complete(worker, frame.task, cost);
    else
      events_[frame.task] = Event::kBodyEnded;
    // Below is the task that waits, or the one that had it run at its creation.
    if (worker.stack.back().waits == Waits::kNot) return go_on(worker, cost);
    if (worker.stack.back().waits != Waits::kBarrier && is_over(worker)) return stop_waiting(worker, cost);
    if (cost > 0) return look_at(worker, cost);
    look(worker);
  }

  enum class Event : uint8_t { kPending, kFulfilled, kBodyEnded };
  Event event_of(TaskId task) const {
    auto found = events_.find(task);
    return found == events_.end() ? Event::kPending : found->second;
  }

  void complete(Worker& worker, TaskId task, Time& cost) {
    TaskState& state = state_[task];
    if (state.runner == kFinished) throw Error("a task has run twice");
    state.runner = kFinished;
    --unfinished_;
    TaskId parent = graph_.tasks[task].parent;
    TaskState& above = state_[parent];
    --above.children;
    if (above.runner != kFinished && above.runner != worker.number) {
      cost += price_.finish_elsewhere;
      wake_waiter(worker, this->worker(above.runner), cost);
    }
    if (state.group != kNoGroup) {
      Group& group = groups_[state.group];
      if (--group.pending == 0 && group.owner != worker.number) wake_waiter(worker, this->worker(group.owner), cost);
    }
    if (graph_.properties[task] & kHasHeirs)
      for (TaskId heir : graph_.heirs.at(task))
        if (is_ready(heir)) queue_task(worker, heir, true, cost);
    if (unfinished_ == 0) open_if_done();
  }

  // A worker's wait may be over.
  void wake_waiter(const Worker& by, Worker& waiter, Time& cost) {
    if (!waiter.idle || !is_over(waiter)) return;
    Time delay = waiter.domain == by.domain ? price_.notice : price_.notice_far;
    notify(waiter, delay, cost);
  }

  // ---- Looking for work ----

  void look(Worker& worker) {
    bool was_notified = worker.notified, was_woken = worker.woken;
    if (worker.stack.back().waits != Waits::kBarrier && is_over(worker)) {
      clear_hungry(worker);
      if (was_notified) pass_on(worker, true);
      return stop_waiting(worker, 0);
    }
    Time cost = price_.task / 2;
    if (worker.deque.top() > std::max(worker.stack.back().floor, worker.deque.base())) {
      TaskId task = worker.deque.pop_newest();
      worker.touched = now_;
      cost += publish_if_hungry(worker);
      return begin(worker, task, cost);
    }
    cost = 0;
    TaskId task = find_work(worker, cost);
    if (task == kNoTask) {
      charge(0);
      become_idle(worker);
      if (worker.retry_at != kNever && anything_published()) {
        Time nothing = 0;
        notify(worker, worker.retry_at - now_, nothing);
      }
      if (was_notified) pass_on(worker, false);
      return;
    }
    begin(worker, task, cost + price_.task / 2);
    if (was_woken) pass_on(worker, true);
  }

  int unended_ = 0;   // implicit tasks of the region
  int arrived_ = 0;   // members in the barrier
  bool open_ = false; // the barrier
  uint64_t unfinished_ = 0;
  std::unordered_map<TaskId, uint32_t> unmet_; // predecessors of dependent tasks, and their creation
  std::unordered_map<TaskId, Event> events_;   // of detached tasks
};

} // namespace

Result simulate(const Graph& graph, const Machine& machine, const Policy& policy) {
  if (machine.domains < 1 || machine.cores < 1 || machine.size() > 0xfff0)
    throw Error("no machine has that many cores");
  return Simulation(graph, machine, policy).run();
}

} // namespace chomp::simulate
