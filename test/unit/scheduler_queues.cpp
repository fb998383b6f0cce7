// The queues of schedulers/queues/: what goes in comes out once and in order, a full ring refuses, an owner's gate lets
// one in at a time. With threads, and once more under ThreadSanitizer.
// RUN: %clangxx -std=c++20 -O2 -I%root %s %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t && %t
// RUN: %clangxx -std=c++20 -O1 -g -fsanitize=thread -I%root %s %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t.tsan && %t.tsan
#include <thread>
#include <vector>

#include "schedulers/queues/locked_lifo.h"
#include "schedulers/queues/nemesis_queue.h"
#include "schedulers/queues/owner_gate.h"
#include "schedulers/queues/spsc_ring.h"
#include "test/unit/check_that.h"

using namespace chomp;

namespace {

struct Item : QueueHook {
  int producer = 0;
  int number = 0; // plain: what the producer wrote is there for the consumer
};

Item* item(QueueHook* hook) { return static_cast<Item*>(hook); }

void ring_alone() {
  SpscRing<4> ring;
  Item items[9];
  THAT(ring.empty() && !ring.full() && ring.pop() == nullptr);
  for (int round = 0; round < 5; ++round) { // wraps
    for (int i = 0; i < 4; ++i) THAT(ring.push(&items[i]));
    THAT(ring.full() && !ring.push(&items[4]) && !ring.empty());
    THAT(ring.pop() == &items[0] && !ring.full());
    THAT(ring.push(&items[5]) && !ring.push(&items[6]));
    for (int i = 1; i < 4; ++i) THAT(ring.pop() == &items[i]);
    THAT(ring.pop() == &items[5] && ring.pop() == nullptr && ring.empty());
  }
}

void ring_with_threads() {
  constexpr int kItems = 20000;
  SpscRing<8> ring;
  std::vector<Item> items(kItems);
  std::thread producer([&] {
    for (int i = 0; i < kItems; ++i) {
      items[i].number = i;
      while (!ring.push(&items[i])) std::this_thread::yield();
    }
  });
  for (int i = 0; i < kItems; ++i) {
    QueueHook* got;
    while ((got = ring.pop()) == nullptr) std::this_thread::yield();
    THAT(item(got)->number == i);
  }
  producer.join();
  THAT(ring.pop() == nullptr);
}

void nemesis_alone() {
  NemesisQueue queue;
  Item items[3];
  THAT(queue.pop() == nullptr);
  for (int round = 0; round < 3; ++round) {
    queue.push(&items[0]);
    THAT(queue.pop() == &items[0] && queue.pop() == nullptr); // the last one, which takes tail too
    for (Item& each : items) queue.push(&each);
    THAT(queue.pop() == &items[0]);
    queue.push(&items[0]); // again, behind the others
    THAT(queue.pop() == &items[1] && queue.pop() == &items[2] && queue.pop() == &items[0]);
    THAT(queue.pop() == nullptr);
  }
}

void nemesis_with_threads() {
  constexpr int kProducers = 3, kEach = 10000;
  NemesisQueue queue;
  std::vector<Item> items(kProducers * kEach);
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p)
    producers.emplace_back([&, p] {
      for (int i = 0; i < kEach; ++i) {
        Item& each = items[p * kEach + i];
        each.producer = p;
        each.number = i;
        queue.push(&each);
        if (i % 8 == 0) std::this_thread::yield(); // so that the queue runs empty often
      }
    });
  int next[kProducers] = {};
  for (int got = 0; got < kProducers * kEach;) {
    QueueHook* hook = queue.pop();
    if (hook == nullptr) {
      std::this_thread::yield();
      continue;
    }
    THAT(item(hook)->number == next[item(hook)->producer]++); // the order of each producer
    ++got;
  }
  for (std::thread& each : producers) each.join();
  THAT(queue.pop() == nullptr);
}

void gate_lets_one_in(bool membarrier) {
  membarrier_register(membarrier);
  OwnerGate gate;
  long guarded = 0; // plain: ThreadSanitizer sees two threads that are inside together
  long owner_in = 0, other_in = 0;
  std::thread other([&] {
    for (int i = 0; i < 3000; ++i)
      if (gate.try_enter()) {
        ++guarded;
        ++other_in;
        gate.leave();
      } else {
        std::this_thread::yield();
      }
  });
  // The other thread may lose its CPU inside for as long as all these tries take.
  for (int i = 0; i < 300000 || owner_in == 0; ++i)
    if (gate.enter_owner_only()) {
      ++guarded;
      ++owner_in;
      gate.leave_owner_only();
    }
  other.join();
  THAT(guarded == owner_in + other_in);
  THAT(owner_in > 0);
  THAT(gate.enter_owner_only() && !gate.try_enter());
  gate.leave_owner_only();
  THAT(gate.try_enter() && !gate.try_enter() && !gate.enter_owner_only());
  gate.leave();
  THAT(gate.enter_owner_only());
}

bool odd_only(void*, QueueHook* task) { return item(task)->number % 2 == 1; }

void list_passes_over_who_may_not_run() {
  LockedLifo list;
  Item items[6];
  for (int i = 0; i < 6; ++i) {
    items[i].number = i;
    items[i].next = items[i].prev = nullptr;
    list.push(TaskBatch{&items[i], &items[i], 1});
  }
  Eligible eligible{odd_only, nullptr, nullptr, 0};
  THAT(list.pop(eligible) == &items[5] && list.steal_one(eligible) == &items[1]);
  TaskBatch half = list.steal(100, eligible); // of 0 2 3 4
  THAT(half.count == 2 && half.oldest == &items[0] && half.newest == &items[2] && items[2].next == nullptr);
  TaskBatch rest = list.take_all();
  THAT(rest.count == 2 && rest.oldest == &items[3] && rest.newest == &items[4] && list.size() == 0);
  list.push(half);
  list.push(rest);
  THAT(list.size() == 4 && list.pop(eligible) == &items[3] && list.pop(eligible) == nullptr);
}

int asked;
bool nothing_may_run(void*, QueueHook*) {
  ++asked;
  return false;
}

// A look in vain is not repeated for the same tasks while the wait lasts; what was pushed since is asked about.
void list_asks_once_about_each_task() {
  for (QueueHook* (LockedLifo::*take)(const Eligible&) : {&LockedLifo::pop, &LockedLifo::steal_one}) {
    LockedLifo list, other;
    Item items[6];
    for (Item& each : items) each.next = each.prev = nullptr;
    RefusedLists refused;
    refused.wait = 1;
    Eligible never{nothing_may_run, nullptr, nullptr, 0, &refused};
    Eligible odd{odd_only, nullptr, nullptr, 0, &refused};
    asked = 0;
    for (int i = 0; i < 3; ++i) list.push(TaskBatch{&items[i], &items[i], 1});
    for (int look = 0; look < 5; ++look) THAT((list.*take)(never) == nullptr);
    THAT(asked == 3);
    list.push(TaskBatch{&items[3], &items[3], 1});
    items[3].number = 3;
    THAT((list.*take)(never) == nullptr && asked == 4);
    list.push(TaskBatch{&items[4], &items[4], 1});
    items[4].number = 5;
    THAT((list.*take)(odd) == &items[4]); // the new one; not the other, which was refused
    THAT((list.*take)(odd) == &items[3]); // asked again after a success: that is allowed, and harmless
    refused.wait = 2;                     // another wait may answer otherwise
    THAT((list.*take)(never) == nullptr && asked == 7);
    other.push(TaskBatch{&items[5], &items[5], 1});
    THAT((other.*take)(never) == nullptr && asked == 8);
    Eligible first_look{nothing_may_run, nullptr, nullptr, 0};
    THAT((list.*take)(first_look) == nullptr && asked == 11);
    THAT(list.size() == 3);
  }
}

} // namespace

int main() {
  ring_alone();
  ring_with_threads();
  nemesis_alone();
  nemesis_with_threads();
  gate_lets_one_in(true);
  gate_lets_one_in(false);
  list_passes_over_who_may_not_run();
  list_asks_once_about_each_task();
  return result();
}
