// How a team finds out that all its members have arrived at a barrier, or at the end of a region. Members are counted
// along a tree, so that few of them write one line. The members of a domain are counted in groups, the groups in groups
// of groups, and the last group of each domain in the domain above. A group is as large as the fan-out of
// domain_tree.h. Called by barrier.cpp and team_cache.cpp. Why it is right, and what it costs:
// runtime/teams/barriers.md, "Arrivals".
#pragma once

namespace chomp {

struct Team;

/// Makes the tree for all members of a new team, whose shape is known.
void arrival_make(Team* team);

/// Says which members will arrive: those of a region of the team's size. Called when no member is about to arrive.
void arrival_count_members(Team* team);

/// Counts one arrival at the node `arrives_at`. Returns true to the last of the members only. At a region's end
/// (`join`) the primary is not counted. A member that is not the last may not touch the team any more, since the region
/// may be over.
bool arrive(Team* team, int node, bool join);

} // namespace chomp
