// epcc-schedules: repetitions of a loop over short iterations, with every schedule. README.md has the publications.
// Invariant: in each repetition an iteration is done once, and adds to its own value.
#include "epcc/delay.h"

#include <stdlib.h>
#include <string.h>

static int64_t iterations = 4096;
static int64_t repetitions = 20;
static int64_t chunk = 16;
static int64_t length = 16;
static uint64_t* values;

static void run_serial(void) {
  for (int64_t repetition = 0; repetition < repetitions; repetition++)
    for (int64_t i = 0; i < iterations; i++) values[i] += delay(i + repetition, length);
}

/// A function run by every thread of the team. (OpenMP expands macros in its directives, but not across a #pragma in a
/// macro.)
#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, ...)                                                                                                \
  static void name(void) {                                                                                             \
    for (int64_t repetition = 0; repetition < repetitions; repetition++) {                                             \
      PRAGMA(omp for __VA_ARGS__)                                                                                      \
      for (int64_t i = 0; i < iterations; i++) values[i] += delay(i + repetition, length);                             \
    }                                                                                                                  \
  }

LOOP(run_static, schedule(static))
LOOP(run_static_chunk, schedule(static, chunk))
LOOP(run_dynamic, schedule(dynamic))
LOOP(run_dynamic_chunk, schedule(dynamic, chunk))
LOOP(run_monotonic_chunk, schedule(monotonic : dynamic, chunk))
LOOP(run_guided, schedule(guided))
LOOP(run_guided_chunk, schedule(guided, chunk))
LOOP(run_auto, schedule(auto))

static void prepare(void) {
  if (values == NULL) values = allocate_or_exit((uint64_t)iterations * sizeof(*values));
  memset(values, 0, (size_t)iterations * sizeof(*values));
}

static enum verification verify(void) {
  for (int64_t i = 0; i < iterations; i++) {
    uint64_t expected = 0;
    for (int64_t repetition = 0; repetition < repetitions; repetition++) expected += delay(i + repetition, length);
    if (values[i] != expected) return VERIFICATION_UNSUCCESSFUL;
  }
  return VERIFICATION_SUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "iterations", &iterations, 1, 1 << 28},
      {'t', "repetitions", &repetitions, 1, 1 << 24},
      {'k', "chunk, for the versions -chunk", &chunk, 1, 1 << 20},
      {'d', "steps of an iteration", &length, 0, 1 << 28},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", run_serial}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {
      {"static", run_static},
      {"static-chunk", run_static_chunk},
      {"dynamic", run_dynamic},
      {"dynamic-chunk", run_dynamic_chunk},
      {"monotonic-chunk", run_monotonic_chunk},
      {"guided", run_guided},
      {"guided-chunk", run_guided_chunk},
      {"auto", run_auto},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "epcc-schedules",
      .summary = "short iterations with every schedule",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .default_version = "static",
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(values);
  return status;
}
