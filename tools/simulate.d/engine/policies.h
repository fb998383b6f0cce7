// The policies of the schedulers (schedulers/list.def) as the simulator replays them. Their numbers are those of the
// schedulers themselves: schedulers/policy.h.
//
// A new scheduler may do without: the simulator then says that it cannot replay under it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chomp::simulate {

/// Which members share a queue.
enum class Queue : uint8_t { kDomain, kMember, kTeam };
/// Which end the sharers take from.
enum class Order : uint8_t { kNewestFirst, kOldestFirst };
/// Where a task goes when it is made: the private deque of its creator, or the members' queues in turn.
enum class Dealing : uint8_t { kPrivate, kRoundRobin };
/// What a member with an empty queue takes from others, oldest first.
enum class Steal : uint8_t {
  kNever,
  kOne,          // any member, one task
  kOneDeeper,    // the same, only tasks deeper than the one it is blocked in
  kForHungry,    // one thief per domain, one task for each hungry member of it, at most half
  kHalfOfVictim, // one thief per domain, half of what the victim has
  kAsk,          // a victim is asked by message, and answers when it next makes or takes a task
};

struct Policy {
  const char* name; // as in list.def
  Queue queue;
  Order order;
  Dealing dealing;
  Steal steal;
  bool locked;    // queue operations of different members exclude each other
  bool redirects; // when a queue is full, the next one is tried
};

inline constexpr Policy kPolicies[] = {
    {"mts", Queue::kDomain, Order::kNewestFirst, Dealing::kPrivate, Steal::kForHungry, true, false},
    {"sherwood", Queue::kDomain, Order::kNewestFirst, Dealing::kPrivate, Steal::kHalfOfVictim, true, false},
    {"steal", Queue::kMember, Order::kNewestFirst, Dealing::kPrivate, Steal::kOne, true, false},
    {"depth", Queue::kMember, Order::kNewestFirst, Dealing::kPrivate, Steal::kOneDeeper, true, false},
    {"central", Queue::kTeam, Order::kOldestFirst, Dealing::kPrivate, Steal::kNever, true, false},
    {"lifo", Queue::kMember, Order::kNewestFirst, Dealing::kRoundRobin, Steal::kNever, true, false},
    {"fifo", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kNever, true, false},
    {"nemesis", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kNever, false, false},
    {"xqueue", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kNever, false, true},
    {"xqueue-steal", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kAsk, false, true},
};

/// A scheduler of list.def.
struct Replayable {
  const char* name;
  const char* alias;    // the name once more if there is none
  const Policy* policy; // null: the simulator does not know it
};
const std::vector<Replayable>& all_schedulers();

/// By name or alias. Throws Error if there is no such scheduler, or no policy of it here.
const Policy& policy_of(const std::string& scheduler);

/// The message about a scheduler without a policy.
std::string cannot_replay(const std::string& scheduler);

} // namespace chomp::simulate
