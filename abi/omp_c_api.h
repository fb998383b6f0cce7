// The C functions of OpenMP and Intel's kmp_ functions that abi/ itself calls: for the Fortran twins
// (fortran_names.cpp), and for functions that ask another one. Files that define one of these names include this, so
// that the compiler compares the two.
//
// Not <omp.h>, which belongs to the installed compiler, and renames four functions by macros. The affinity-format
// functions for C are named ompc_*; the plain names take Fortran strings (fortran_names.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/memory/allocator.h"

using omp_allocator_handle_t = chomp::AllocatorHandle;
using omp_memspace_handle_t = chomp::MemorySpace;
using omp_alloctrait_t = chomp::AllocatorTrait;
using omp_event_handle_t = uintptr_t;

#pragma GCC visibility push(default)
extern "C" {

// Threads and teams
void omp_set_num_threads(int count);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_get_thread_limit(void);
int omp_in_parallel(void);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
void omp_set_schedule(int kind, int chunk); // omp_sched_t, the monotonic bit included
void omp_get_schedule(int* kind, int* chunk);
void gcc_omp_get_schedule(int* kind, int* chunk); // as code that was linked with libgomp has it
void omp_set_max_active_levels(int levels);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_is_free_agent(void);
int omp_ancestor_is_free_agent(int level);
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_num_teams(int count);
int omp_get_max_teams(void);
int omp_get_device_num_teams(int device);
void omp_set_device_num_teams(int count, int device);
int omp_get_device_teams_thread_limit(int device);
void omp_set_device_teams_thread_limit(int limit, int device);
void omp_set_teams_thread_limit(int limit);
int omp_get_teams_thread_limit(void);
int omp_get_cancellation(void);

// Tasks
int omp_in_final(void);
int omp_in_explicit_task(void);
int omp_get_max_task_priority(void);
void omp_fulfill_event(omp_event_handle_t event);

// Places and affinity
int omp_get_proc_bind(void); // omp_proc_bind_t
int omp_get_num_places(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int* ids);
int omp_get_place_num(void);
int omp_get_partition_num_places(void);
void omp_get_partition_place_nums(int* places);
void ompc_set_affinity_format(const char* format);
size_t ompc_get_affinity_format(char* buffer, size_t size);
void ompc_display_affinity(const char* format);
size_t ompc_capture_affinity(char* buffer, size_t size, const char* format);

// Devices, resources, environment
void omp_set_default_device(int device);
int omp_get_default_device(void);
int omp_get_num_devices(void);
int omp_get_initial_device(void);
int omp_pause_resource(int kind, int device); // omp_pause_resource_t
int omp_pause_resource_all(int kind);
void omp_display_env(int verbose);

// Memory of devices
void* omp_target_alloc(size_t size, int device);
void omp_target_free(void* memory, int device);
int omp_target_is_present(const void* address, int device);
int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset, int to_device,
                      int from_device);
int omp_target_memcpy_rect(void* to, const void* from, size_t element_bytes, int dimensions, const size_t* volume,
                           const size_t* to_offsets, const size_t* from_offsets, const size_t* to_dimensions,
                           const size_t* from_dimensions, int to_device, int from_device);
int omp_target_associate_ptr(const void* host, const void* address, size_t size, size_t offset, int device);
int omp_target_disassociate_ptr(const void* address, int device);

// Interoperability objects: `id` is an omp_interop_property_t, `number` that or an omp_interop_rc_t
const char* omp_get_interop_str(void* object, int id, int* return_code);
const char* omp_get_interop_name(void* object, int number);
const char* omp_get_interop_type_desc(void* object, int number);
const char* omp_get_interop_rc_desc(void* object, int number);

// Locks: `lock` is the address of the program's omp_lock_t or omp_nest_lock_t, one word
void omp_init_lock(void** lock);
void omp_init_lock_with_hint(void** lock, int hint);
void omp_destroy_lock(void** lock);
void omp_set_lock(void** lock);
void omp_unset_lock(void** lock);
int omp_test_lock(void** lock);
void omp_init_nest_lock(void** lock);
void omp_init_nest_lock_with_hint(void** lock, int hint);
void omp_destroy_nest_lock(void** lock);
void omp_set_nest_lock(void** lock);
void omp_unset_nest_lock(void** lock);
int omp_test_nest_lock(void** lock);

// Intel's extensions
void kmp_set_stacksize(int bytes);
int kmp_get_stacksize(void);
void kmp_set_stacksize_s(size_t bytes);
size_t kmp_get_stacksize_s(void);
void kmp_set_blocktime(int milliseconds);
int kmp_get_blocktime(void);
void kmp_set_library(int kind); // 1 serial, 2 turnaround, 3 throughput
int kmp_get_library(void);
void kmp_set_library_serial(void);
void kmp_set_library_turnaround(void);
void kmp_set_library_throughput(void);
int kmp_get_num_known_threads(void);
int kmp_get_cancellation_status(int kind);
int kmp_set_affinity(void** mask);
int kmp_get_affinity(void** mask);
int kmp_get_affinity_max_proc(void);
void kmp_create_affinity_mask(void** mask);
void kmp_destroy_affinity_mask(void** mask);
int kmp_set_affinity_mask_proc(int cpu, void** mask);
int kmp_unset_affinity_mask_proc(int cpu, void** mask);
int kmp_get_affinity_mask_proc(int cpu, void** mask);

} // extern "C"
#pragma GCC visibility pop
