// What libgomp has had since GCC 13, with its own versions: a program that asks for them loads where chomp is
// libgomp.so.1, and where chomp is preloaded they come to it and not to the libgomp behind it, which knows nothing of
// chomp's tasks. Depend objects are GCC's, of two words. The library behind is made here, so that any GCC links the
// program; its functions end the process.
// REQUIRES: gomp
// RUN: rm -rf %t.d && mkdir %t.d && echo "OMP_1.0 {}; OMP_4.5 {}; OMP_5.1.1 {}; OMP_5.2 {}; GOMP_1.0 {}; GOMP_2.0 {};" > %t.d/map
// RUN: echo "GOMP_4.0 {}; GOMP_5.0.1 {}; GOMP_5.1.2 {}; GOMP_5.1.3 {}; GOMP_6.0 {}; GOMP_6.0.1 {};" >> %t.d/map
// RUN: gcc -shared -fPIC -DBEHIND %s -Wl,-soname,libgomp.so.1,--version-script=%t.d/map -o %t.d/libgomp.so.1
// RUN: %gcc-openmp %s -o %t.d/program %t.d/libgomp.so.1 -Wl,-rpath,%t.d
// RUN: not %t.d/program 2>&1 | grep "went to the library behind"
// RUN: %for-threads %t.d/program
// RUN: %chomp-preload %t.d/program
#ifdef BEHIND
#include <stdio.h>
#include <unistd.h>
#define NAME(node, name)                                                                                               \
  void behind_##name(void) {                                                                                           \
    fprintf(stderr, "%s went to the library behind\n", #name);                                                         \
    _exit(3);                                                                                                          \
  }                                                                                                                    \
  __asm__(".symver behind_" #name ", " #name "@@" #node);
NAME(OMP_1.0, omp_get_thread_num)
NAME(OMP_4.5, omp_get_initial_device)
NAME(OMP_5.1.1, omp_get_mapped_ptr)
NAME(OMP_5.1.1, omp_target_is_accessible)
NAME(OMP_5.1.1, omp_target_memcpy_async)
NAME(OMP_5.1.1, omp_target_memcpy_rect_async)
NAME(OMP_5.2, omp_in_explicit_task)
NAME(OMP_5.2, omp_in_explicit_task_)
NAME(GOMP_1.0, GOMP_single_start)
NAME(GOMP_1.0, GOMP_barrier)
NAME(GOMP_2.0, GOMP_task)
NAME(GOMP_2.0, GOMP_taskwait)
NAME(GOMP_4.0, GOMP_parallel)
NAME(GOMP_5.0.1, GOMP_alloc)
NAME(GOMP_5.0.1, GOMP_free)
NAME(GOMP_5.1.2, GOMP_add_alloc)
NAME(GOMP_5.1.2, GOMP_is_alloc)
NAME(GOMP_5.1.2, GOMP_target_map_indirect_ptr)
NAME(GOMP_5.1.3, GOMP_interop)
NAME(GOMP_5.1.3, omp_get_num_interop_properties)
NAME(GOMP_5.1.3, omp_get_interop_name)
NAME(GOMP_5.1.3, omp_get_interop_name_)
NAME(GOMP_5.1.3, omp_get_interop_str_)
NAME(GOMP_6.0, omp_get_uid_from_device)
NAME(GOMP_6.0, omp_get_uid_from_device_)
NAME(GOMP_6.0, omp_get_uid_from_device_8_)
NAME(GOMP_6.0, omp_get_device_from_uid)
NAME(GOMP_6.0, omp_get_device_from_uid_)
NAME(GOMP_6.0.1, omp_target_memset)
NAME(GOMP_6.0.1, omp_target_memset_async)
#else
#include "support/check.h"
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

extern int omp_in_explicit_task(void), omp_in_explicit_task_(void);
extern void* omp_get_mapped_ptr(const void*, int);
extern int omp_target_is_accessible(const void*, size_t, int);
extern int omp_target_memcpy_async(void*, const void*, size_t, size_t, size_t, int, int, int, omp_depend_t*);
extern int omp_target_memcpy_rect_async(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*,
                                        const size_t*, const size_t*, int, int, int, omp_depend_t*);
extern void* omp_target_memset(void*, int, size_t, int);
extern void* omp_target_memset_async(void*, int, size_t, int, int, omp_depend_t*);
extern void GOMP_add_alloc(void*);
extern bool GOMP_is_alloc(void*);
extern void* GOMP_target_map_indirect_ptr(void*);
extern void* GOMP_alloc(size_t, size_t, uintptr_t);
extern void GOMP_free(void*, uintptr_t);
extern void GOMP_interop(int device, int init_count, void* init, int* kinds, void* preferred, int use_count, void* used,
                         int destroy_count, void* destroyed, unsigned flags, void** depend);
extern int omp_get_num_interop_properties(void*);
extern const char* omp_get_interop_name(void*, int);
// gfortran's: a text's address and length are returned through the first two, the arguments are values.
extern void omp_get_interop_name_(char**, size_t*, void*, int);
extern void omp_get_interop_str_(char**, size_t*, void*, int, int*);
extern const char* omp_get_uid_from_device(int);
extern void omp_get_uid_from_device_(char**, size_t*, int);
extern void omp_get_uid_from_device_8_(char**, size_t*, int64_t);
extern int omp_get_device_from_uid(const char*), omp_get_device_from_uid_(const char*, size_t);

static int host, from[4][5], to[4][5], other;

static void copies_wait_for_their_predecessors(int round) {
  omp_depend_t objects[2];
  memset(to, 0, sizeof to);
#pragma omp depobj(objects[0]) depend(in : other)
#pragma omp depobj(objects[1]) depend(inout : from)
#pragma omp task depend(out : from) depend(out : other)
  {
    burn(2000);
    for (int i = 0; i < 20; ++i) (&from[0][0])[i] = round + i;
  }
  CHECK_EQ(omp_target_memcpy_async(to, from, sizeof(int), sizeof(int), 0, host, -1, 2, objects), 0);
  const size_t volume[2] = {2, 3}, to_at[2] = {1, 1}, from_at[2] = {2, 2}, shape[2] = {4, 5};
  CHECK_EQ(omp_target_memcpy_rect_async(to, from, sizeof(int), 2, volume, to_at, from_at, shape, shape, host, host, 1,
                                        &objects[1]),
           0);
  CHECK(omp_target_memset_async(&to[3][4], 1, sizeof(int), host, 1, objects) == &to[3][4]);
#pragma omp task depend(in : from)
  CHECK_EQ(to[1][1], round + 12);
#pragma omp taskwait
  CHECK_EQ(to[0][0], 0);
  CHECK_EQ(to[0][1], round);
  CHECK_EQ(to[2][3], round + 19);
  CHECK_EQ(to[3][4], 0x01010101);
#pragma omp depobj(objects[0]) destroy
#pragma omp depobj(objects[1]) destroy
}

static void memory_of_the_host(void) {
  host = omp_get_initial_device();
  CHECK(omp_get_mapped_ptr(&other, host) == &other && omp_get_mapped_ptr(&other, -1) == &other);
  CHECK(omp_get_mapped_ptr(&other, 77) == 0 && omp_get_mapped_ptr(0, host) == 0);
  CHECK(omp_target_is_accessible(&other, sizeof other, host) && !omp_target_is_accessible(&other, sizeof other, 77));
  CHECK_EQ(omp_target_memcpy_async(to, from, 4, 0, 0, host, 77, 0, 0), EINVAL);
  CHECK_EQ(omp_target_memcpy_rect_async(0, 0, 1, 1, 0, 0, 0, 0, 0, host, host, 0, 0), INT_MAX);
  CHECK(omp_target_memset(to, 7, 4, host) == to);
  CHECK_EQ(to[0][0], 0x07070707);
}

// gfortran asks of the memory of an allocatable scalar whether it is of GOMP_alloc() or of malloc(); each time it
// frees.
static void blocks_are_known(void) {
  enum { kMany = 3000 };
  static void* blocks[kMany];
  for (int i = 0; i < kMany; ++i) GOMP_add_alloc(blocks[i] = GOMP_alloc(8, 16, 0));
  for (int i = 0; i < kMany; i += 2) CHECK(GOMP_is_alloc(blocks[i]));
  for (int i = 0; i < kMany; ++i) {
    CHECK_EQ(GOMP_is_alloc(blocks[i]), i % 2 == 1); // the answer ends it
    GOMP_free(blocks[i], 0);
  }
  CHECK(!GOMP_is_alloc(&other) && !GOMP_is_alloc(0));
  CHECK(GOMP_target_map_indirect_ptr((void*)blocks_are_known) == (void*)blocks_are_known);
}

static void interop_objects(void) {
  enum { kDefault = -5, kNowait = 1 };
  void *object = &other, *objects[] = {&object}, *depend[] = {(void*)1, (void*)1, &other};
  int kinds[] = {3};
#pragma omp task depend(out : other)
  {
    burn(2000);
    ATOMIC_STORE(other, 5);
  }
  GOMP_interop(kDefault, 1, objects, kinds, 0, 0, 0, 0, 0, 0, depend);
  CHECK_EQ(ATOMIC_LOAD(other), 5);
  CHECK(object == 0); // omp_interop_none
  object = &other;
  GOMP_interop(host, 0, 0, 0, 0, 0, 0, 1, objects, kNowait, depend);
#pragma omp taskwait
  CHECK(object == 0);
  char* name = "x";
  size_t length = 9;
  CHECK(omp_get_num_interop_properties(0) == 0);
  CHECK(strcmp(omp_get_interop_name(0, -1), "fr_id") == 0); // a property has its name whatever the object
  omp_get_interop_name_(&name, &length, 0, -1);
  CHECK(length == 5 && memcmp(name, "fr_id", 5) == 0);
  int code = 99;
  omp_get_interop_str_(&name, &length, 0, -1, &code);
  CHECK(name == 0 && length == 0 && code == -1);
}

static void names_of_devices(void) {
  const char* uid = omp_get_uid_from_device(host);
  char* text;
  size_t length;
  omp_get_uid_from_device_(&text, &length, host);
  CHECK(length == strlen(uid) && memcmp(text, uid, length) == 0);
  omp_get_uid_from_device_8_(&text, &length, 77);
  CHECK(text == 0 && length == 0);
  CHECK(omp_get_device_from_uid(uid) == host && omp_get_device_from_uid_("HOST ", 5) == host);
}

int main(void) {
  memory_of_the_host();
  CHECK(!omp_in_explicit_task());
#pragma omp parallel
#pragma omp single
  {
    int inside = 0;
#pragma omp task shared(inside)
    inside = omp_in_explicit_task() + 2 * omp_in_explicit_task_();
#pragma omp taskwait
    CHECK_EQ(inside, 3);
    for (int round = 1; round <= SCALED(160); ++round) copies_wait_for_their_predecessors(round);
    interop_objects();
  }
#pragma omp parallel
  if (omp_get_thread_num() == 0) blocks_are_known();
  names_of_devices();
  return 0;
}
#endif
