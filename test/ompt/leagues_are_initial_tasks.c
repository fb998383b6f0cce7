// The teams of a league are initial tasks of the league's region, each once, and regions inside them are theirs; so is
// a target region on the host, of a region of its own (OpenMP 5.2, 10.2 and 13.8). The tool is in the program.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t && %chomp-run %t
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic %s -o %t.gcc && %chomp-run %t.gcc %}
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>

enum { TEAMS = 3 };
static ompt_get_task_info_t task_info;
static ompt_data_t* league;            // the open one's
static ompt_data_t* teams_task[TEAMS]; // the initial tasks that have begun
static int leagues, leagues_ended, begun, ended, nested, targets, targets_ended, wrong;

#define MUST(condition) ((condition) ? 0 : (wrong++, printf("line %d: %s\n", __LINE__, #condition)))

static void on_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned size, int flags,
                     const void* site) {
  MUST(site != NULL && frame->enter_frame.ptr != NULL);
  if (flags & ompt_parallel_league) {
    MUST(size == TEAMS && league == NULL && !(flags & ompt_parallel_team));
    league = parallel;
    leagues++;
  } else {
    MUST(begun > 0 && task == teams_task[begun - 1]);
    nested++;
  }
}

static void on_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* site) {
  if (!(flags & ompt_parallel_league)) return;
  MUST(parallel == league);
  league = NULL;
  leagues_ended++;
}

static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned size,
                        unsigned index, int flags) {
  if (!(flags & ompt_task_initial)) return;
  if (league == NULL) { // the program's own initial task is before all of this; or it is a target region's
    endpoint == ompt_scope_begin ? targets++ : targets_ended++;
    MUST(index == 1 && size == (endpoint == ompt_scope_begin));
  } else if (endpoint == ompt_scope_begin) {
    int kind = 0;
    ompt_data_t *current = NULL, *region = NULL;
    MUST(parallel == league && size == TEAMS && index == (unsigned)begun);
    MUST(task_info(0, &kind, &current, NULL, &region, NULL) == 2 && (kind & ompt_task_initial) != 0);
    MUST(current == task && region == league);
    teams_task[begun++] = task;
  } else {
    MUST(parallel == NULL && size == 0 && index == (unsigned)ended);
    MUST(task == teams_task[ended]);
    ended++;
  }
}

#include "ompt/support/region_tool.h"

static void check(int target) {
  printf("%d leagues, %d ended; %d teams, %d ended; %d nested regions; %d target regions, %d ended\n", leagues,
         leagues_ended, begun, ended, nested, targets, targets_ended);
  MUST(leagues == 1 && leagues_ended == 1 && begun == TEAMS && ended == TEAMS && nested == TEAMS);
  MUST(targets == target && targets_ended == target);
  leagues = leagues_ended = begun = ended = nested = targets = targets_ended = 0;
}

__attribute__((noinline)) static void region_body(void) { __asm__ volatile(""); } // a region that stays

int main(void) {
  omp_get_max_threads(); // the tool is there
  MUST(targets == 1);    // the program's initial task
  targets = 0;
#pragma omp teams num_teams(TEAMS)
  {
#pragma omp parallel num_threads(2)
    region_body();
  }
  check(0);
#pragma omp target teams num_teams(TEAMS)
  {
#pragma omp parallel num_threads(2)
    region_body();
  }
#ifdef __clang__
  check(0); // Clang's code calls the region itself
#else
  check(1);
#endif
  return wrong != 0;
}
