// XQueue: a matrix of bounded rings, one for each pair of a producer and an owner. So every ring has one producer and
// one consumer, and no member executes a locked instruction. An owner looks first at the ring from itself, then goes
// round the others.
#pragma once

#include "schedulers/dealt_tasks.h"
#include "schedulers/queues/owner_gate.h"
#include "schedulers/queues/spsc_ring.h"

namespace chomp {

class RingMatrix {
public:
  static constexpr bool kRedirects = true;

  void init(int members, StateMemory memory) {
    members_ = members;
    owners_ = make_array<Owner>(memory, members);
    auto rings = static_cast<size_t>(members) * static_cast<size_t>(members);
    rings_ = static_cast<Ring*>(memory(rings * sizeof(Ring))); // zeroed, and touched only when used
  }

  bool push(int producer, int owner, QueueHook* task) {
    if (ring(producer, owner).full()) return false;
    owners_[producer].pushed.add(); // before it is there, so that has_tasks() never falls short
    ring(producer, owner).push(task);
    return true;
  }

  QueueHook* pop(int owner, const Eligible& eligible, TaskBatch* refused) {
    Owner& own = owners_[owner];
    if (!own.gate.enter_owner_only()) return nullptr;
    QueueHook* task = pop_inside(owner, owner, eligible, refused);
    for (int step = 0; task == nullptr && step < members_; ++step) {
      task = pop_inside(own.next_producer, owner, eligible, refused);
      if (task == nullptr && ++own.next_producer >= members_) own.next_producer = 0;
    }
    own.gate.leave_owner_only();
    return task;
  }

  TaskBatch take_all(int owner) {
    TaskBatch batch;
    if (!owners_[owner].gate.try_enter()) return batch;
    for (int producer = 0; producer < members_; ++producer)
      while (QueueHook* task = take(producer, owner)) append_task(&batch, task);
    owners_[owner].gate.leave();
    return batch;
  }

  /// Called by the owner: gives up to `most` of its tasks to another member. Returns how many.
  unsigned give(int owner, int to, unsigned most) {
    unsigned given = 0;
    if (!owners_[owner].gate.enter_owner_only()) return given;
    for (int producer = 0; producer < members_; ++producer)
      while (given < most && !ring(owner, to).full()) {
        QueueHook* task = take(producer, owner);
        if (task == nullptr) break;
        push(owner, to, task);
        ++given;
      }
    owners_[owner].gate.leave_owner_only();
    return given;
  }

  bool has_tasks(int owner) const {
    for (int producer = 0; producer < members_; ++producer)
      if (!ring(producer, owner).empty()) return true;
    return false;
  }
  /// Reads all `popped` before any `pushed`: a task that is counted as popped was counted as pushed before.
  bool has_tasks() const {
    uint64_t popped = 0, pushed = 0;
    for (int member = 0; member < members_; ++member) popped += owners_[member].popped.value();
    for (int member = 0; member < members_; ++member) pushed += owners_[member].pushed.value();
    return pushed != popped;
  }

private:
  static constexpr uint32_t kSlots = policy::kMostDealt;
  using Ring = SpscRing<kSlots>;

  struct Owner {
    alignas(kCacheLine) Counter pushed; // by this member, to any owner
    alignas(kCacheLine) OwnerGate gate; // the thread inside is the consumer of all rings to this member
    Counter popped;                     // from those rings
    int next_producer = 0;              // the producer of the ring that the owner looks at first
  };

  Ring& ring(int producer, int owner) const { return rings_[owner * members_ + producer]; }

  // Called inside the gate.
  QueueHook* take(int producer, int owner) {
    QueueHook* task = ring(producer, owner).pop();
    if (task != nullptr) owners_[owner].popped.add();
    return task;
  }
  QueueHook* pop_inside(int producer, int owner, const Eligible& eligible, TaskBatch* refused) {
    QueueHook* task;
    while ((task = take(producer, owner)) != nullptr && !eligible.may_run(eligible.context, task))
      append_task(refused, task);
    return task;
  }

  alignas(kCacheLine) int members_ = 1;
  Owner* owners_ = nullptr; // [members_]
  Ring* rings_ = nullptr;   // [members_ * members_]; the rings to one owner lie together
};

} // namespace chomp
