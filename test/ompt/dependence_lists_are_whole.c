// A tool is told all that a task depends on, however long the list is: iterators make long ones.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -fopenmp-version=52 -rdynamic %s -o %t && %chomp-run %t
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic %s -o %t.gcc && %chomp-run %t.gcc %}
#include <omp-tools.h>
#include <stdint.h>

#include "support/check.h"

enum { LONGEST = 3000 };
static char items[LONGEST];
static int length;
static char named[LONGEST];

static void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  length = count;
  for (int i = 0; i < count; ++i) {
    long which = (char*)list[i].variable.ptr - items;
    if (which >= 0 && which < LONGEST) named[which]++;
  }
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ((ompt_set_callback_t)lookup("ompt_set_callback"))(ompt_callback_dependences, (ompt_callback_t)on_dependences);
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}

static void one_task(int count) {
  length = 0;
  for (int i = 0; i < LONGEST; ++i) named[i] = 0;
#pragma omp task depend(iterator(i = 0 : count), out : items[i])
  {
  }
  CHECK_EQ(length, count);
  for (int i = 0; i < LONGEST; ++i) CHECK_EQ(named[i], i < count);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int count = 1; count <= LONGEST; count += count < 300 ? 1 : 450) one_task(count);
  return 0;
}
