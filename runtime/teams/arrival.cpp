// See arrival.h.
#include "runtime/teams/arrival.h"

#include <initializer_list>
#include <new>

#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"

namespace chomp {
namespace {

int groups_of(int count) { return (count + kMostArrivals - 1) / kMostArrivals; }

// Calls visit(groups, is_top) for each level of a domain's nodes below its own; the members' own level is the first.
template <typename Visit> void for_each_level(const TeamShape& shape, int domain, Visit visit) {
  for (int count = shape.domain_size[domain]; count > kMostArrivals;) {
    count = groups_of(count);
    visit(count, count <= kMostArrivals);
  }
}

int inner_nodes(const TeamShape& shape, int domain) {
  int nodes = 0;
  for_each_level(shape, domain, [&nodes](int groups, bool) { nodes += groups; });
  return nodes;
}

// Makes the nodes below that of `domain`, from number `first` on.
void make_inner_nodes(const TeamShape& shape, ArrivalNode* nodes, int first, int domain) {
  for_each_level(shape, domain, [&](int groups, bool is_top) {
    for (int group = 0; group < groups; ++group)
      nodes[first + group].parent = is_top ? domain : first + groups + group / kMostArrivals;
    first += groups;
  });
}

// Makes the nodes above the domains', from number `first` on: domains are counted in pairs, the pairs in pairs of
// pairs.
void make_pairs(ArrivalNode* nodes, int first, int domains) {
  int top[kMaxDomains]; // the node at which all that have been made one with the domain are counted
  for (int domain = 0; domain < domains; ++domain) top[domain] = domain;
  for (int step = 1; step < domains; step *= 2)
    for (int domain = 0; domain + step < domains; domain += 2 * step, ++first) {
      for (int part : {domain, domain + step}) {
        nodes[top[part]].parent = first;
        nodes[top[part]].ends = step * kMostEnds >= domains;
      }
      top[domain] = first;
    }
  if (domains == 1) nodes[0].ends = true;
}

// Members whose partial results have gone into another member's go on. Member 0 does when all is combined.
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
  int first = shape.domain_count + shape.domain_count - 1; // as many pairs as domains, but for one
  tree.node_count = first;
  for (int domain = 0; domain < shape.domain_count; ++domain) tree.node_count += inner_nodes(shape, domain);
  auto count = static_cast<size_t>(tree.node_count);
  tree.nodes = static_cast<ArrivalNode*>(memory_permanent(count * sizeof(ArrivalNode)));
  tree.counts = static_cast<ArrivalCount*>(memory_permanent(count * sizeof(ArrivalCount)));
  tree.reduced = static_cast<ArrivalCount*>(memory_permanent(count * sizeof(ArrivalCount)));
  for (size_t node = 0; node < count; ++node) {
    new (&tree.nodes[node]) ArrivalNode;
    new (&tree.counts[node]) ArrivalCount;
    new (&tree.reduced[node]) ArrivalCount;
  }
  make_pairs(tree.nodes, shape.domain_count, shape.domain_count);
  for (int domain = 0; domain < shape.domain_count; ++domain) {
    make_inner_nodes(shape, tree.nodes, first, domain);
    tree.nodes[domain].others = first; // for the next loop: the domain's first inner node, and its members so far
    first += inner_nodes(shape, domain);
  }
  for (int tid = 0; tid < team->capacity; ++tid) {
    int domain = shape.domain_of_member[tid];
    ArrivalNode& own = tree.nodes[domain];
    int group = own.expected++ / kMostArrivals;
    team->members[tid].arrives_at = inner_nodes(shape, domain) == 0 ? domain : own.others + group;
  }
}

void arrival_count_members(Team* team) {
  ArrivalTree& tree = team->arrivals;
  for (int node = 0; node < tree.node_count; ++node) tree.nodes[node].expected = tree.nodes[node].others = 0;
  // The first member that is expected at a node makes the node itself expected above.
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
    for (int node = leaf; tree.nodes[node].others++ == 0 && !tree.nodes[node].ends;) node = tree.nodes[node].parent;
  }
  tree.end_count = 0;
  for (int node = 0; node < tree.node_count; ++node) {
    // relaxed: the start signal publishes it.
    tree.counts[node].missing.store(tree.nodes[node].expected, std::memory_order_relaxed);
    tree.reduced[node].missing.store(tree.nodes[node].expected, std::memory_order_relaxed); // relaxed: as above
    if (tree.nodes[node].ends && tree.nodes[node].others > 0) tree.ends[tree.end_count++] = node;
  }
  tree.counted_for = team->size();
}

bool arrive(Team* team, int node, uint64_t join) {
  while (node >= 0) {
    const ArrivalNode& here = team->arrivals.nodes[node];
    int32_t expected = here.expected, counted = join != 0 ? here.others : expected;
    int parent = here.parent;
    bool ends = join != 0 && here.ends;
    // A single arrival needs no count: what is above orders it.
    if (counted != 1) {
      atomic<int32_t>& missing = team->arrivals.counts[node].missing;
      // acq_rel: pairs with itself, so the last to arrive has seen what all did before they arrived, here and below;
      // what it stores then publishes that.
      if (missing.fetch_sub(1, std::memory_order_acq_rel) - 1 != expected - counted) return false;
      missing.store(expected, std::memory_order_relaxed); // relaxed: released by what follows, further up
    }
    if (ends) {
      // release: pairs with acquire in others_have_arrived(). From here on the region may end, and another one begin.
      team->arrivals.counts[node].ended.store(join, std::memory_order_release);
      return true;
    }
    node = parent;
  }
  return true;
}

bool others_have_arrived(Team* team, uint64_t join) {
  const ArrivalTree& tree = team->arrivals;
  uint32_t all = (uint32_t{1} << tree.end_count) - 1;
  for (uint32_t left = all & ~team->ends_seen; left != 0; left &= left - 1) {
    int which = __builtin_ctz(left);
    // acquire: pairs with release in arrive().
    if (tree.counts[tree.ends[which]].ended.load(std::memory_order_acquire) == join)
      team->ends_seen |= uint32_t{1} << which;
  }
  return team->ends_seen == all;
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
    if (which != 0) break;
    which = here.arrives_as;
    node = here.parent;
  }
  return last;
}

} // namespace chomp
