// The numbers and the shapes of the schedulers' policies in one place: the schedulers take their constants from here,
// and so does tools/simulate, which replays programs under the same policies on machines that nobody has.
#pragma once

#include <cstdint>

namespace chomp::policy {

/// Tasks that hierarchical, sherwood and central want published for each hungry member.
inline constexpr unsigned kPerHungry = 2;
/// Tasks that a member offers in its own queue while anybody is hungry (steal, depth).
inline constexpr unsigned kOnOffer = 2;
/// How long a domain's thief that found nothing keeps away from the others' cache lines, in cycles, doubling. The
/// longest is below what the fence before parking costs, so that the last look of who goes to sleep is never left out.
inline constexpr uint64_t kFirstPause = 1 << 8, kLongestPause = 1 << 12;
/// Tasks that wait at most in a queue filled when tasks are made (lifo, fifo, nemesis), and in the list that everybody
/// takes from what owners may not run, before new ones run at their creation.
inline constexpr unsigned kMostDealt = 64;
/// xqueue: slots of each of the rings, one for each pair of members.
inline constexpr unsigned kRingSlots = 32;
/// xqueue-steal: tasks that an answer to a thief brings at most.
inline constexpr unsigned kGiven = 8;

/// Who shares a queue.
enum class Queue : uint8_t { kDomain, kMember, kTeam };
/// Which end the sharers take from.
enum class Order : uint8_t { kNewestFirst, kOldestFirst };
/// Where a task goes when it is made: the private deque of its creator, or the members' queues in turn.
enum class Dealing : uint8_t { kPrivate, kRoundRobin };
/// What somebody with an empty queue takes from others, oldest first.
enum class Steal : uint8_t {
  kNever,
  kOne,          // any member, one task
  kOneDeeper,    // the same, only tasks deeper than the one it is blocked in
  kForHungry,    // one thief per domain, one task for each hungry member of it, at most half
  kHalfOfVictim, // one thief per domain, half of what the victim has
  kAsk,          // a victim is asked by message, and answers when it next makes or takes a task
};

struct Policy {
  const char* name;
  const char* alias;
  Queue queue;
  Order order;
  Dealing dealing;
  Steal steal;
  bool locked;    // queue operations of different members exclude each other
  bool redirects; // when a queue is full, the next one is tried
};

inline constexpr Policy kPolicies[] = {
    {"hierarchical", "mts", Queue::kDomain, Order::kNewestFirst, Dealing::kPrivate, Steal::kForHungry, true, false},
    {"sherwood", "sherwood", Queue::kDomain, Order::kNewestFirst, Dealing::kPrivate, Steal::kHalfOfVictim, true, false},
    {"steal", "ws", Queue::kMember, Order::kNewestFirst, Dealing::kPrivate, Steal::kOne, true, false},
    {"lifo", "l", Queue::kMember, Order::kNewestFirst, Dealing::kRoundRobin, Steal::kNever, true, false},
    {"fifo", "q", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kNever, true, false},
    {"central", "cq", Queue::kTeam, Order::kOldestFirst, Dealing::kPrivate, Steal::kNever, true, false},
    {"nemesis", "nemesis", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kNever, false, false},
    {"xqueue", "xqueue", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kNever, false, true},
    {"xqueue-steal", "xqueue-steal", Queue::kMember, Order::kOldestFirst, Dealing::kRoundRobin, Steal::kAsk, false,
     true},
    {"depth", "depth", Queue::kMember, Order::kNewestFirst, Dealing::kPrivate, Steal::kOneDeeper, true, false},
};

} // namespace chomp::policy
