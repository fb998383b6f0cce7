// What the oneTBB twins share: the threads, as many as OMP_NUM_THREADS says, and main().
#ifndef KERNELS_FORKJOIN_TWIN_H
#define KERNELS_FORKJOIN_TWIN_H

#include "common/benchmark.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <cstdlib>

/// Starts the threads before the clock, as start_threads() does.
static int start_tbb_threads(void) {
  const char* const wanted = std::getenv("OMP_NUM_THREADS");
  const int threads = wanted != nullptr && std::atoi(wanted) > 0 ? std::atoi(wanted) : 1;
  static tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  tbb::parallel_for(0, 1000 * threads, [](int) {});
  return threads;
}

/// Its one parallel version has the name of the version beside which tools/bench programs runs it.
#define TWIN_MAIN(...)                                                                                                 \
  int main(int argc, char** argv) {                                                                                    \
    static const benchmark_version versions[] = {{"serial", run_serial}, {nullptr, nullptr}};                          \
    static const benchmark_version loose[] = {{"tied", run_twin}, {nullptr, nullptr}};                                 \
    static const benchmark twin = {ABOUT,                                                                              \
                                   .versions = versions,                                                               \
                                   .team_versions = nullptr,                                                           \
                                   .loose_versions = loose,                                                            \
                                   .default_version = "tied",                                                          \
                                   .start = start_tbb_threads,                                                         \
                                   .complaint = nullptr,                                                               \
                                   __VA_ARGS__};                                                                       \
    return benchmark_main(&twin, argc, argv);                                                                          \
  }

#endif
