// A tool that declines (-DDECLINES), or whose initialiser says no.
#include <omp-tools.h>
#include <stddef.h>
static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t* data) { return 0; }
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
#ifdef DECLINES
  return NULL;
#else
  return &result;
#endif
}
