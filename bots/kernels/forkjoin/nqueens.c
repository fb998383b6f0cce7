// forkjoin-nqueens: all solutions of the n queens problem, a task for each queen that can be placed. The answer is in
// nqueens.h, the tasks are in nqueens_tasks.h; README.md has the publications.
#include "forkjoin/nqueens.h"

#define TASKS_TIED
#include "common/tiedness.h"
#include "nqueens_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "nqueens_tasks.h"

int main(int argc, char** argv) {
  static const struct benchmark_version versions[] = {
      {"serial", run_serial}, {"tied", run_tied}, {"untied", run_untied}, {NULL, NULL}};
  static const struct benchmark benchmark = {ABOUT, .versions = versions, .default_version = "tied", .verify = verify,
                                             .report_answer = report_answer};
  return benchmark_main(&benchmark, argc, argv);
}
