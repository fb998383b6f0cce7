// A tool that crashes where the environment variable CRASH says. For OMP_TOOL_LIBRARIES.
#include <omp-tools.h>
#include <stdlib.h>
#include <string.h>

static int crashes_in(const char* where) {
  const char* wanted = getenv("CRASH");
  return wanted != NULL && strcmp(wanted, where) == 0;
}

static void write_to_nowhere(void) {
  volatile int* nowhere = NULL;
  *nowhere = 1;
}

static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags,
                           int dependences, const void* site) {
  if (crashes_in("task")) write_to_nowhere();
}
static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned size,
                              int flags, const void* site) {
  if (crashes_in("region")) abort();
  if (crashes_in("library")) memset(*(void* volatile*)&parallel - (size_t)parallel, 0, 1);
}
static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_task_create, (ompt_callback_t)on_task_create);
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  if (crashes_in("start")) write_to_nowhere();
  return 1;
}
static void end(ompt_data_t* data) {
  if (crashes_in("end")) write_to_nowhere();
}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}
