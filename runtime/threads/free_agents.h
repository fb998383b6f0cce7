// Free agents (OpenMP 6.0, 14.8): idle threads of the pool that run tasks of teams that they are not in, if these have
// threadset(omp_pool). Helpers are free agents that run target tasks (devices/target_task.h), and nobody else does.
// Here is where such tasks are offered and taken; how a thread runs one: teams/free_agent.cpp.
//
// A team's offered tasks lie in its inbox, among others, where its members find them too; target tasks lie in a list of
// their own there. Teams that offer tasks are in
// one list of the process. A thread of the pool that has no team looks at the list before it sleeps, and whoever offers
// a task wakes one. More: free_agents.md.
//
//   in the list <=> TeamInbox::listed; a team with pool_tasks > 0 is listed, or its offerer is about to list it
#pragma once

#include <cstdint>

namespace chomp {

struct Eligible;
struct Member;
struct Task;
struct Team;
struct Worker;

/// How many free agents may run tasks of the team for which `worker` makes a task: what nthreads-var leaves, or what
/// OMP_THREADS_RESERVE reserves, within thread-limit-var.
int32_t agents_allowed(const Worker* worker);

/// Whether the team offers fewer tasks than its agents want, or fewer target tasks than may wait; sets how many agents
/// the team may have. Exact if no other thread offers tasks of the team.
bool agents_want_tasks(const Worker* worker, Team* team, bool target);

/// Puts a counted task, which is in no queue, into the team's inbox. If it has threadset(omp_pool), and there may be
/// another agent, wakes a pool thread, or makes one.
void agents_offer(Team* team, Task* task);

/// Whether any team may offer tasks; exact after a fence.
bool agents_are_wanted();

/// What a free agent runs.
struct AgentTask {
  Task* task = nullptr; // null: there is none
  Team* team = nullptr;
  uint32_t fp_control = 0; // which the agent takes over (fp_control.h)
  bool helps = false;      // it is a target task
  bool counted = false;    // the agent is counted in the contention group
};

/// A task for a pool thread that is in no team. The thread counts as an agent of the task's team until agent_leaves().
AgentTask agents_take();
/// Another task of the same team for its agent, which waits in the first one.
Task* agents_take_another(Team* team, const Eligible& eligible);
bool agents_find_offered(const Team* team);
/// Called while the team is there.
void agent_leaves(const AgentTask& done);

/// Wakes a pool thread, or makes one, if there is work for another agent.
void agents_call_if_missing();

/// Whether the member's thread is a free agent. It still is one as the primary of a region that its task begins.
bool is_free_agent(const Member* member);

void agents_reset_after_fork();

} // namespace chomp
