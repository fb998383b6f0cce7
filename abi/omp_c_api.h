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

#define NO_ARGUMENT(Return, name) Return name(void);
#define ONE_VALUE(Return, name, T) Return name(T a);
#define TWO_VALUES(Return, name, T, U) Return name(T a, U b);
#define POINTERS(Return, name, T) Return name(T* a);
#define VALUE_AND_POINTER(Return, name, T, U) Return name(T a, U* b);
#include "abi/fortran_twins.def"

void omp_get_schedule(int* kind, int* chunk);
void gcc_omp_get_schedule(int* kind, int* chunk); // as code that was linked with libgomp has it
void omp_fulfill_event(omp_event_handle_t event);
void ompc_set_affinity_format(const char* format);
size_t ompc_get_affinity_format(char* buffer, size_t size);
void ompc_display_affinity(const char* format);
size_t ompc_capture_affinity(char* buffer, size_t size, const char* format);

int omp_get_num_devices(void);
int omp_get_initial_device(void);

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

void omp_init_lock_with_hint(void** lock, int hint);
void omp_init_nest_lock_with_hint(void** lock, int hint);

} // extern "C"
#pragma GCC visibility pop
