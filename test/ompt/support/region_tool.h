// A tool that is told of regions and implicit tasks alone, and can ask for tasks. Included after the test's on_begin(),
// on_end(), on_implicit() and `task_info`.
#pragma once

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_begin);
  set(ompt_callback_parallel_end, (ompt_callback_t)on_end);
  set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}
