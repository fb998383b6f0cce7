// forkjoin-matmul: a matrix product, of which the longest side is halved: a task for one half and a call for the other.
// The answer is in matmul.h, the tasks are in matmul_tasks.h; README.md has the publications.
#include "forkjoin/matmul.h"

#define TASKS_TIED
#include "common/tiedness.h"
#include "matmul_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "matmul_tasks.h"

int main(int argc, char** argv) {
  static const struct benchmark_version versions[] = {
      {"serial", run_serial}, {"tied", run_tied}, {"untied", run_untied}, {NULL, NULL}};
  static const struct benchmark benchmark = {ABOUT, .versions = versions, .default_version = "tied", .prepare = prepare,
                                             .verify = verify};
  return benchmark_main(&benchmark, argc, argv);
}
