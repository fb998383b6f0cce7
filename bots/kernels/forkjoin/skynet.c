// forkjoin-skynet: the numbers of 10^n leaves summed up a tree of tens, nine tasks and a call at each node. The answer
// is in skynet.h, the tasks are in skynet_tasks.h; README.md has the publications.
#include "forkjoin/skynet.h"

#define TASKS_TIED
#include "common/tiedness.h"
#include "skynet_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "skynet_tasks.h"

int main(int argc, char** argv) {
  static const struct benchmark_version versions[] = {
      {"serial", run_serial}, {"tied", run_tied}, {"untied", run_untied}, {NULL, NULL}};
  static const struct benchmark benchmark = {ABOUT, .versions = versions, .default_version = "tied", .verify = verify,
                                             .report_answer = report_answer};
  return benchmark_main(&benchmark, argc, argv);
}
