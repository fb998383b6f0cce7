// What LLVM 22's and Intel's <omp.h> declare and libomp 19 lacks: memory spaces and allocators of devices, copies that
// depend on tasks, names of devices, free agents. The host is the only device here, and the answers say so. (Declared
// here: the test's compiler may be older.)
// RUN: %clang-openmp %s -o %t -L%lib && %for-threads -t "1 4" %t
#include "support/check.h"
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef uintptr_t Handle; // of a space or an allocator
enum { kNull = 0, kLarge = 1, kConstant = 2, kHighBandwidth = 3, kLowLatency = 4, kDefault = 99 };

Handle omp_get_devices_memspace(int, const int*, Handle);
Handle omp_get_device_memspace(int, Handle);
Handle omp_get_devices_and_host_memspace(int, const int*, Handle);
Handle omp_get_device_and_host_memspace(int, Handle);
Handle omp_get_devices_all_memspace(Handle);
Handle omp_get_devices_allocator(int, const int*, Handle);
Handle omp_get_device_allocator(int, Handle);
Handle omp_get_devices_and_host_allocator(int, const int*, Handle);
Handle omp_get_device_and_host_allocator(int, Handle);
Handle omp_get_devices_all_allocator(Handle);
int omp_get_memspace_num_resources(Handle);
size_t omp_get_memspace_pagesize(Handle);
int omp_get_device_num_teams(int);
void omp_set_device_num_teams(int, int);
int omp_get_device_teams_thread_limit(int);
void omp_set_device_teams_thread_limit(int, int);
int omp_get_device_num_teams_(const int*);
void omp_set_device_teams_thread_limit_(const int*, const int*);
Handle omp_get_submemspace(Handle, int, int*);
Handle omp_get_device_memspace_(const int*, const Handle*);
Handle omp_get_submemspace_(const Handle*, const int*, const int*);
int omp_is_free_agent(void);
int omp_ancestor_is_free_agent(int);
const char* omp_get_uid_from_device(int);
int omp_get_device_from_uid(const char*);
int omp_get_device_from_uid_(const char*, size_t);
void* ompx_get_dyn_cgroup_mem(void);
extern const Handle omp_cgroup_mem_space;
void* omp_get_dyn_gprivate_ptr(size_t, int);
void* omp_get_dyn_gprivate_nofb_ptr(size_t, int);
size_t omp_get_dyn_gprivate_size(int);
Handle omp_get_dyn_gprivate_memspace(int);
int omp_target_memcpy_async(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*);
int omp_target_memcpy_rect_async(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*,
                                 const size_t*, const size_t*, int, int, int, omp_depend_t*);
void __kmpc_flush_explicit(void*);
void __kmpc_dist_for_static_fini(void*, int);

// A device's settings for teams: the host's are those that the routines without a device read and set.
static void settings_of_devices(void) {
  const int host = omp_get_initial_device(), limit = 3, none = 7;
  CHECK_EQ(omp_get_device_num_teams(host), omp_get_max_teams());
  omp_set_device_num_teams(5, host);
  CHECK_EQ(omp_get_max_teams(), 5);
  omp_set_num_teams(4);
  CHECK_EQ(omp_get_device_num_teams(-1), 4);
  CHECK_EQ(omp_get_device_num_teams_(&host), 4);
  omp_set_device_teams_thread_limit_(&limit, &host);
  CHECK_EQ(omp_get_teams_thread_limit(), 3);
  CHECK_EQ(omp_get_device_teams_thread_limit(host), 3);
  CHECK_EQ(omp_get_device_num_teams(none), 0);
  CHECK_EQ(omp_get_device_teams_thread_limit(none), 0);
  omp_set_device_num_teams(9, none); // says that there is no such device
  CHECK_EQ(omp_get_max_teams(), 4);
}

static void spaces_and_allocators(void) {
  CHECK_EQ(omp_get_memspace_pagesize(kDefault), sysconf(_SC_PAGESIZE));
  CHECK_EQ(omp_get_memspace_pagesize(kConstant), sysconf(_SC_PAGESIZE));
  CHECK_EQ(omp_get_memspace_pagesize(12345), 0);

  const int host = omp_get_initial_device(), hosts[2] = {host, -1}, unknown[2] = {host, 5};
  int first = 0, second = 1;
  CHECK_EQ(omp_get_devices_memspace(2, hosts, kDefault), kDefault);
  CHECK_EQ(omp_get_devices_memspace(2, unknown, kDefault), kNull);
  CHECK_EQ(omp_get_devices_memspace(0, 0, kDefault), kNull);
  CHECK_EQ(omp_get_devices_memspace(-1, hosts, kDefault), kNull);
  CHECK_EQ(omp_get_devices_memspace(1, 0, kDefault), kNull);
  CHECK_EQ(omp_get_devices_and_host_memspace(0, 0, kLarge), kLarge);
  CHECK_EQ(omp_get_devices_and_host_memspace(2, unknown, kLarge), kNull);
  CHECK_EQ(omp_get_device_memspace(host, kConstant), kConstant);
  CHECK_EQ(omp_get_device_memspace_(&host, &(Handle){kConstant}), kConstant);
  CHECK_EQ(omp_get_device_memspace(host, kHighBandwidth), kNull);
  CHECK_EQ(omp_get_device_memspace(host, 12345), kNull);
  CHECK_EQ(omp_get_device_and_host_memspace(7, kDefault), kNull);
  CHECK_EQ(omp_get_devices_all_memspace(kLowLatency), kLowLatency);
  CHECK_EQ(omp_get_devices_allocator(2, hosts, kDefault), omp_default_mem_alloc);
  CHECK_EQ(omp_get_devices_allocator(2, unknown, kDefault), omp_null_allocator);
  CHECK_EQ(omp_get_device_allocator(-1, kLarge), omp_large_cap_mem_alloc);
  CHECK_EQ(omp_get_devices_and_host_allocator(1, hosts, kConstant), omp_const_mem_alloc);
  CHECK_EQ(omp_get_device_and_host_allocator(host, kLowLatency), omp_low_lat_mem_alloc);
  CHECK_EQ(omp_get_devices_all_allocator(kHighBandwidth), omp_null_allocator);
  CHECK_EQ(omp_get_memspace_num_resources(kDefault), 1);
  CHECK_EQ(omp_get_memspace_num_resources(kHighBandwidth), 0);
  CHECK_EQ(omp_get_submemspace(kDefault, 1, &first), kDefault);
  CHECK_EQ(omp_get_submemspace_(&(Handle){kDefault}, &(int){1}, &first), kDefault);
  CHECK_EQ(omp_get_submemspace(kDefault, 1, &second), kNull);
  CHECK_EQ(omp_get_submemspace(kDefault, 0, 0), kNull);
  // The spaces that they return serve to make an allocator; traits that only newer headers know are hints.
  const omp_alloctrait_t newer[] = {{(omp_alloctrait_key_t)10, 0}, {omp_atk_alignment, 64}};
  omp_allocator_handle_t made =
      omp_init_allocator((omp_memspace_handle_t)omp_get_device_memspace(host, kDefault), 2, newer);
  CHECK(made != omp_null_allocator);
  void* block = omp_alloc(100, made);
  CHECK(block && (uintptr_t)block % 64 == 0);
  omp_free(block, made);
  omp_destroy_allocator(made);
}

static void names_of_devices(void) {
  CHECK(strcmp(omp_get_uid_from_device(omp_get_initial_device()), "HOST") == 0);
  CHECK(omp_get_uid_from_device(77) == 0);
  CHECK_EQ(omp_get_device_from_uid("HOST"), omp_get_initial_device());
  CHECK_EQ(omp_get_device_from_uid_("HOST   ", 7), omp_get_initial_device());
  CHECK_EQ(omp_get_device_from_uid("nobody"), -2);
  CHECK_EQ(omp_get_device_from_uid(0), -2);
  CHECK(ompx_get_dyn_cgroup_mem() == 0);
}

static void copies_wait_for_their_predecessors(void) {
  const int host = omp_get_initial_device();
  int from[4] = {0}, to[4] = {0};
  omp_depend_t object;
  CHECK_EQ(omp_target_memcpy_async(to, from, sizeof to, 0, 0, host, 9, 0, 0), EINVAL);
  CHECK_EQ(omp_target_memcpy_async(0, from, sizeof to, 0, 0, host, host, 0, 0), EINVAL);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : from)
    {
      usleep(10000);
      for (int i = 0; i < 4; ++i) from[i] = i + 1;
    }
#pragma omp depobj(object) depend(in : from)
    CHECK_EQ(omp_target_memcpy_async(to, from, 2 * sizeof(int), 2 * sizeof(int), sizeof(int), host, -1, 1, &object), 0);
    CHECK_EQ(to[2], 2);
    CHECK_EQ(to[3], 3);
    CHECK_EQ(to[0], 0);
#pragma omp depobj(object) destroy
  }
}

static void boxes(void) {
  const int host = omp_get_initial_device();
  CHECK_EQ(omp_target_memcpy_rect_async(0, 0, 1, 1, 0, 0, 0, 0, 0, host, host, 0, 0), INT_MAX);
  int from[3][4][5], to[2][3][6];
  for (int i = 0; i < 60; ++i) (&from[0][0][0])[i] = i;
  memset(to, -1, sizeof to);
  const size_t volume[3] = {2, 2, 3}, to_at[3] = {0, 1, 2}, from_at[3] = {1, 2, 1}, to_shape[3] = {2, 3, 6},
               from_shape[3] = {3, 4, 5};
  CHECK_EQ(omp_target_memcpy_rect_async(to, from, sizeof(int), 3, volume, to_at, from_at, to_shape, from_shape, host,
                                        host, 0, 0),
           0);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 6; ++k) {
        int inside = j >= 1 && k >= 2 && k < 5;
        CHECK_EQ(to[i][j][k], inside ? from[i + 1][j - 1 + 2][k - 2 + 1] : -1);
      }
}

int main(void) {
  spaces_and_allocators();
  settings_of_devices();
  names_of_devices();
  copies_wait_for_their_predecessors();
  boxes();
  CHECK_EQ(*&omp_cgroup_mem_space, 5);
  CHECK(omp_get_dyn_gprivate_ptr(0, 0) == 0 && omp_get_dyn_gprivate_nofb_ptr(8, 0) == 0);
  CHECK(omp_get_dyn_gprivate_size(0) == 0 && omp_get_dyn_gprivate_memspace(0) == kNull);
  CHECK(!omp_is_free_agent() && !omp_ancestor_is_free_agent(0));
  __kmpc_flush_explicit(0);
  __kmpc_dist_for_static_fini(0, 0);
  return 0;
}
