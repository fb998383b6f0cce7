// How a team finds out that all its members have arrived at a barrier, or at the end of a region. Members are counted
// along a tree, so that few of them write one line. The members of a domain are counted in groups, the groups in groups
// of groups, domains in pairs, and these in pairs of pairs. Why it is right, and what it costs:
// runtime/teams/barriers.md, "Arrivals".
#pragma once

#include <cstdint>

namespace chomp {

struct ArrivalCount;
struct Member;
struct Team;

/// Makes the tree for all members of a new team, whose shape is known.
void arrival_make(Team* team);

/// Says which members will arrive: those of a region of the team's size. Called when no member is about to arrive.
void arrival_count_members(Team* team);

/// Counts one arrival at the node `arrives_at`: at a barrier, or at the region's end that has the epoch `join`. At a
/// barrier it returns true to the last of the members only. At a region's end the primary is not counted, and true says
/// that the primary may wait for what this member has stored. From then on, or if the answer is false, the region may
/// be over.
bool arrive(Team* team, int node, uint64_t join);

/// Called by the primary, which has set Team::ends_seen to 0 when it came to that region's end: whether all others have
/// arrived there.
bool others_have_arrived(Team* team, uint64_t join);

/// Combines *other into *mine.
using CombineFunction = void (*)(void* mine, void* other);

/// arrive() at a reduction, where each member brings partial results. The last to arrive at a node combines what came
/// there, in the order of the members' numbers. So when all have arrived, all is in member 0's results. `counts` are
/// those of the barrier that ends the construct, or `reduced`: then the last one also adds one to the node's
/// `reductions`, and wakes those that wait for it there.
bool arrive_with(Team* team, ArrivalCount* counts, const Member* member, void* partial, CombineFunction combine);

/// The node at which the member's partial results have been combined into another member's, or all into member 0's.
int node_that_combines(const Team* team, const Member* member);

} // namespace chomp
