// See league.h.
#include "runtime/teams/league.h"

#include <algorithm>
#include <new>

#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/memory.h"
#include "runtime/core/worker.h"
#include "runtime/core/program_call.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/binding.h"
#include "runtime/teams/implicit_task.h"
#include "runtime/teams/region.h"

namespace chomp {

void league_request(Worker* worker, int32_t lowest_teams, int32_t highest_teams, int32_t thread_limit) {
  int32_t teams = highest_teams > 0 ? highest_teams : lowest_teams;
  worker->teams.next_region.num_teams = std::max(teams, 0);
  worker->teams.next_region.teams_thread_limit = std::max(thread_limit, 0);
}

void thread_limit_change(Worker* worker, int32_t limit) {
  if (limit <= 0) return;
  icv_change(
      worker,
      [](Icvs& icvs, const void* value) {
        int32_t limit = *static_cast<const int32_t*>(value);
        if (limit < icvs.thread_limit) icvs.thread_limit = limit;
      },
      &limit);
}

/// One team: a serialised region that does not count as a nesting level, and begins a contention group.
static void enter_team(Worker* worker, int number, int teams, int limit) {
  int outer_level = worker->member->team->level;
  Placement placement;
  if (binding_on) placement = binding_of_league_team(worker, number, teams);
  team_enter_serial(worker, binding_on ? &placement : nullptr);
  Team* team = worker->member->team;
  team->level = outer_level;
  team->team_number = number;
  team->league_size = teams;
  team->group = team;
  team->group_threads.store(1, std::memory_order_relaxed); // relaxed: one thread knows the group
  thread_limit_change(worker, limit);
}

/// Takes what league_request() left; returns the number of teams.
static int take_request(Worker* worker, int* limit) {
  int teams = worker->teams.next_region.num_teams > 0 ? worker->teams.next_region.num_teams
              : config.num_teams > 0                  ? config.num_teams
                                                      : 1;
  *limit = worker->teams.next_region.teams_thread_limit > 0 ? worker->teams.next_region.teams_thread_limit
                                                            : config.teams_thread_limit;
  // Programs choose num_threads() for devices, so it is cut to the number of CPUs. Only a limit that the program or a
  // setting gives may be larger.
  int most = config.kmp_teams_thread_limit > 0 ? config.kmp_teams_thread_limit : topology.usable_cpus;
  if (*limit <= 0 || (*limit > most && !config.teams_limit_is_default)) *limit = most;
  worker->teams.next_region.num_teams = worker->teams.next_region.teams_thread_limit = 0;
  return teams;
}

/// After the last team: the thread goes back to where it was before the first.
static void return_to_place(Worker* worker) {
  int16_t place = worker->member->placement.place;
  if (place != worker->thread.bound_place) binding_follow(worker, place);
}

void league_run(Worker* worker, Microtask microtask, int argc, void** argv) {
  int limit;
  int teams = take_request(worker, &limit);
  ToolRegion league;
  if (announcing()) event_league_begin(worker, &league, teams);
  for (int number = 0; number < teams; ++number) {
    if (announcing()) note_initial_task(worker, &league, teams, number);
    enter_team(worker, number, teams, limit);
    int32_t gtid = worker->gtid, tid = 0;
    invoke_microtask(worker, microtask, &gtid, &tid, argc, argv);
    team_leave_serial(worker);
  }
  if (announcing()) event_league_end(worker, &league);
  return_to_place(worker);
}

/// Tells the tool of a league whose loop is in the program.
CHOMP_SLOW static ToolRegion* tell_begin(Worker* worker, int teams) {
  auto league = new (object_allocate(worker, sizeof(ToolRegion))) ToolRegion;
  event_league_begin(worker, league, teams);
  return league;
}

CHOMP_SLOW static void tell_end(Worker* worker, ToolRegion* league) {
  if (announcing()) event_league_end(worker, league);
  object_free(worker, league, sizeof(ToolRegion));
}

bool league_next(Worker* worker, bool first) {
  int limit;
  int teams = take_request(worker, &limit), number = 0;
  ToolRegion* league = nullptr;
  if (!first) {
    const Team* team = worker->member->team;
    teams = team->league_size;
    number = team->team_number + 1;
    league = team->tool.initial.league;
    team_leave_serial(worker);
  } else if (announcing()) {
    league = tell_begin(worker, teams);
  }
  if (number == teams) {
    if (CHOMP_UNLIKELY(league != nullptr)) tell_end(worker, league);
    return_to_place(worker);
    return false;
  }
  if (CHOMP_UNLIKELY(league != nullptr)) note_initial_task(worker, league, teams, number);
  enter_team(worker, number, teams, limit);
  return true;
}

const Member* member_at_level(const Worker* worker, int level) {
  const Member* member = worker->member;
  if (level < 0 || level > member->team->level) return nullptr;
  while (member->team->level > level) member = member->team->parent_member;
  return member;
}

} // namespace chomp
