// omp_pause_resource_all(omp_pause_stop_tool) (OpenMP 6.0, 20.11.1) ends the tool: it is told so, and hears no more. It
// is refused in a region, for a single device, and when a kind is not known. The tool is in the program.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t -L%lib && %for-threads %t
#include <omp-tools.h>
#include <omp.h>

#include "support/check.h"

enum { kSoft = 1, kHard = 2, kStopTool = 3 };

static int begun, finalized;

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned threads,
                              int flags, const void* site) {
  begun++;
}

static int initialise(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  return 1;
}
static void finalize(ompt_data_t* data) { finalized++; }

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialise, finalize, {0}};
  return &result;
}

static void region(void) {
  int threads = 0, refused = 0;
#pragma omp parallel reduction(+ : threads, refused)
  {
    threads++;
    refused += omp_pause_resource_all((omp_pause_resource_t)kStopTool) != 0;
#pragma omp task
    burn(10);
  }
  CHECK_EQ(refused, threads);
}

int main(void) {
  region();
  CHECK_EQ(begun, 1);
  CHECK(omp_pause_resource((omp_pause_resource_t)kStopTool, omp_get_initial_device()) != 0);
  CHECK(omp_pause_resource_all((omp_pause_resource_t)4) != 0);
  CHECK_EQ(omp_pause_resource_all((omp_pause_resource_t)kSoft), 0);
  CHECK_EQ(omp_pause_resource_all((omp_pause_resource_t)kHard), 0);
  region();
  CHECK_EQ(begun, 2);
  CHECK_EQ(finalized, 0);
  CHECK_EQ(omp_pause_resource_all((omp_pause_resource_t)kStopTool), 0);
  CHECK_EQ(finalized, 1);
  region();
  CHECK_EQ(begun, 2);
  CHECK_EQ(omp_pause_resource_all((omp_pause_resource_t)kStopTool), 0); // there is none any more
  CHECK_EQ(finalized, 1);
  return 0;
}
