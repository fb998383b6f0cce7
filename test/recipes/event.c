// All that observe a program see each taskyield: a tool by a callback of its own, the counters of chomp.h, CHOMP_STATS,
// and the timeline of a recorded run.
// REQUIRES: omp-tools
// RUN: %clang-openmp -rdynamic -I%root/abi %s -o %t && %for-threads %t
// RUN: env OMP_NUM_THREADS=2 CHOMP_STATS=%t.json CHOMP_RECORD=%t.rec %chomp-run %t
// RUN: grep -q '"total": .*"yields": 300[,}]' %t.json
// RUN: env OMP_NUM_THREADS=2 CHOMP_STATS=1 %chomp-run %t 2>&1 | grep -q ' yields'
// RUN: %build/bin/chomp-analyse trace --output %t.pftrace %t.rec && grep -aq 'comes to a taskyield' %t.pftrace
// RUN: %if perfetto %{ env PYTHONPATH=%S/../trace %python -c "import sys; from trace_reader import read; \
// RUN:   sys.exit(300 != sum(i.name == 'comes to a taskyield' for t in read('%t.pftrace').tracks.values() for i in t.instants))" %}
#include <omp-tools.h>
#include <omp.h>
#include <stdatomic.h>

#define CHOMP_WEAK
#include "chomp.h"
#include "support/check.h"

enum { kTaskYield = 38, kTasks = 100 };

static atomic_int told, told_site;

static void on_yield(ompt_data_t* task, const void* site) {
  CHECK(task != NULL);
  told++;
  told_site += site != NULL;
}

static int initialize(ompt_function_lookup_t look_up, int device, ompt_data_t* data) {
  ompt_set_callback_t set_callback = (ompt_set_callback_t)look_up("ompt_set_callback");
  CHECK_EQ(set_callback((ompt_callbacks_t)(kTaskYield + 1), (ompt_callback_t)on_yield), ompt_set_error);
  CHECK_EQ(set_callback((ompt_callbacks_t)kTaskYield, (ompt_callback_t)on_yield), ompt_set_always);
  return 1;
}
static void finalize(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialize, finalize, {0}};
  return &result;
}

int main(void) {
  chomp_counters_t before = {.size = sizeof before}, after = {.size = sizeof after};
  chomp_count_tasks(1);
#pragma omp parallel
  { // tasks are counted in regions that begin after that
  }
  CHECK_EQ(chomp_read_total(&before), 0);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
#pragma omp task
    {
#pragma omp taskyield
    }
#pragma omp task untied if (i % 2)
    {
#pragma omp taskyield
#pragma omp taskyield
    }
  }
  CHECK_EQ(chomp_read_total(&after), 0);
  CHECK_EQ(after.yields - before.yields, 3 * kTasks);
  CHECK_EQ(told, 3 * kTasks);
  CHECK_EQ(told_site, 3 * kTasks);
  return 0;
}
