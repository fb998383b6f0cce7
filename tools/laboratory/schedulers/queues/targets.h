// What traffic goes through: a scheduler of the registry, by its table of operations, or one of schedulers/queues
// alone.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "schedulers/queues/locked_lifo.h"
#include "schedulers/queues/nemesis_queue.h"
#include "schedulers/queues/spsc_ring.h"
#include "schedulers/scheduler.h"

namespace queues {

using chomp::QueueHook;

inline chomp::TaskBatch batch_of(QueueHook* task) {
  task->next = task->prev = nullptr;
  return {task, task, 1};
}

/// Every task may run anywhere.
inline chomp::Eligible anything() {
  return {[](void*, QueueHook*) { return true; }, [](const QueueHook*) { return uint32_t{1}; }, nullptr, 0};
}

/// A team of one domain whose members hand everything to the scheduler: dealt when it is made, or published one by
/// one.
class SchedulerTarget {
public:
  SchedulerTarget(const chomp::Scheduler& scheduler, int threads)
      : scheduler_(scheduler), threads_(threads), domain_size_(static_cast<uint16_t>(threads)),
        domain_of_member_(static_cast<size_t>(threads)), counts_(static_cast<size_t>(threads)) {
    chomp::TeamShape shape{threads, 1, domain_of_member_.data(), &domain_size_, &physical_domain_};
    state_ = scheduler.make(shape, {}, [](size_t bytes) -> void* {
      size_t lines = (bytes + chomp::kCacheLine - 1) / chomp::kCacheLine;
      return memset(aligned_alloc(chomp::kCacheLine, lines * chomp::kCacheLine), 0, lines * chomp::kCacheLine);
    });
  }

  bool put(int thread, QueueHook* task) {
    task->next = task->prev = nullptr;
    if (scheduler_.deal != nullptr)
      return scheduler_.deal(state_, thread, threads_, task, counts_[static_cast<size_t>(thread)].counts) >= 0;
    scheduler_.publish(state_, thread, batch_of(task));
    return true;
  }

  QueueHook* take(int thread) {
    return scheduler_.acquire(state_, thread, anything(), counts_[static_cast<size_t>(thread)].counts).task;
  }

private:
  struct alignas(chomp::kCacheLine) MemberCounts {
    chomp::SchedulerCounts counts;
  };

  const chomp::Scheduler& scheduler_;
  const int threads_;
  const uint16_t domain_size_, physical_domain_ = 0;
  std::vector<uint16_t> domain_of_member_;
  std::vector<MemberCounts> counts_;
  chomp::SchedulerState* state_;
};

/// One LockedLifo for all: taken at the newest end, or at the oldest.
template <bool kNewest> class SharedListTarget {
public:
  explicit SharedListTarget(int) {}
  bool put(int, QueueHook* task) {
    tasks_.push(batch_of(task));
    return true;
  }
  QueueHook* take(int) { return kNewest ? tasks_.pop(anything()) : tasks_.steal_one(anything()); }

private:
  chomp::LockedLifo tasks_;
};

/// A NEMESIS queue per thread; producers go round.
class NemesisTarget {
public:
  explicit NemesisTarget(int threads) : per_thread_(static_cast<size_t>(threads)) {}
  bool put(int thread, QueueHook* task) {
    per_thread_[per_thread_[static_cast<size_t>(thread)].next++ % per_thread_.size()].tasks.push(task);
    return true;
  }
  QueueHook* take(int thread) { return per_thread_[static_cast<size_t>(thread)].tasks.pop(); }

private:
  struct PerThread {
    chomp::NemesisQueue tasks;
    alignas(chomp::kCacheLine) size_t next = 0; // producer's own
  };
  std::vector<PerThread> per_thread_;
};

/// A ring per pair of threads; producers go round and skip full ones, consumers go round those that lead to them.
class RingMatrixTarget {
public:
  explicit RingMatrixTarget(int threads)
      : threads_(static_cast<size_t>(threads)), per_thread_(threads_),
        rings_(std::make_unique<Ring[]>(threads_ * threads_)) {}

  bool put(int thread, QueueHook* task) {
    PerThread& own = per_thread_[static_cast<size_t>(thread)];
    for (size_t step = 0; step < threads_; ++step)
      if (rings_[static_cast<size_t>(thread) * threads_ + own.next_consumer++ % threads_].push(task)) return true;
    return false;
  }

  QueueHook* take(int thread) {
    PerThread& own = per_thread_[static_cast<size_t>(thread)];
    for (size_t step = 0; step < threads_; ++step, ++own.next_producer)
      if (QueueHook* task = rings_[own.next_producer % threads_ * threads_ + static_cast<size_t>(thread)].pop())
        return task;
    return nullptr;
  }

private:
  using Ring = chomp::SpscRing<64>;
  struct alignas(chomp::kCacheLine) PerThread {
    size_t next_consumer = 0, next_producer = 0;
  };
  const size_t threads_;
  std::vector<PerThread> per_thread_;
  std::unique_ptr<Ring[]> rings_;
};

} // namespace queues
