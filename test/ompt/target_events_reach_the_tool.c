// A tool hears of target regions and of what they move from LLVM's offload library, as often as on LLVM's runtime, and
// is started once, also below a preloaded chomp. Target tasks run beside the host also while it listens.
// RUN: %offload-openmp %omp-tools %s -o %t -rdynamic
// RUN: %for-threads env %offload %t
// RUN: env LD_LIBRARY_PATH=%archer-folder %chomp-preload %t
// REQUIRES: offload, omp-tools
#include <omp-tools.h>
#include <omp.h>
#include <stdlib.h>

#include "support/check.h"

enum { kRegions = 5 };
static int starts, targets, copies, submits, devices, images, created, of_target_task;

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device, ompt_data_t* task,
                      ompt_data_t* target_task, ompt_data_t* data, const void* site) {
  ATOMIC_ADD(targets, 1);
  if (target_task != NULL && target_task->value == 7) ATOMIC_ADD(of_target_task, 1);
}
static void on_data(ompt_scope_endpoint_t endpoint, ompt_data_t* target_task, ompt_data_t* data, ompt_id_t* id,
                    ompt_target_data_op_t kind, void* from, int from_device, void* to, int to_device, size_t bytes,
                    const void* site) {
  ATOMIC_ADD(copies, 1);
}
static void on_submit(ompt_scope_endpoint_t endpoint, ompt_data_t* data, ompt_id_t* id, unsigned teams) {
  ATOMIC_ADD(submits, 1);
}
static void on_device(int device, const char* type, ompt_device_t* handle, ompt_function_lookup_t look_up,
                      const char* documentation) {
  ATOMIC_ADD(devices, 1);
}
static void on_load(int device, const char* file, int64_t offset, void* file_address, size_t bytes, void* host,
                    void* to, uint64_t id) {
  ATOMIC_ADD(images, 1);
}
static void on_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags, int dependences,
                      const void* site) {
  CHECK(site != NULL);
  task->value = 7;
  ATOMIC_ADD(created, 1);
}
static int start(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)look_up("ompt_set_callback");
  starts++;
  set(ompt_callback_target_emi, (ompt_callback_t)on_target);
  set(ompt_callback_target_data_op_emi, (ompt_callback_t)on_data);
  set(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit);
  set(ompt_callback_device_initialize, (ompt_callback_t)on_device);
  set(ompt_callback_device_load, (ompt_callback_t)on_load);
  set(ompt_callback_task_create, (ompt_callback_t)on_create);
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}

// Each region begins and ends; so does each thing that it does to memory: allocate, copy there, copy back, free.
static void run(int threads) {
  int* arrived = calloc(1, sizeof(int));
  int values[kRegions] = {0};
  targets = copies = submits = created = of_target_task = 0;
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    for (int i = 0; i < kRegions; i++) {
#pragma omp target nowait map(tofrom : values[i : 1]) depend(inout : values[i]) is_device_ptr(arrived)
      {
        values[i] = 1;
        ATOMIC_ADD(*arrived, 1);
        SPIN_UNTIL(ATOMIC_LOAD(*arrived) == kRegions + 1);
      }
    }
    ATOMIC_ADD(*arrived, 1);
#pragma omp taskwait
#pragma omp target
    {
    }
  }
  CHECK_EQ(targets, 2 * (kRegions + 1));
  CHECK_EQ(submits, 2 * (kRegions + 1));
  CHECK_EQ(copies, 2 * 4 * kRegions);
  CHECK_EQ(created, kRegions);
  CHECK_EQ(of_target_task, 2 * kRegions);
  free(arrived);
}

int main(void) {
  CHECK(omp_get_num_devices() > 0);
  const int sizes[] = {0, 1, 2, 4, omp_get_max_threads()};
  for (int round = 0; round < 10; round++)
    for (int i = 0; i < 5; i++) run(sizes[i]);
  CHECK_EQ(starts, 1);
  CHECK(devices >= 1 && images >= 1);
  return 0;
}
