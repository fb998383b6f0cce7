// The NEMESIS queue (Buntinas, Mercier, Gropp: Design and evaluation of Nemesis, CCGrid 2006): many producers, one
// consumer, FIFO, linked through the tasks themselves. A producer's enqueue is one exchange and one store; a consumer's
// dequeue is a load and a store, and a compare-and-swap for the last task.
//
//   head == null  <=>  empty, or the first producer has yet to store it
//   the links from head lead to tail, but where a producer has exchanged and not yet linked
//
// Model: test/model/nemesis.pml.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "schedulers/scheduler.h"

namespace chomp {

class NemesisQueue {
public:
  /// Any thread may call it.
  void push(QueueHook* task) {
    link(task).store(nullptr, std::memory_order_relaxed); // relaxed: the exchange releases it
    // acq_rel: pairs with itself in the next producer, and with the compare_exchange in pop(): a thread that links to
    // a task, or takes the last one, has seen its link empty.
    QueueHook* before = tail_.exchange(task, std::memory_order_acq_rel);
    if (before == nullptr)
      head_.store(task, std::memory_order_release); // release: pairs with acquire in pop(); what the task holds
    else
      link(before).store(task, std::memory_order_release); // release: the same
  }

  /// Takes the oldest task. One thread at a time may call it. Null: there is none, or the producer of the oldest task
  /// or of the next one is between its two steps.
  QueueHook* pop() {
    QueueHook* task = head_.load(std::memory_order_acquire); // acquire: pairs with release in push()
    if (task == nullptr) return nullptr;
    QueueHook* next = link(task).load(std::memory_order_acquire); // acquire: pairs with release in push()
    if (next == nullptr) {
      // Perhaps the last task. Head is emptied before tail: a producer that then finds the queue empty stores head
      // itself.
      head_.store(nullptr, std::memory_order_relaxed); // relaxed: released by the next line
      QueueHook* last = task;
      // acq_rel: pairs with the exchange in push(). relaxed: the link says more.
      if (tail_.compare_exchange_strong(last, nullptr, std::memory_order_acq_rel, std::memory_order_relaxed))
        return task;
      next = link(task).load(std::memory_order_acquire); // acquire: pairs with release in push()
      if (next == nullptr) { // a producer has exchanged and not yet linked; no other thread writes head meanwhile
        head_.store(task, std::memory_order_relaxed); // relaxed: the consumer's own
        return nullptr;
      }
    }
    head_.store(next, std::memory_order_relaxed); // relaxed: the consumer's own
    return task;
  }

private:
  static atomic_ref<QueueHook*> link(QueueHook* task) { return atomic_ref<QueueHook*>(task->next); }

  alignas(kCacheLine) atomic<QueueHook*> tail_{nullptr}; // written by producers
  alignas(kCacheLine) atomic<QueueHook*> head_{nullptr}; // by the consumer; by a producer if the queue is empty
};

} // namespace chomp
