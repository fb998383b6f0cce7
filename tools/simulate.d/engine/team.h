// The simulated team: workers, queues, counts. simulation.cpp moves it on in time; team.cpp is where tasks wait and
// which workers take them, that is, the policies.
#pragma once

#include <random>

#include "queues.h"
#include "simulation.h"

namespace chomp::simulate {

enum class Waits : uint8_t { kNot, kChildren, kTasks, kGroup, kBarrier };

/// A task on a worker's stack.
struct Frame {
  TaskId task;    // kNoTask: the worker waits in a barrier
  uint32_t next;  // operation
  uint64_t floor; // of the private deque, when it began: what lies above it descends from the task
  uint32_t group; // the innermost taskgroup, or kNoGroup
  Waits waits;
  Time moved_left; // what it may yet lose to having been moved
  double moved_per_ns;
};
inline constexpr uint32_t kNoGroup = ~uint32_t{0};

struct Group {
  uint32_t parent;
  uint32_t pending;
  int owner; // worker
};

struct TaskState {
  uint32_t children = 0; // unfinished
  uint32_t group = kNoGroup;
  uint16_t maker = 0;  // worker
  uint16_t runner = 0; // worker; kFinished
};
inline constexpr uint16_t kFinished = 0xffff;

struct Implicit {
  TaskId task;
  uint32_t next;
  bool ended;
};

struct Worker {
  int number = 0, domain = 0;
  std::vector<Frame> stack;
  TaskQueue deque; // private
  Time touched = 0;
  bool looks = false; // what it does next: look for work, or the operation of the task on top
  bool idle = false, hungry = false, notified = false, woken = false;
  Time idle_since = 0, looked = -1;
  Time retry_at = kNever; // its domain's thief has just found nothing; until then no worker tries again
  int asked_by = -1;      // kAsk: the worker that waits for an answer of this one
  unsigned answered = 0;  // with how many tasks so far
  unsigned next_victim = 0, next_place = 0;
  std::vector<Implicit> implicit; // tasks that this member has in the region
  size_t current_implicit = 0;
};

/// A queue of the scheduler.
struct SharedQueue {
  TaskQueue tasks;
  Time free_at = 0; // its lock
  // What a thief brings is on its way, and its own domain, which looks all the time, sees it first.
  Time arriving_until = 0;
};

/// Workers that are idle, by number.
class IdleSet {
public:
  explicit IdleSet(int size) : bits_(static_cast<size_t>(size + 63) / 64) {}
  void add(int worker) { bits_[static_cast<size_t>(worker) / 64] |= bit(worker), ++count_; }
  void remove(int worker) { bits_[static_cast<size_t>(worker) / 64] &= ~bit(worker), --count_; }
  int count() const { return count_; }
  /// The first in [from, to), or -1.
  int first(int from, int to) const {
    while (from < to) {
      uint64_t word = bits_[static_cast<size_t>(from) / 64] >> (from % 64);
      if (word != 0) {
        int found = from + __builtin_ctzll(word);
        return found < to ? found : -1;
      }
      from = (from / 64 + 1) * 64;
    }
    return -1;
  }

private:
  static uint64_t bit(int worker) { return uint64_t{1} << (worker % 64); }
  std::vector<uint64_t> bits_;
  int count_ = 0;
};

/// Costs in units of Time.
struct Prices {
  explicit Prices(const Costs& costs);
  Time task_serial, task, depend, group, publish, publish_task, acquire, steal, steal_task, probe, finish_elsewhere,
      lock, place, notice, notice_far, wake, wake_call, revoke, fork, barrier, moved, moved_far, moved_most, spin;
  double moved_per_ns, moved_far_per_ns;
};

class Team {
public:
  Team(const Graph& graph, const Machine& machine, const Policy& policy);

protected:
  // ---- team.cpp: where tasks wait ----
  /// After a push or a pop: gives the oldest private tasks away if a worker is hungry. Returns what it cost.
  Time publish_if_hungry(Worker& worker);
  /// A task from anywhere but the top of the private deque; kNoTask if there is none. Adds to `cost`.
  TaskId find_work(Worker& worker, Time& cost);
  /// A task that may run is put where the policy wants it. False: the worker is to run it at once.
  bool queue_task(Worker& worker, TaskId task, bool must_wait, Time& cost);
  void become_idle(Worker& worker);
  void clear_hungry(Worker& worker);
  /// An idle worker is to look around again.
  void notify(Worker& worker, Time delay, Time& callers_cost);
  /// Revokes tasks of long-running workers that no other worker could take.
  void revoke_stuck();
  bool anything_published() const { return published_now_ != 0; }
  /// It was notified of work, and found none that it may do: another worker may.
  void pass_on(Worker& worker, bool found);

  Time jitter(Time most) { return most <= 0 ? 0 : static_cast<Time>(random_() % static_cast<uint64_t>(most)); }
  bool parked(const Worker& worker) const { return worker.idle && now_ - worker.idle_since >= price_.spin; }
  bool serial() const { return machine_.size() == 1; }
  Worker& worker(int number) { return workers_[static_cast<size_t>(number)]; }

  const Graph& graph_;
  const Machine& machine_;
  const Policy& policy_;
  const Prices price_;
  std::vector<Worker> workers_;
  std::vector<TaskState> state_;
  std::vector<Group> groups_;
  Clock clock_;
  Time now_ = 0;
  Time revoke_at_ = kNever;
  Result result_;

private:
  bool may_run(const Worker& worker, TaskId task) const;
  bool in_group(TaskId task, uint32_t group) const;
  void lock(SharedQueue& queue, Time& cost);
  size_t queue_of(const Worker& worker) const;
  unsigned wanted(const Worker& worker) const;
  unsigned hunger(const Worker& worker) const;
  bool steals_for_domain() const { return policy_.steal == Steal::kForHungry || policy_.steal == Steal::kHalfOfVictim; }
  void ask_others(int domain, bool ask);
  void push_published(size_t queue, TaskId task);
  TaskId take_own(Worker& worker, Time& cost);
  TaskId steal_one(Worker& worker, Time& cost);
  TaskId steal_for_domain(Worker& worker, Time& cost);
  TaskId take_stray(Worker& worker, Time& cost);
  bool place(Worker& worker, TaskId task, bool must_wait, Time& cost);
  void ask_somebody(Worker& thief);
  void answer(Worker& worker, Time& cost);
  void announce(const Worker& from, int domain, unsigned tasks, bool others_too, Time& cost);
  unsigned notify_idle(int first, int end, unsigned most, Time delay, Time& cost);

  std::vector<SharedQueue> queues_;
  SharedQueue strays_;     // what their queue's owner may not run
  SharedQueue priorities_; // unordered; the highest is looked for
  uint64_t published_now_ = 0;
  Time published_at_ = -1;
  IdleSet idle_;
  unsigned hungry_ = 0;
  std::vector<unsigned> hungry_in_;        // by domain
  std::vector<Time> paused_until_, pause_; // of the domains' thieves
  std::vector<bool> asking_;
  unsigned asking_count_ = 0;
  std::vector<uint32_t> depth_; // for kOneDeeper
  std::mt19937_64 random_;
};

} // namespace chomp::simulate
