// Every frame that a tool is given says what it is (OpenMP 5.2, 19.4.4.28, ompt_frame_flag_t): a canonical frame
// address of the runtime, or, where the program's own code calls the task (`if(0)` compiled by Clang), of the program.
// That holds for both frames, also for one that is null, at any task of the stack and in callbacks. Debian's libomp 19
// says "frame pointer"; newer ones say it as here.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t && %for-threads %t
// RUN: %if inlined-pass %{ %clang-openmp %inlined-pass -rdynamic %s -o %t && %for-threads -t 1 %t %}
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic %s -o %t.gcc && %for-threads %t.gcc %}
#include <omp-tools.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

#include "support/check.h"

enum { kOfRuntime = ompt_frame_runtime | ompt_frame_cfa, kOfProgram = ompt_frame_application | ompt_frame_cfa };

static ompt_get_task_info_t task_info;
static atomic_int looked_at, of_program;

static void look(const ompt_frame_t* frame) {
  int exit_flags = frame->exit_frame_flags, enter_flags = frame->enter_frame_flags;
  if (exit_flags != kOfRuntime && exit_flags != kOfProgram) CHECK_EQ(exit_flags, kOfRuntime);
  if (enter_flags != kOfRuntime && enter_flags != kOfProgram) CHECK_EQ(enter_flags, kOfRuntime);
  // A null pointer is nobody's frame; the program is never said to have one.
  CHECK(exit_flags == kOfRuntime || frame->exit_frame.ptr != NULL);
  CHECK(enter_flags == kOfRuntime || frame->enter_frame.ptr != NULL);
  atomic_fetch_add(&of_program, exit_flags == kOfProgram);
  atomic_fetch_add(&looked_at, 1);
}

/// Looks at the frames of all tasks that the thread is in.
static void look_at_all(void) {
  ompt_frame_t* frame = NULL;
  for (int level = 0; task_info(level, NULL, NULL, &frame, NULL, NULL) == 2; ++level) look(frame);
}

static void on_region(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned requested, int flags,
                      const void* site) {
  look(frame);
}
static void on_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags, int dependences,
                      const void* site) {
  if (frame != NULL) look(frame);
  look_at_all();
}
static void on_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) { look_at_all(); }
static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned size,
                        unsigned index, int flags) {
  if (endpoint == ompt_scope_begin) look_at_all();
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_region);
  set(ompt_callback_task_create, (ompt_callback_t)on_create);
  set(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}

/// The frame of the innermost task, which must be called by that code's owner.
static void called_by(int owner) {
  ompt_frame_t* frame = NULL;
  CHECK_EQ(task_info(0, NULL, NULL, &frame, NULL, NULL), 2);
  CHECK_EQ(frame->exit_frame_flags, owner);
  CHECK(frame->exit_frame.ptr != NULL);
  CHECK_EQ(frame->enter_frame_flags, kOfRuntime);
  CHECK(frame->enter_frame.ptr == NULL);
  look_at_all();
}

static void all_tasks(void) {
  called_by(kOfRuntime);
#pragma omp task
  called_by(kOfRuntime);
#pragma omp task untied
  called_by(kOfRuntime);
#pragma omp taskwait
#ifdef __clang__
  const int undeferred = kOfProgram; // Clang's code calls the task itself
#else
  const int undeferred = kOfRuntime;
#endif
#pragma omp task if (0)
  {
    called_by(undeferred);
    ompt_frame_t* outer = NULL;
    CHECK_EQ(task_info(1, NULL, NULL, &outer, NULL, NULL), 2);
    CHECK_EQ(outer->enter_frame_flags, kOfRuntime);
    CHECK(outer->enter_frame.ptr != NULL);
#pragma omp task if (0)
    called_by(undeferred);
    called_by(undeferred); // as before the inner task
  }
  called_by(kOfRuntime); // as before the task
#pragma omp taskloop num_tasks(4)
  for (int i = 0; i < 4; ++i) look_at_all();
  int x = 0;
#pragma omp task depend(out : x) shared(x)
  ++x;
#pragma omp taskwait depend(in : x)
}

int main(void) {
  CHECK(omp_get_max_threads() > 0); // starts the tool
  look_at_all();
#pragma omp parallel
  all_tasks();
#pragma omp parallel num_threads(1)
  {
#pragma omp parallel num_threads(1)
    called_by(kOfRuntime);
    all_tasks();
  }
#pragma omp parallel if (0)
  called_by(kOfRuntime);
  look_at_all();
  CHECK(atomic_load(&looked_at) > 50);
#ifdef __clang__
  CHECK(atomic_load(&of_program) > 0);
#endif
  return 0;
}
