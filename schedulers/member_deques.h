// A deque for each member, for the schedulers that steal from one core to another: steal.cpp, depth.cpp. The member
// publishes and takes at the newest end; others take the oldest task, one at a time. The request word is one word for
// the team.
//
// A thief asks the other members in the order of their numbers, each once, until it gets a task. `Victims` says with
// whom it begins. Each member has its own, which no other touches:
//   void init(int thief)                        the numbers of members begin with 0
//   uint32_t first(int members)                 the number of any member, its own too (the thief leaves itself out)
//   void has_stolen(int victim)                 the round has ended with a task of that member's
//   void has_found_nothing()                    the round has ended without one
#pragma once

#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"
#include "schedulers/scheduler.h"

namespace chomp {

/// Begins with the last victim, which may have more tasks. Each round in vain makes the next begin one further.
class VictimsInTurn {
public:
  void init(int thief) { next_ = static_cast<uint32_t>(thief) + 1; }
  uint32_t first(int members) const { return next_ % static_cast<uint32_t>(members); }
  void has_stolen(int victim) { next_ = static_cast<uint32_t>(victim); }
  void has_found_nothing() { ++next_; }

private:
  uint32_t next_ = 0;
};

template <class Victims> class MemberDeques : public SchedulerState {
public:
  static SchedulerState* make(const TeamShape& shape, const SchedulerSettings&, StateMemory memory) {
    auto* deques = make_array<MemberDeques>(memory, 1);
    deques->first_request_word = deques->requests_.word();
    deques->members_ = shape.size;
    deques->per_member_ = make_array<PerMember>(memory, shape.size);
    for (int member = 0; member < shape.size; ++member) deques->of_member(member).victims.init(member);
    return deques;
  }

  static bool publish(SchedulerState* state, int member, TaskBatch batch) {
    of(state).of_member(member).tasks.push(batch);
    return true;
  }

  static Acquired acquire(SchedulerState* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
    if (QueueHook* task = of(state).of_member(member).tasks.pop(eligible)) {
      counts.acquired_local.add();
      return {.task = task};
    }
    return {.task = of(state).steal(member, eligible, counts)};
  }

  static bool set_request(SchedulerState* state, int, StealRequest requests) {
    of(state).requests_.set(requests);
    return false;
  }

  /// Each member keeps a few tasks on offer, where thieves find them.
  static unsigned wanted(SchedulerState* state, int member) {
    return of(state).of_member(member).tasks.size() == 0 ? policy::kPerRequest : 0;
  }

  static bool has_tasks(SchedulerState* state) {
    for (int member = 0; member < of(state).members_; ++member)
      if (of(state).of_member(member).tasks.size() > 0) return true;
    return false;
  }

private:
  struct PerMember {
    LockedLifo tasks;
    Victims victims; // the member's own, as a thief
  };

  static MemberDeques& of(SchedulerState* state) { return *static_cast<MemberDeques*>(state); }
  PerMember& of_member(int member) { return per_member_[member]; }

  QueueHook* steal(int thief, const Eligible& eligible, SchedulerCounts& counts) {
    Victims& victims = of_member(thief).victims;
    int victim = static_cast<int>(victims.first(members_));
    for (int left = members_; left > 0; --left, victim = victim + 1 < members_ ? victim + 1 : 0) {
      LockedLifo& tasks = of_member(victim).tasks;
      if (victim == thief || tasks.size() == 0) continue;
      if (QueueHook* task = tasks.steal_one(eligible)) {
        victims.has_stolen(victim);
        counts.stolen_operations.add();
        counts.stolen_tasks.add();
        return task;
      }
      counts.failed_steals.add();
    }
    victims.has_found_nothing();
    return nullptr;
  }

  RequestsOfTeam requests_;
  int members_ = 1;
  PerMember* per_member_ = nullptr; // [members_]
};

/// The table of a scheduler that only chooses the order of victims.
template <class Victims> constexpr Scheduler member_deques_scheduler() {
  using Deques = MemberDeques<Victims>;
  return {
      .make = Deques::make,
      .publish = Deques::publish,
      .acquire = Deques::acquire,
      .set_request = Deques::set_request,
      .wanted = Deques::wanted,
      .has_tasks = Deques::has_tasks,
  };
}

} // namespace chomp
