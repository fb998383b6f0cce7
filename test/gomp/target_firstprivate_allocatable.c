// target firstprivate(a) of an allocatable array of Fortran, as GCC 14's code has it: three entries, of which the first
// is the array's descriptor, to be copied; the second its values, to be copied; and the third says that the pointer in
// the descriptor is to the values. So the region must find a descriptor that points to the copy, or it writes to the
// original. With null for the values the array is not allocated.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t
// RUN: %chomp-run %t
#include "support/check.h"
#include <omp.h>
#include <stddef.h>
#include <string.h>

void GOMP_target_ext(int device, void (*body)(void*), size_t count, void** addresses, size_t* sizes,
                     unsigned short* kinds, unsigned flags, void** depend, void** arguments);

struct Descriptor {
  int* values;
  long bounds[7];
};

struct Mapped {
  long* number;
  struct Descriptor* array;
  int* values;
  struct Descriptor** attached;
};

enum { kFirstprivate = 12, kAttach = 80, kAligned = 3 << 8 };

static int regions;

static void body(void* addresses) {
  struct Mapped* mapped = addresses;
  ATOMIC_ADD(regions, 1);
  CHECK_EQ(*mapped->number, 42);
  CHECK_EQ(mapped->array->bounds[6], 6);
  if (mapped->array->values == NULL) return;
  CHECK_EQ(mapped->array->values[4], 5);
  for (int i = 0; i < 5; i++) mapped->array->values[i] = -1;
}

static void run(int* values, unsigned flags) {
  long number = 42;
  struct Descriptor array = {values, {0, 1, 2, 3, 4, 5, 6}};
  struct Mapped mapped = {&number, &array, values, &mapped.array};
  size_t sizes[] = {sizeof number, sizeof array, values != NULL ? 5 * sizeof *values : 0, 0};
  unsigned short kinds[] = {kFirstprivate | kAligned, kFirstprivate | kAligned, kFirstprivate | kAligned, kAttach};
  void* arguments[] = {NULL};
  GOMP_target_ext(-1, body, 4, (void**)&mapped, sizes, kinds, flags, NULL, arguments);
  array.values = NULL; // a task has its copies by now
#pragma omp taskwait
}

int main(void) {
  int values[5] = {1, 2, 3, 4, 5};
  for (unsigned nowait = 0; nowait < 2; nowait++) {
    run(values, nowait);
    run(NULL, nowait);
#pragma omp parallel num_threads(3)
#pragma omp single
    run(values, nowait);
  }
  CHECK_EQ(regions, 6);
  for (int i = 0; i < 5; i++) CHECK_EQ(values[i], i + 1);
  return 0;
}
