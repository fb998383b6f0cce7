// The driver that the bots programs share. A program fills in one `struct benchmark` and calls benchmark_main(),
// which parses the options, times the chosen version, checks its answer and prints the report. Options of every
// program: -v VERSION, -c (check), -s (time the serial version too), -h; those in `parameters` are the program's own.
#ifndef BENCHMARKS_BENCHMARK_H
#define BENCHMARKS_BENCHMARK_H

#include "report.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A number the user may set. A list of them ends with letter 0.
struct benchmark_parameter {
  char letter;
  const char* meaning;
  int64_t* value; // holds the default until the options are parsed
  int64_t minimum;
  int64_t maximum;
};

/// A way to compute the answer. A list of them ends with name NULL.
struct benchmark_version {
  const char* name;
  void (*run)(void);
};

/// The suite's versions, for the list of a program that has a run_… for each way to stop making tasks, tied and untied.
// clang-format off
#define VERSIONS_BY_CUTOFF VERSIONS_OF(tied), VERSIONS_OF(untied)
#define VERSIONS_OF(kind)                                                                                              \
  {#kind, run_none_##kind}, {#kind "-if", run_if_##kind}, {#kind "-final", run_final_##kind},                          \
  {#kind "-manual", run_manual_##kind}
// clang-format on

struct benchmark {
  const char* name;
  const char* summary;
  const struct benchmark_parameter* parameters;
  const struct benchmark_version* versions; // run by one thread of a parallel region; the first one, "serial", outside
  const struct benchmark_version* team_versions;  // run by every thread of the region at once; may be absent (NULL)
  const struct benchmark_version* loose_versions; // run outside of it; may be absent (NULL)
  const char* default_version;
  int (*start)(void);                // starts the threads and returns their number; OpenMP's if it is absent (NULL)
  const char* (*complaint)(void);    // what is wrong with the parameters taken together, or NULL; may be absent (NULL)
  void (*prepare)(void);             // untimed, before every run: make the input; may be absent (NULL)
  enum verification (*verify)(void); // checks the run that came last, without trusting another version
  // Both or neither. The first puts the answer of the run that came last aside, the second compares the serial run's
  // with it.
  void (*keep_answer)(void);
  bool (*is_kept_answer)(void);
  void (*report_answer)(void); // prints the answer if it is small; may be absent (NULL)
};

/// The whole of main(): returns the exit status, nonzero if the answer was checked and wrong.
int benchmark_main(const struct benchmark* benchmark, int argc, char** argv);

#ifdef __cplusplus
}
#endif

#endif
