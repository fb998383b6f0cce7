// See arrival.h.
#include "runtime/teams/arrival.h"

#include <new>

#include "runtime/base/plant.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/teams/domain_tree.h"

namespace chomp {
namespace {

constexpr int kFanIn = 1 << kBitsOfFanOut;

int groups_of(int count) { return (count + kFanIn - 1) / kFanIn; }

// Nodes of a domain below its own.
int inner_nodes(int members) {
  int nodes = 0;
  while (members > kFanIn) nodes += members = groups_of(members);
  return nodes;
}

// Makes the nodes below that of `domain`, from number `first` on, level by level; the members' own are the first.
void make_inner_nodes(ArrivalNode* nodes, int first, int members, int domain) {
  for (int count = members; count > kFanIn;) {
    count = groups_of(count);
    bool top = count <= kFanIn;
    for (int group = 0; group < count; ++group)
      nodes[first + group].parent = top ? domain : first + count + group / kFanIn;
    first += count;
  }
}

// Those whose partial results have gone into another member's go on. Member 0 does when there is no more to combine.
void announce_combined(Team* team, int node) {
  const ArrivalNode& here = team->arrivals.nodes[node];
  atomic<uint32_t>& reductions = team->arrivals.reduced[node].reductions;
  int first = here.first_member[0] == 0 ? 0 : 1, expected = here.expected;
  // release: pairs with acquire in work_loop.cpp. relaxed: only the last to arrive writes it. From here on others may
  // be in the next reduction.
  reductions.store(reductions.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  for (int which = first; which < expected; ++which) wake_if_asleep(team, here.first_member[which]);
}

} // namespace

void arrival_make(Team* team) {
  const TeamShape& shape = team->shape;
  ArrivalTree& tree = team->arrivals;
  tree.node_count = shape.domain_count;
  for (int domain = 0; domain < shape.domain_count; ++domain) tree.node_count += inner_nodes(shape.domain_size[domain]);
  auto count = static_cast<size_t>(tree.node_count);
  tree.nodes = static_cast<ArrivalNode*>(memory_permanent(count * sizeof(ArrivalNode)));
  tree.counts = static_cast<ArrivalCount*>(memory_permanent(count * sizeof(ArrivalCount)));
  tree.reduced = static_cast<ArrivalCount*>(memory_permanent(count * sizeof(ArrivalCount)));
  for (size_t node = 0; node < count; ++node) {
    new (&tree.nodes[node]) ArrivalNode;
    new (&tree.counts[node]) ArrivalCount;
    new (&tree.reduced[node]) ArrivalCount;
  }
  int first = shape.domain_count;
  for (int domain = 0; domain < shape.domain_count; ++domain) {
    ArrivalNode& own = tree.nodes[domain];
    if (domain > 0) own.parent = parent_domain(domain);
    make_inner_nodes(tree.nodes, first, shape.domain_size[domain], domain);
    own.others = first; // for the next loop: the domain's first inner node, and its members so far in `expected`
    first += inner_nodes(shape.domain_size[domain]);
  }
  for (int tid = 0; tid < team->capacity; ++tid) {
    int domain = shape.domain_of_member[tid];
    ArrivalNode& own = tree.nodes[domain];
    int group = own.expected++ / kFanIn;
    team->members[tid].arrives_at = shape.domain_size[domain] <= kFanIn ? domain : own.others + group;
  }
}

void arrival_count_members(Team* team) {
  ArrivalTree& tree = team->arrivals;
  for (int node = 0; node < tree.node_count; ++node) tree.nodes[node].expected = tree.nodes[node].others = 0;
  // The first one that is expected at a node makes the node itself expected above.
  for (int tid = 0; tid < team->size(); ++tid) {
    int leaf = team->members[tid].arrives_at;
    int32_t* arrives_as = &team->members[tid].arrives_as;
    for (int node = leaf; node >= 0;) {
      ArrivalNode& here = tree.nodes[node];
      *arrives_as = here.expected++;
      here.first_member[*arrives_as] = tid;
      if (*arrives_as != 0) break;
      arrives_as = &here.arrives_as;
      node = here.parent;
    }
    if (tid == 0) continue;
    for (int node = leaf; node >= 0 && tree.nodes[node].others++ == 0;) node = tree.nodes[node].parent;
  }
  for (int node = 0; node < tree.node_count; ++node) {
    // relaxed: the start signal publishes it.
    tree.counts[node].missing.store(tree.nodes[node].expected, std::memory_order_relaxed);
    tree.reduced[node].missing.store(tree.nodes[node].expected, std::memory_order_relaxed); // relaxed: as above
  }
  tree.counted_for = team->size();
}

bool arrive(Team* team, int node, bool join) {
  while (node >= 0) {
    const ArrivalNode& here = team->arrivals.nodes[node];
    int32_t expected = here.expected, counted = join ? here.others : expected;
    int parent = here.parent;
    // A single arrival needs no count: what is above orders it.
    if (counted != 1) {
      atomic<int32_t>& missing = team->arrivals.counts[node].missing;
      // acq_rel: pairs with itself, so the last to arrive has seen what all did before they arrived, here and below;
      // what it stores then publishes that.
      if (missing.fetch_sub(1, std::memory_order_acq_rel) - 1 != expected - counted) return false;
      missing.store(expected, std::memory_order_relaxed); // relaxed: released by what follows, further up
    }
    node = parent;
  }
  return true;
}

bool arrive_with(Team* team, ArrivalCount* counts, const Member* member, void* partial, CombineFunction combine) {
  int which = member->arrives_as;
  for (int node = member->arrives_at; node >= 0;) {
    const ArrivalNode& here = team->arrivals.nodes[node];
    int32_t expected = here.expected;
    int as = here.arrives_as, parent = here.parent;
    if (expected != 1) {
      ArrivalCount& count = counts[node];
      count.partial[which] = partial;
      // acq_rel: pairs with itself, so the last to arrive has all partial results, and may write them.
      if (count.missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
      count.missing.store(expected,
                          std::memory_order_relaxed); // relaxed: as in arrive(), or released by the next store
      partial = count.partial[0];
      for (int other = 1; other < expected; ++other) combine(partial, count.partial[other]);
      if (counts == team->arrivals.reduced) announce_combined(team, node);
    }
    which = as;
    node = parent;
  }
  return true;
}

int node_that_combines(const Team* team, const Member* member) {
  int which = member->arrives_as, last = member->arrives_at;
  for (int node = member->arrives_at; node >= 0;) {
    const ArrivalNode& here = team->arrivals.nodes[node];
    if (here.expected != 1) last = node; // else nothing is combined here
    if (which != 0 || planted(Plant::kLeaveUncombined)) break;
    which = here.arrives_as;
    node = here.parent;
  }
  return last;
}

} // namespace chomp
