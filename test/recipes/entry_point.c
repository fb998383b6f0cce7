// omp_get_taskgroup_depth() counts the taskgroups around a task, in programs of both compilers, and is there for C, for
// Fortran, and in libgomp's version.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc -ldl && env OMP_NUM_THREADS=2 %chomp-preload %t.gcc %}
#include "support/check.h"
#include <dlfcn.h>
#include <omp.h>

static int (*depth)(void);

int main(void) {
  depth = (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_taskgroup_depth");
  CHECK(depth != NULL && dlvsym(RTLD_DEFAULT, "omp_get_taskgroup_depth", "OMP_6.0") != NULL);
  CHECK(dlsym(RTLD_DEFAULT, "omp_get_taskgroup_depth_") != NULL);
#pragma omp parallel
#pragma omp single
  {
    CHECK_EQ(depth(), 0);
#pragma omp taskgroup
    for (int i = 0; i < 10; i++) {
#pragma omp task
      {
        CHECK_EQ(depth(), 1);
#pragma omp taskgroup
        {
#pragma omp task
          CHECK_EQ(depth(), 2);
        }
        CHECK_EQ(depth(), 1);
      }
    }
    CHECK_EQ(depth(), 0);
  }
  return 0;
}
