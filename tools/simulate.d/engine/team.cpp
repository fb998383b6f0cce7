// Where tasks wait and which workers take them: the schedulers' policies, as runtime/tasks/publish.cpp,
// runtime/idle/idle.cpp and schedulers/*.cpp have them.
#include "team.h"

#include <algorithm>

#include "schedulers/policy.h"

namespace chomp::simulate {

Prices::Prices(const Costs& c)
    : task_serial(from_ns(c.task_serial)), task(from_ns(c.task)), depend(from_ns(c.depend)), group(from_ns(c.group)),
      publish(from_ns(c.publish)), publish_task(from_ns(c.publish_task)), acquire(from_ns(c.acquire)),
      steal(from_ns(c.steal)), steal_task(from_ns(c.steal_task)), probe(from_ns(c.probe)),
      finish_elsewhere(from_ns(c.finish_elsewhere)), lock(from_ns(c.lock)), place(from_ns(c.place)),
      notice(from_ns(c.notice)), notice_far(from_ns(c.notice_far)), wake(from_ns(c.wake)),
      wake_call(from_ns(c.wake_call)), revoke(from_ns(c.revoke)), fork(from_ns(c.fork)), barrier(from_ns(c.barrier)),
      moved(from_ns(c.moved)), moved_far(from_ns(c.moved_far)), moved_most(from_ns(c.moved_most)),
      spin(from_ns(c.spin)), moved_per_ns(c.moved_per_us / 1000), moved_far_per_ns(c.moved_far_per_us / 1000) {}

Team::Team(const Graph& graph, const Machine& machine, const Policy& policy)
    : graph_(graph), machine_(machine), policy_(policy), price_(machine.costs), state_(graph.size()),
      clock_(machine.size()), idle_(machine.size()), random_(machine.seed) {
  int size = machine.size(), domains = machine.domains;
  workers_.resize(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) {
    worker(i).number = i;
    worker(i).domain = i / machine.cores;
    worker(i).next_victim = static_cast<unsigned>(i + 1);
    worker(i).next_place = static_cast<unsigned>(i + 1);
  }
  queues_.resize(static_cast<size_t>(policy.queue == Queue::kTeam     ? 1
                                     : policy.queue == Queue::kDomain ? domains
                                                                      : size));
  hungry_in_.resize(static_cast<size_t>(domains));
  asking_.resize(static_cast<size_t>(domains));
  paused_until_.resize(static_cast<size_t>(domains));
  pause_.resize(static_cast<size_t>(domains));
  if (policy.steal == Steal::kOneDeeper) {
    depth_.resize(graph.size());
    for (size_t task = 0; task < graph.size(); ++task)
      if (graph.tasks[task].parent != kNoTask) depth_[task] = depth_[graph.tasks[task].parent] + 1;
  }
}

// ---- Which worker may run which task --------------------------------------------------------------------------------

bool Team::in_group(TaskId task, uint32_t group) const {
  for (uint32_t each = state_[task].group; each != kNoGroup; each = groups_[each].parent)
    if (each == group) return true;
  return false;
}

// The task scheduling constraint (runtime/tasks/constraint.cpp): what runs on top of a suspended tied task descends
// from it.
bool Team::may_run(const Worker& worker, TaskId task) const {
  const Frame& waiter = worker.stack.back();
  if (waiter.task == kNoTask) return true; // in a barrier
  if (graph_.tasks[task].parent == waiter.task) return true;
  if (waiter.waits == Waits::kGroup && in_group(task, waiter.group)) return true;
  auto tied = worker.stack.end() - 1;
  while (tied != worker.stack.begin() && tied->task != kNoTask && (graph_.properties[tied->task] & kUntied)) --tied;
  return tied->task == kNoTask || graph_.descends(task, tied->task);
}

// ---- Queues ---------------------------------------------------------------------------------------------------------

size_t Team::queue_of(const Worker& worker) const {
  if (policy_.queue == Queue::kTeam) return 0;
  return static_cast<size_t>(policy_.queue == Queue::kDomain ? worker.domain : worker.number);
}

// Waits for the queue, which is closed to others for a while from then on. `cost` is what the worker has spent so far.
void Team::lock(SharedQueue& queue, Time& cost) {
  if (!policy_.locked) return;
  cost = std::max(cost, queue.free_at - now_);
  queue.free_at = now_ + cost + price_.lock;
}

void Team::push_published(size_t queue, TaskId task) {
  queues_[queue].tasks.push(task);
  ++published_now_;
  published_at_ = now_;
}

// ---- Hunger ---------------------------------------------------------------------------------------------------------

unsigned Team::hunger(const Worker& worker) const {
  if (!steals_for_domain()) return hungry_;
  auto domain = static_cast<size_t>(worker.domain);
  return hungry_in_[domain] + asking_count_ - (asking_[domain] ? 1 : 0);
}

unsigned Team::wanted(const Worker& worker) const {
  size_t waiting = queues_[queue_of(worker)].tasks.size();
  if (policy_.queue == Queue::kMember) return waiting == 0 ? policy::kOnOffer : 0;
  unsigned hungry = hunger(worker);
  return waiting < hungry ? policy::kPerHungry * hungry - static_cast<unsigned>(waiting) : 0;
}

void Team::ask_others(int domain, bool ask) {
  auto index = static_cast<size_t>(domain);
  if (asking_[index] == ask) return;
  asking_[index] = ask;
  asking_count_ += ask ? 1u : ~0u;
}

void Team::clear_hungry(Worker& worker) {
  if (worker.idle) {
    if (parked(worker)) ++result_.counters.parks;
    worker.idle = false;
    idle_.remove(worker.number);
  }
  worker.notified = worker.woken = false;
  if (!worker.hungry) return;
  worker.hungry = false;
  --hungry_;
  if (--hungry_in_[static_cast<size_t>(worker.domain)] == 0) ask_others(worker.domain, false);
}

void Team::become_idle(Worker& worker) {
  worker.looked = now_;
  if (worker.woken) { // it spins anew before it parks again
    ++result_.counters.parks;
    worker.idle_since = now_;
  }
  worker.notified = worker.woken = false;
  clock_.set(worker.number, kNever);
  if (!worker.idle) {
    worker.idle = true;
    worker.idle_since = now_;
    idle_.add(worker.number);
  }
  if (!worker.hungry) {
    worker.hungry = true;
    ++hungry_;
    ++hungry_in_[static_cast<size_t>(worker.domain)];
    if (steals_for_domain() && machine_.domains > 1) ask_others(worker.domain, true);
  }
  if (revoke_at_ == kNever && policy_.dealing == Dealing::kPrivate) revoke_at_ = now_ + from_ns(policy::kStuckNs);
}

void Team::notify(Worker& worker, Time delay, Time& callers_cost) {
  if (!worker.idle) return;
  if (parked(worker)) {
    if (worker.woken) return;
    worker.woken = true;
    ++result_.counters.wakes;
    callers_cost += price_.wake_call;
    delay = price_.wake;
  }
  worker.looks = worker.notified = true;
  Time when = now_ + delay + jitter(delay / 2);
  if (when < clock_.time(worker.number)) clock_.set(worker.number, when);
}

// Notifies up to `most` idle, awake workers of [first, end) that would look around later than that by themselves.
unsigned Team::notify_idle(int first, int end, unsigned most, Time delay, Time& cost) {
  unsigned notified = 0;
  for (int at = idle_.first(first, end); at >= 0 && notified < most; at = idle_.first(at + 1, end)) {
    Worker& each = worker(at);
    if (parked(each) || clock_.time(at) <= now_ + delay + delay / 2) continue;
    notify(each, delay, cost);
    ++notified;
  }
  return notified;
}

// Tasks were put into a queue near `domain`. Workers that spin see it, the nearest first; one sleeper is woken.
void Team::announce(const Worker& from, int domain, unsigned tasks, bool others_too, Time& cost) {
  if (idle_.count() == 0) return;
  int first = domain * machine_.cores, end = first + machine_.cores;
  // All that share a domain's queue look at it all the time; which of them may run the tasks shows only then.
  unsigned here = policy_.queue == Queue::kDomain ? static_cast<unsigned>(machine_.cores) : tasks;
  unsigned notified = notify_idle(first, end, here, price_.notice, cost);
  if (others_too && machine_.domains > 1) {
    if (steals_for_domain()) { // a thief of each domain that asks
      for (int other = 0; other < machine_.domains; ++other)
        if (other != domain && asking_[static_cast<size_t>(other)])
          notify_idle(other * machine_.cores, (other + 1) * machine_.cores, 1, price_.notice_far, cost);
    } else if (notified < tasks) {
      notified += notify_idle(end, machine_.size(), tasks - notified, price_.notice_far, cost);
      if (notified < tasks) notify_idle(0, first, tasks - notified, price_.notice_far, cost);
    }
  }
  for (int at = idle_.first(0, machine_.size()); at >= 0; at = idle_.first(at + 1, machine_.size())) {
    if (at == from.number || !parked(worker(at)) || worker(at).woken) continue;
    notify(worker(at), 0, cost);
    break;
  }
}

void Team::pass_on(Worker& from, bool found) {
  if (published_now_ == 0 || idle_.count() == 0) return;
  for (int step = 1; step < machine_.size(); ++step) {
    Worker& next = worker((from.number + step) % machine_.size());
    if (!next.idle || next.notified || (!found && next.looked >= published_at_)) continue;
    if (found && !parked(next)) continue; // they look by themselves
    Time cost = 0;
    notify(next, next.domain == from.domain ? price_.notice : price_.notice_far, cost);
    return;
  }
}

// ---- Publishing -----------------------------------------------------------------------------------------------------

Time Team::publish_if_hungry(Worker& worker) {
  if (policy_.dealing != Dealing::kPrivate || hunger(worker) == 0 || worker.deque.empty()) return 0;
  unsigned want = wanted(worker);
  if (want == 0) return 0;
  auto count = static_cast<unsigned>(std::min<size_t>((worker.deque.size() + 1) / 2, want));
  size_t queue = queue_of(worker);
  Time cost = price_.publish + count * price_.publish_task;
  lock(queues_[queue], cost);
  for (unsigned i = 0; i < count; ++i) push_published(queue, worker.deque.pop_oldest());
  result_.counters.published += count;
  announce(worker, worker.domain, count, true, cost);
  return cost;
}

// Owner-only queues, filled in turn. False: there is no room.
bool Team::place(Worker& from, TaskId task, bool must_wait, Time& cost) {
  size_t most = policy_.redirects ? policy::kRingSlots * workers_.size() : policy::kMostDealt;
  Worker* target = nullptr;
  if (policy_.steal == Steal::kAsk && from.asked_by >= 0) { // answered with this task and the next ones
    target = &worker(from.asked_by);
    if (++from.answered == policy::kGiven) from.asked_by = -1;
    ++result_.counters.stolen_tasks;
  }
  size_t tries = target != nullptr ? 0 : policy_.redirects ? workers_.size() : 1;
  bool room = must_wait || strays_.tasks.size() < policy::kMostDealt;
  for (; target == nullptr && room && tries > 0; --tries) {
    Worker& next = worker(static_cast<int>(from.next_place++ % workers_.size()));
    if (must_wait || queues_[static_cast<size_t>(next.number)].tasks.size() < most) target = &next;
  }
  if (target == nullptr) return false;
  auto number = static_cast<size_t>(target->number);
  lock(queues_[number], cost);
  if (target != &from) cost += target->domain == from.domain ? price_.place : 2 * price_.place;
  push_published(number, task);
  ++result_.counters.published;
  notify(*target, target->domain == from.domain ? price_.notice : price_.notice_far, cost);
  return true;
}

// A member that is idle asks one that has something; that one hands some of its own over when it next takes one.
void Team::ask_somebody(Worker& thief) {
  auto size = static_cast<unsigned>(workers_.size());
  for (unsigned step = 1; step < size; ++step) {
    Worker& victim = workers_[(static_cast<unsigned>(thief.number) + step) % size];
    if (victim.asked_by >= 0 || victim.idle) continue;
    victim.asked_by = thief.number;
    victim.answered = 0;
    return;
  }
}

void Team::answer(Worker& worker, Time& cost) {
  if (worker.asked_by < 0) return;
  Worker& thief = this->worker(worker.asked_by);
  auto from = static_cast<size_t>(worker.number), to = static_cast<size_t>(thief.number);
  unsigned given = 0;
  while (given < policy::kGiven && !queues_[from].tasks.empty()) {
    queues_[to].tasks.push(queues_[from].tasks.pop_oldest());
    ++given;
  }
  if (given == 0) return;
  worker.asked_by = -1;
  bool far = thief.domain != worker.domain;
  ++result_.counters.stolen_operations;
  if (far) ++result_.counters.stolen_far;
  result_.counters.stolen_tasks += given;
  published_at_ = now_;
  cost += price_.place + given * price_.steal_task;
  notify(thief, far ? price_.notice_far : price_.notice, cost);
}

bool Team::queue_task(Worker& worker, TaskId task, bool must_wait, Time& cost) {
  if (graph_.properties[task] & kPrioritised) {
    priorities_.tasks.push(task);
    ++published_now_;
    published_at_ = now_;
    announce(worker, worker.domain, 1, true, cost);
    return true;
  }
  if (policy_.dealing == Dealing::kRoundRobin) {
    return place(worker, task, must_wait, cost);
  }
  worker.touched = now_;
  if (!must_wait && worker.deque.size() >= policy::kThrottle) {
    cost += publish_if_hungry(worker);
    return false;
  }
  worker.deque.push(task);
  cost += publish_if_hungry(worker);
  return true;
}

// ---- Taking ---------------------------------------------------------------------------------------------------------

TaskId Team::take_own(Worker& worker, Time& cost) {
  SharedQueue& queue = queues_[queue_of(worker)];
  if (queue.tasks.empty()) return kNoTask;
  lock(queue, cost);
  TaskId task =
      queue.tasks.take(policy_.order == Order::kNewestFirst, [&](TaskId each) { return may_run(worker, each); });
  if (task != kNoTask) {
    --published_now_;
    ++result_.counters.acquired_local;
    cost += price_.acquire;
    if (policy_.steal == Steal::kAsk) answer(worker, cost);
  } else if (policy_.dealing == Dealing::kRoundRobin) {
    // No other worker looks here: what the owner may not run goes where all look.
    while (!queue.tasks.empty()) strays_.tasks.push(queue.tasks.pop_oldest());
    published_at_ = now_;
    announce(worker, worker.domain, static_cast<unsigned>(strays_.tasks.size()), true, cost);
  }
  return task;
}

TaskId Team::take_stray(Worker& worker, Time& cost) {
  if (strays_.tasks.empty()) return kNoTask;
  lock(strays_, cost);
  TaskId task = strays_.tasks.take(false, [&](TaskId each) { return may_run(worker, each); });
  if (task == kNoTask) return task;
  --published_now_;
  ++result_.counters.acquired_local;
  cost += price_.acquire;
  return task;
}

TaskId Team::steal_one(Worker& worker, Time& cost) {
  auto size = static_cast<unsigned>(workers_.size());
  const Frame& top = worker.stack.back();
  for (unsigned step = 0; step < size && published_now_ > 0; ++step) {
    Worker& victim = workers_[(worker.next_victim + step) % size];
    if (&victim == &worker) continue;
    SharedQueue& queue = queues_[static_cast<size_t>(victim.number)];
    cost += price_.probe;
    if (queue.tasks.empty()) continue;
    lock(queue, cost);
    TaskId task = queue.tasks.take(false, [&](TaskId each) {
      if (policy_.steal == Steal::kOneDeeper && top.task != kNoTask && depth_[each] <= depth_[top.task]) return false;
      return may_run(worker, each);
    });
    if (task == kNoTask) {
      ++result_.counters.failed_steals;
      continue;
    }
    worker.next_victim = static_cast<unsigned>(victim.number);
    --published_now_;
    ++result_.counters.stolen_operations;
    ++result_.counters.stolen_tasks;
    bool far = victim.domain != worker.domain;
    if (far) ++result_.counters.stolen_far;
    cost += far ? price_.steal : price_.acquire;
    return task;
  }
  ++worker.next_victim;
  return kNoTask;
}

TaskId Team::steal_for_domain(Worker& worker, Time& cost) {
  auto domain = static_cast<size_t>(worker.domain);
  if (now_ < paused_until_[domain]) {
    worker.retry_at = paused_until_[domain];
    return kNoTask;
  }
  unsigned idle = std::max(1u, hungry_in_[domain]);
  SharedQueue& own = queues_[domain];
  for (int step = 1; step < machine_.domains; ++step) {
    SharedQueue& queue = queues_[static_cast<size_t>((worker.domain + step) % machine_.domains)];
    cost += price_.probe;
    if (queue.tasks.empty() || now_ < queue.arriving_until) continue;
    lock(queue, cost);
    auto half = static_cast<unsigned>((queue.tasks.size() + 1) / 2);
    unsigned count = policy_.steal == Steal::kForHungry ? std::min(idle, half) : half;
    for (unsigned i = 0; i < count; ++i) own.tasks.push(queue.tasks.pop_oldest());
    cost += price_.steal + (count - 1) * price_.steal_task;
    ++result_.counters.stolen_operations;
    ++result_.counters.stolen_far;
    result_.counters.stolen_tasks += count;
    published_at_ = now_;
    own.arriving_until = now_ + cost + 2 * price_.notice;
    TaskId task = own.tasks.take(true, [&](TaskId each) { return may_run(worker, each); });
    if (task != kNoTask) --published_now_;
    if (!own.tasks.empty()) announce(worker, worker.domain, static_cast<unsigned>(own.tasks.size()), false, cost);
    if (task == kNoTask) continue;
    pause_[domain] = 0;
    ask_others(worker.domain, false);
    return task;
  }
  constexpr double kNsPerCycle = 0.4;
  constexpr Time kFirst = static_cast<Time>(policy::kFirstPause * kNsPerCycle * kPerNs);
  constexpr Time kLongest = static_cast<Time>(policy::kLongestPause * kNsPerCycle * kPerNs);
  pause_[domain] = pause_[domain] == 0 ? kFirst : std::min(2 * pause_[domain], kLongest);
  paused_until_[domain] = worker.retry_at = now_ + pause_[domain];
  if (hungry_in_[domain] > 0) ask_others(worker.domain, true);
  return kNoTask;
}

TaskId Team::find_work(Worker& worker, Time& cost) {
  worker.retry_at = kNever;
  if (!priorities_.tasks.empty()) {
    int best = 0;
    TaskQueue rest;
    while (!priorities_.tasks.empty()) {
      TaskId task = priorities_.tasks.pop_oldest();
      if (may_run(worker, task)) best = std::max(best, graph_.priorities.at(task));
      rest.push(task);
    }
    priorities_.tasks = rest;
    TaskId task = priorities_.tasks.take(
        false, [&](TaskId each) { return may_run(worker, each) && graph_.priorities.at(each) == best; });
    if (task != kNoTask) {
      --published_now_;
      cost += price_.acquire;
      return task;
    }
  }
  if (!worker.deque.empty()) { // below the floor: of the tasks suspended underneath
    TaskId task = worker.deque.pop_newest();
    worker.touched = now_;
    if (may_run(worker, task)) return task;
    worker.deque.push(task);
    cost += publish_if_hungry(worker);
  }
  if (TaskId task = take_own(worker, cost); task != kNoTask) return task;
  if (TaskId task = take_stray(worker, cost); task != kNoTask) return task;
  switch (policy_.steal) {
  case Steal::kNever: return kNoTask;
  case Steal::kAsk: ask_somebody(worker); return kNoTask;
  case Steal::kOne:
  case Steal::kOneDeeper: return serial() ? kNoTask : steal_one(worker, cost);
  case Steal::kForHungry:
  case Steal::kHalfOfVictim: return machine_.domains == 1 ? kNoTask : steal_for_domain(worker, cost);
  }
  return kNoTask;
}

// ---- Revocation -----------------------------------------------------------------------------------------------------

// The hungry watch private deques, one each; what has not been touched for a while is taken away.
void Team::revoke_stuck() {
  Time stuck = from_ns(policy::kStuckNs);
  revoke_at_ = kNever;
  if (hungry_ == 0) return;
  int thief = idle_.first(0, machine_.size());
  for (Worker& victim : workers_) {
    if (thief < 0) break;
    if (victim.deque.empty() || now_ - victim.touched < stuck) continue;
    auto count = static_cast<unsigned>(std::min<size_t>((victim.deque.size() + 1) / 2, policy::kMostRevoked));
    Worker& by = worker(thief);
    for (unsigned i = 0; i < count; ++i) push_published(queue_of(by), victim.deque.pop_oldest());
    ++result_.counters.revocations;
    result_.counters.revoked_tasks += count;
    result_.counters.published += count; // as the runtime counts
    Time cost = 0;
    notify(by, price_.revoke, cost);
    announce(by, by.domain, count > 1 ? count - 1 : 1, true, cost);
    thief = idle_.first(thief + 1, machine_.size());
  }
  revoke_at_ = now_ + stuck;
}

} // namespace chomp::simulate
