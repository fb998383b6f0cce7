// A tool that wants to hear of threads and regions only is told of them, and tasks keep the quick path: the runtime
// counts them only while they are observed (chomp.h).
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t && %chomp-run %t
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>

static int begun, ended, implicit;
static ompt_get_task_info_t task_info;

static void on_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned size, int flags,
                     const void* site) {
  begun++;
}
static void on_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* site) { ended++; }
static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned size,
                        unsigned index, int flags) {
  if (endpoint == ompt_scope_begin && flags == ompt_task_implicit) __atomic_fetch_add(&implicit, 1, __ATOMIC_RELAXED);
}
#include "ompt/support/region_tool.h"

int main(void) {
  int tasks = 0, told = 0;
  for (int i = 0; i < 10; i++) {
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task shared(tasks, told)
      {
        int flags = 0;
        // An explicit task that is not observed is nothing that the tool knows: it is told of the task below.
        told += task_info(0, &flags, NULL, NULL, NULL, NULL) == 2 && (flags & ompt_task_explicit) != 0;
        tasks++;
      }
    }
  }
  printf("%d begun, %d ended, %d implicit, %d tasks, %d told\n", begun, ended, implicit, tasks, told);
  return !(begun == 10 && ended == 10 && implicit == 30 && tasks == 10 && told == 0);
}
