// See league.h.
#include "runtime/league.h"

#include "runtime/binding.h"
#include "runtime/config.h"
#include "runtime/icv.h"
#include "runtime/worker.h"

namespace chomp {

void league_request(Worker* worker, int32_t lowest_teams, int32_t highest_teams, int32_t thread_limit) {
  int32_t teams = highest_teams > 0 ? highest_teams : lowest_teams;
  worker->pushed_num_teams = teams > 0 ? teams : 0;
  worker->pushed_teams_thread_limit = thread_limit > 0 ? thread_limit : 0;
}

void thread_limit_change(Worker* worker, int32_t limit) {
  if (limit <= 0) return;
  icv_change(
      worker, [](Icvs& icvs, const void* value) { icvs.thread_limit = *static_cast<const int32_t*>(value); }, &limit);
}

/// One team: a serialised region that does not count as a nesting level.
static void run_team(Worker* worker, int number, int teams, int limit, Microtask microtask, int argc, void** argv) {
  int outer_level = worker->member->team->level;
  Placement placement;
  if (binding_on) placement = binding_of_league_team(worker, number, teams);
  team_enter_serial(worker, binding_on ? &placement : nullptr);
  Team* team = worker->member->team;
  team->level = outer_level;
  team->team_number = number;
  team->league_size = teams;
  thread_limit_change(worker, limit);
  int32_t gtid = worker->gtid, tid = 0;
  chomp_invoke_microtask(microtask, &gtid, &tid, argc, argv);
  team_leave_serial(worker);
}

void league_run(Worker* worker, Microtask microtask, int argc, void** argv) {
  int teams = worker->pushed_num_teams > 0 ? worker->pushed_num_teams : config.num_teams > 0 ? config.num_teams : 1;
  int limit = worker->pushed_teams_thread_limit > 0 ? worker->pushed_teams_thread_limit : config.teams_thread_limit;
  worker->pushed_num_teams = worker->pushed_teams_thread_limit = 0;
  for (int number = 0; number < teams; ++number) run_team(worker, number, teams, limit, microtask, argc, argv);
  int16_t place = worker->member->placement.place;
  if (place != worker->bound_place) binding_follow(worker, place);
}

const Member* seat_at_level(const Worker* worker, int level) {
  const Member* seat = worker->member;
  if (level < 0 || level > seat->team->level) return nullptr;
  while (seat->team->level > level) seat = seat->team->parent_seat;
  return seat;
}

} // namespace chomp
