// What gfortran calls for integers and logicals of 8 bytes: omp_set_num_threads_8_ and its kin set and return the same
// as the names without the 8. The program needs libgomp's version nodes up to OMP_5.1 to load.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %chomp-run %t && %chomp-preload %t
#include "support/check.h"
#include <omp.h>
#include <stdint.h>

#define SETTER(name) extern void omp_set_##name##_8_(const int64_t*)
SETTER(num_threads);
SETTER(dynamic);
SETTER(nested);
SETTER(max_active_levels);
SETTER(default_device);
SETTER(num_teams);
SETTER(teams_thread_limit);
extern void omp_set_schedule_8_(const int* kind, const int64_t* chunk);
extern void omp_get_schedule_8_(int* kind, int64_t* chunk);
extern int omp_get_ancestor_thread_num_8_(const int64_t* level);
extern int omp_get_team_size_8_(const int64_t* level);
extern int omp_get_place_num_procs_8_(const int64_t* place);
extern void omp_get_place_proc_ids_8_(const int64_t* place, int64_t* ids);
extern void omp_get_partition_place_nums_8_(int64_t* places);
extern omp_allocator_handle_t omp_init_allocator_8_(const omp_memspace_handle_t*, const int64_t*,
                                                    const omp_alloctrait_t*);

static const int64_t* number(int64_t value) {
  static int64_t kept;
  kept = value;
  return &kept;
}

int main(void) {
  omp_set_num_threads_8_(number(5));
  CHECK_EQ(omp_get_max_threads(), 5);
  omp_set_dynamic_8_(number(1));
  CHECK_EQ(omp_get_dynamic(), 1);
  omp_set_dynamic_8_(number(0));
  CHECK_EQ(omp_get_dynamic(), 0);
  omp_set_nested_8_(number(0));
  CHECK_EQ(omp_get_max_active_levels(), 1);
  omp_set_max_active_levels_8_(number(3));
  CHECK_EQ(omp_get_max_active_levels(), 3);
  omp_set_default_device_8_(number(4));
  CHECK_EQ(omp_get_default_device(), 4);
  omp_set_num_teams_8_(number(6));
  CHECK_EQ(omp_get_max_teams(), 6);
  omp_set_teams_thread_limit_8_(number(7));
  CHECK_EQ(omp_get_teams_thread_limit(), 7);

  // What does not fit stays as large, as negative, or as true as it is.
  const int64_t large = INT64_C(1) << 32;
  omp_set_num_threads_8_(number(large + 2));
  CHECK_EQ(omp_get_max_threads(), INT32_MAX);
  omp_set_num_threads_8_(number(5));
  omp_set_dynamic_8_(number(large));
  CHECK_EQ(omp_get_dynamic(), 1);
  omp_set_dynamic_8_(number(0));
  omp_set_max_active_levels_8_(number(large));
  CHECK_EQ(omp_get_max_active_levels(), omp_get_supported_active_levels());
  omp_set_max_active_levels_8_(number(3));
  CHECK_EQ(omp_get_team_size_8_(number(large)), -1);
  CHECK_EQ(omp_get_team_size_8_(number(-large)), -1);
  CHECK_EQ(omp_get_ancestor_thread_num_8_(number(large)), -1);
  CHECK_EQ(omp_get_place_num_procs_8_(number(large)), 0);
  int dynamic = omp_sched_dynamic;
  int64_t got = 0;
  omp_set_schedule_8_(&dynamic, number(large + 1));
  omp_get_schedule_8_(&dynamic, &got);
  CHECK_EQ(got, INT32_MAX);

  int kind = omp_sched_guided;
  int64_t chunk = 0;
  omp_set_schedule_8_(&kind, number(9));
  kind = 0;
  omp_get_schedule_8_(&kind, &chunk);
  CHECK(kind == (int)omp_sched_guided && chunk == 9);

#pragma omp parallel num_threads(3)
#pragma omp single
  {
    int64_t level = 1;
    CHECK_EQ(omp_get_team_size_8_(&level), omp_get_num_threads());
    CHECK_EQ(omp_get_ancestor_thread_num_8_(&level), omp_get_thread_num());
  }

  int64_t long_ids[1024];
  int ids[1024];
  for (int64_t place = 0; place < omp_get_num_places() && place < 4; place++) {
    CHECK_EQ(omp_get_place_num_procs_8_(&place), omp_get_place_num_procs((int)place));
    omp_get_place_proc_ids((int)place, ids);
    omp_get_place_proc_ids_8_(&place, long_ids);
    for (int i = 0; i < omp_get_place_num_procs((int)place); i++) CHECK_EQ(long_ids[i], ids[i]);
  }
  omp_get_partition_place_nums(ids);
  omp_get_partition_place_nums_8_(long_ids);
  for (int i = 0; i < omp_get_partition_num_places(); i++) CHECK_EQ(long_ids[i], ids[i]);

  omp_memspace_handle_t space = omp_default_mem_space;
  omp_alloctrait_t trait = {omp_atk_alignment, 128};
  omp_allocator_handle_t allocator = omp_init_allocator_8_(&space, number(1), &trait);
  void* block = omp_alloc(10, allocator);
  CHECK_EQ((uintptr_t)block % 128, 0);
  omp_free(block, allocator);
  omp_destroy_allocator(allocator);
  return 0;
}
