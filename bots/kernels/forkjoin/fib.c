// forkjoin-fib: fib(n) by a task for n - 1 and a call for n - 2. The answer is in fib.h, the tasks are in
// fib_tasks.h; README.md has the publications.
#include "forkjoin/fib.h"

#define TASKS_TIED
#include "common/tiedness.h"
#include "fib_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "fib_tasks.h"

int main(int argc, char** argv) {
  static const struct benchmark_version versions[] = {
      {"serial", run_serial}, {"tied", run_tied}, {"untied", run_untied}, {NULL, NULL}};
  static const struct benchmark benchmark = {ABOUT, .versions = versions, .default_version = "tied", .verify = verify,
                                             .report_answer = report_answer};
  return benchmark_main(&benchmark, argc, argv);
}
