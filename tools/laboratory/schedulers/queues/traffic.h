// Threads that put tasks into a target (a scheduler or a queue) and take them out, and what that costs. Every task is
// checked to come out exactly once for each time it was put.
//
// Tasks are recycled, as in a runtime: a thread that produces keeps what it takes and puts it again. The others, and
// those that are done with producing, send what they take to those that still produce, many at a time. So a producer
// always finds a task: while others produce, each has at most its share and those in the queues.
//
// A target is any class with
//   bool put(int thread, QueueHook* task)   false: no room
//   QueueHook* take(int thread)             null: none seen
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/os_linux.h"
#include "schedulers/scheduler.h"
#include "tools/laboratory/schedulers/queues/cycles.h"
#include "tools/laboratory/schedulers/queues/histogram.h"

namespace queues {

using chomp::kCacheLine;
using chomp::QueueHook;

inline constexpr int kTasksPerProducer = 48; // fewer than a bounded queue of schedulers/ holds
inline constexpr int kSentBackAtOnce = 8;

enum class Producers { kAll, kOne };

/// What goes through the queues. The hook comes first, as in the runtime's task header.
struct alignas(kCacheLine) Task {
  QueueHook hook{};
  Task* next_free = nullptr;
  uint64_t ticket = 0;  // of the put that is under way
  bool waiting = false; // written by the putter before, and by the taker after; the queue orders them
};

/// A thread's own tasks and what it found out.
struct alignas(kCacheLine) Actor {
  Task* free = nullptr;
  Task* to_send = nullptr;
  int sending = 0;
  bool producing = false;
  uint64_t puts = 0, refused = 0, empty_takes = 0;
  uint64_t tickets_put = 0, tickets_taken = 0; // sums
  Histogram put_cycles, take_cycles;
  alignas(kCacheLine) std::atomic<uint64_t> takes{0}; // others read both to see the end
  std::atomic<uint64_t> done_producing{0};            // puts + 1, when there will be no more
};

struct Outcome {
  bool right = false;
  double ns_per_task = 0;
  uint64_t tasks = 0, refused = 0, empty_takes = 0;
  Histogram put_cycles, take_cycles;
};

template <class Target> class Traffic {
public:
  /// `tasks_per_producer` puts by each thread that produces.
  Traffic(Target& target, int threads, Producers producers, uint64_t tasks_per_producer, bool timed)
      : target_(target), threads_(threads), producers_(producers), wanted_(tasks_per_producer), timed_(timed),
        actors_(static_cast<size_t>(threads)), tasks_(static_cast<size_t>(threads) * kTasksPerProducer) {
    for (size_t i = 0; i < tasks_.size(); ++i) give_back(actors_[produces(owner(i)) ? owner(i) : 0], &tasks_[i]);
  }

  Outcome run() {
    std::vector<pthread_t> handles(static_cast<size_t>(threads_));
    std::vector<Start> starts;
    for (int thread = 0; thread < threads_; ++thread) starts.push_back({this, thread});
    for (int thread = 1; thread < threads_; ++thread)
      if (pthread_create(&handles[static_cast<size_t>(thread)], nullptr, enter, &starts[static_cast<size_t>(thread)]) !=
          0)
        return {};
    work(0);
    for (int thread = 1; thread < threads_; ++thread) pthread_join(handles[static_cast<size_t>(thread)], nullptr);
    return outcome();
  }

private:
  struct Start {
    Traffic* traffic;
    int thread;
  };

  static void* enter(void* start) {
    auto* mine = static_cast<Start*>(start);
    mine->traffic->work(mine->thread);
    return nullptr;
  }

  static int owner(size_t task) { return static_cast<int>(task / kTasksPerProducer); }
  bool produces(int thread) const { return producers_ == Producers::kAll || thread == 0; }
  static uint64_t now_ns() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
  }

  static void give_back(Actor& actor, Task* task) {
    task->next_free = actor.free;
    actor.free = task;
  }

  /// All threads begin together.
  void meet() {
    // acq_rel and acquire: pair with one another; what each thread set up is seen by all.
    arrived_.fetch_add(1, std::memory_order_acq_rel);
    while (arrived_.load(std::memory_order_acquire) < threads_) sched_yield();
  }

  void work(int thread) {
    pin_to_cpu(thread);
    Actor& actor = actors_[static_cast<size_t>(thread)];
    meet();
    if (thread == 0) start_ns_ = now_ns();
    if (produces(thread)) produce(thread, actor);
    // release: pairs with acquire in all_taken(); what was put is counted.
    actor.done_producing.store(actor.puts + 1, std::memory_order_release);
    if (actor.free != nullptr) hand_over(actor.free);
    for (int failures = 0; !all_taken() && !gone_wrong();) failures = take(thread, actor) ? 0 : rest(failures);
    if (thread == 0) end_ns_ = now_ns();
  }

  void produce(int thread, Actor& actor) {
    actor.producing = true;
    for (int failures = 0; actor.puts < wanted_ && !gone_wrong();) {
      Task* task = free_task(actor);
      bool accepted = task != nullptr && put(thread, actor, task);
      failures = accepted ? 0 : rest(failures);
      // Where all produce, each takes as often as it puts; a single producer leaves that to the others while it can.
      if (producers_ == Producers::kAll || !accepted) take(thread, actor);
    }
    actor.producing = false;
  }

  Task* free_task(Actor& actor) {
    // acquire: pairs with release in hand_over(); the tasks' fields are seen. relaxed: a look before the exchange.
    if (actor.free == nullptr && sent_back_.load(std::memory_order_relaxed) != nullptr)
      actor.free = sent_back_.exchange(nullptr, std::memory_order_acquire);
    Task* task = actor.free;
    if (task != nullptr) actor.free = task->next_free;
    return task;
  }

  bool put(int thread, Actor& actor, Task* task) {
    task->ticket = (static_cast<uint64_t>(thread) << 48) + actor.puts;
    task->waiting = true;
    uint64_t ticket = task->ticket; // once it is put, another thread may have it
    uint64_t begin = timed_ ? cycles() : 0;
    bool accepted = target_.put(thread, &task->hook);
    if (timed_ && accepted) actor.put_cycles.add(cycles() - begin);
    if (accepted) {
      ++actor.puts;
      actor.tickets_put += ticket;
      return true;
    }
    ++actor.refused; // a runtime would run it at once
    task->waiting = false;
    give_back(actor, task);
    return false;
  }

  bool take(int thread, Actor& actor) {
    uint64_t begin = timed_ ? cycles() : 0;
    auto* task = reinterpret_cast<Task*>(target_.take(thread));
    if (task == nullptr) {
      ++actor.empty_takes;
      return false;
    }
    if (timed_) actor.take_cycles.add(cycles() - begin);
    if (!task->waiting) {
      wrong_.store(true, std::memory_order_relaxed); // relaxed: all stop sooner or later
      return false;                                  // it is in another thread's list already
    }
    task->waiting = false;
    actor.tickets_taken += task->ticket;
    if (actor.producing)
      give_back(actor, task);
    else
      send_back(actor, task);
    // release: pairs with acquire in all_taken(). Single writer.
    actor.takes.store(actor.takes.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return true;
  }

  void send_back(Actor& actor, Task* task) {
    task->next_free = actor.to_send;
    actor.to_send = task;
    if (++actor.sending < kSentBackAtOnce) return;
    hand_over(actor.to_send);
    actor.sending = 0;
  }

  /// The whole list goes to a thread that produces and has none left.
  void hand_over(Task*& list) {
    Task* last = list;
    while (last->next_free != nullptr) last = last->next_free;
    last->next_free = sent_back_.load(std::memory_order_relaxed); // relaxed: checked by the exchange
    // release: pairs with acquire in free_task(); relaxed on failure: only the link is set again. The reader takes all
    // at once, so a task that comes back meanwhile does no harm.
    while (!sent_back_.compare_exchange_weak(last->next_free, list, std::memory_order_release,
                                             std::memory_order_relaxed)) {
    }
    list = nullptr;
  }

  /// A task came out twice: there is no use in going on.
  bool gone_wrong() const { return wrong_.load(std::memory_order_relaxed); } // relaxed: seen sooner or later

  bool all_taken() const {
    uint64_t put = 0, taken = 0;
    for (const Actor& actor : actors_) {
      uint64_t produced = actor.done_producing.load(std::memory_order_acquire); // acquire: pairs with release in work()
      if (produced == 0) return false;
      put += produced - 1;
    }
    // acquire: pairs with release in take().
    for (const Actor& actor : actors_) taken += actor.takes.load(std::memory_order_acquire);
    return taken >= put;
  }

  /// Called while the thread finds no task: lets others work after a while.
  static int rest(int failures) {
    if (failures >= 64)
      sched_yield();
    else
      chomp::cpu_pause();
    return failures + 1;
  }

  Outcome outcome() {
    Outcome result;
    uint64_t takes = 0, tickets = 0;
    result.right = !gone_wrong();
    for (Actor& actor : actors_) {
      result.tasks += actor.puts;
      result.refused += actor.refused;
      result.empty_takes += actor.empty_takes;
      takes += actor.takes.load(std::memory_order_relaxed); // relaxed: the threads have ended
      tickets += actor.tickets_put - actor.tickets_taken;
      result.put_cycles.merge(actor.put_cycles);
      result.take_cycles.merge(actor.take_cycles);
    }
    for (const Task& task : tasks_) result.right = result.right && !task.waiting;
    result.right = result.right && takes == result.tasks && tickets == 0 && target_.take(0) == nullptr;
    result.ns_per_task = static_cast<double>(end_ns_ - start_ns_) / static_cast<double>(result.tasks);
    return result;
  }

  Target& target_;
  const int threads_;
  const Producers producers_;
  const uint64_t wanted_;
  const bool timed_;
  std::vector<Actor> actors_;
  std::vector<Task> tasks_;
  alignas(kCacheLine) std::atomic<Task*> sent_back_{nullptr};
  alignas(kCacheLine) std::atomic<int> arrived_{0};
  std::atomic<bool> wrong_{false};
  uint64_t start_ns_ = 0, end_ns_ = 0;
};

} // namespace queues
