// A tool that unwinds finds each task's code between the task's own frames, also where the next task runs on another
// stack segment: the frame by which the runtime called the task lies just above the task's code, the one in which the
// task waits just below (OpenMP 5.2, 19.4.4.28). The tool is in the program, and sets no callback about tasks but one.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic -fno-omit-frame-pointer %s -o %t && %chomp-run %t
// RUN: %chomp-run env CHOMP_SCHEDULER=steal OMP_STACKSIZE=1M %t
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic -fno-omit-frame-pointer %s -o %t.gcc && %chomp-run %t.gcc %}
#include <omp-tools.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

enum {
  kDeep = 1500,
  kOwn = 16000,
  kOfRuntime = 8192
}; // bytes of a task's code, and at most of the runtime's, in between

static ompt_get_task_info_t task_info;
static uintptr_t frames[kDeep + 1];
static int checked, segments;

static void on_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}

#define MUST(condition, level)                                                                                         \
  do                                                                                                                   \
    if (!(condition)) return printf("line %d: %s, %d below the top\n", __LINE__, #condition, level), 1;                \
  while (0)

/// Looks at the frames of all tasks below the current one. Returns 1 if one is wrong.
static int check_all(void) {
  for (int level = 0; level <= kDeep; ++level) {
    int flags = 0;
    ompt_frame_t* frame = NULL;
    MUST(task_info(level, &flags, NULL, &frame, NULL, NULL) == 2, level);
    uintptr_t exit = (uintptr_t)frame->exit_frame.ptr, enter = (uintptr_t)frame->enter_frame.ptr;
    uintptr_t own = frames[kDeep - level];
    MUST((flags & (level < kDeep ? ompt_task_explicit : ompt_task_implicit)) != 0, level);
    MUST(exit > own && exit - own < kOfRuntime, level);
    MUST(level > 0 ? enter < own && own - enter < kOwn + kOfRuntime : enter == 0, level);
    if (level == 0) continue;
    uintptr_t above = frames[kDeep - level + 1];
    segments += above > own || own - above > 3 * kOwn;
    ++checked;
  }
  return 0;
}

__attribute__((noinline)) static int nest(int depth) {
  char fill[kOwn];
  int wrong = 0;
  frames[depth] = (uintptr_t)__builtin_frame_address(0);
  __asm__ volatile("" ::"r"(fill) : "memory"); // all of it is needed
  if (depth == kDeep) return check_all();
#pragma omp task shared(wrong)
  wrong = nest(depth + 1);
#pragma omp taskwait
  __asm__ volatile("" ::"r"(fill) : "memory");
  return wrong;
}

int main(void) {
  int wrong = 0;
#pragma omp parallel num_threads(1)
  wrong = nest(0);
  printf("%d frames, %d segments\n", checked, segments);
  return wrong || checked != kDeep || segments < 2;
}
