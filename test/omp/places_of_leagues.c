// The teams of a league are spread over the places, each with a partition of its own; behind the construct the thread
// is where it was. KMP_TEAMS_PROC_BIND chooses another policy.
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_PLACES=threads %library-path %t spread
// RUN: env OMP_PLACES=threads KMP_TEAMS_PROC_BIND=close %library-path %t close
// RUN: env OMP_PLACES=threads KMP_TEAMS_PROC_BIND=primary %library-path %t primary
// RUN: env KMP_AFFINITY=compact %library-path %t anywhere
#include "support/check.h"
#include <omp.h>
#include <string.h>

enum { kMost = 256 };
static int place_of[kMost], partition_of[kMost];

static void check_mask(void) {
  cpu_set_t mask;
  int ids[CPU_SETSIZE];
  CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  int place = omp_get_place_num();
  CHECK(place >= 0);
  CHECK_EQ(CPU_COUNT(&mask), omp_get_place_num_procs(place));
  omp_get_place_proc_ids(place, ids);
  CHECK(CPU_ISSET(ids[0], &mask));
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  int places = omp_get_num_places(), home = omp_get_place_num();
  check_mask();
  for (int teams = 1; teams <= 2 * places && teams <= kMost; teams = teams * 2 + 1) {
#pragma omp teams num_teams(teams)
    {
      check_mask();
      place_of[omp_get_team_num()] = omp_get_place_num();
      partition_of[omp_get_team_num()] = omp_get_partition_num_places();
#pragma omp parallel num_threads(2)
      check_mask();
      check_mask();
    }
    check_mask();
    CHECK_EQ(omp_get_place_num(), home);
    CHECK_EQ(place_of[0], home);
    for (int team = 1; team < teams; team++) {
      int next = (place_of[team - 1] + 1) % places;
      if (strcmp(argv[1], "primary") == 0) CHECK_EQ(place_of[team], home);
      if (strcmp(argv[1], "close") == 0)
        CHECK(place_of[team] == next || (teams > places && place_of[team] == place_of[team - 1]));
      if (strcmp(argv[1], "close") == 0) CHECK_EQ(partition_of[team], places);
      if (strcmp(argv[1], "spread") == 0) CHECK(partition_of[team] <= (places + teams - 1) / teams);
      if (strcmp(argv[1], "spread") == 0 && teams <= places) CHECK(place_of[team] != place_of[team - 1]);
    }
  }
  return 0;
}
