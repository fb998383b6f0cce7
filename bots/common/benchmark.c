// Implementation of benchmark.h: options, one timed run of the chosen version, one of the serial version on request,
// report.
#define _POSIX_C_SOURCE 200809L

#include "benchmark.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAXIMUM_PARAMETERS = 8 };

struct request {
  const struct benchmark_version* version;
  enum { BY_ONE_THREAD, BY_TEAM, LOOSE } way; // the list that the version is from
  bool check;
  bool time_serial;
};

/// The end of a list of versions; a list that is absent ends at once.
static bool is_end(const struct benchmark_version* version) { return version == NULL || version->name == NULL; }

static void print_help(const struct benchmark* benchmark) {
  printf("%s: %s\n\n", benchmark->name, benchmark->summary);
  for (const struct benchmark_parameter* parameter = benchmark->parameters; parameter->letter != 0; parameter++)
    printf("  -%c N        %s (default %" PRId64 ")\n", parameter->letter, parameter->meaning, *parameter->value);
  printf("  -v VERSION  one of those below (default %s)\n", benchmark->default_version);
  printf("  -c          check the answer; times the serial version as well\n");
  printf("  -s          time the serial version as well, without checking\n");
  printf("  -h          this help\n\nVersions:");
  const struct benchmark_version* const lists[] = {benchmark->versions, benchmark->team_versions,
                                                   benchmark->loose_versions};
  for (int way = BY_ONE_THREAD; way <= LOOSE; way++)
    for (const struct benchmark_version* version = lists[way]; !is_end(version); version++)
      printf(" %s", version->name);
  printf("\nThreads: OMP_NUM_THREADS. What the versions are: README.md.\n");
}

static const struct benchmark_version* find_in(const struct benchmark_version* versions, const char* name) {
  for (const struct benchmark_version* version = versions; !is_end(version); version++)
    if (strcmp(version->name, name) == 0) return version;
  return NULL;
}

static void choose_version(const struct benchmark* benchmark, const char* name, struct request* request) {
  const struct benchmark_version* const lists[] = {benchmark->versions, benchmark->team_versions,
                                                   benchmark->loose_versions};
  for (int way = BY_ONE_THREAD; way <= LOOSE; way++) {
    request->way = way;
    request->version = find_in(lists[way], name);
    if (request->version != NULL) return;
  }
  fprintf(stderr, "%s: no version '%s'; -h lists them\n", benchmark->name, name);
  exit(EXIT_FAILURE);
}

/// True if `letter` is one of the program's own options; then its value has been set.
static bool set_parameter(const struct benchmark* benchmark, int letter, const char* text) {
  for (const struct benchmark_parameter* parameter = benchmark->parameters; parameter->letter != 0; parameter++) {
    if (parameter->letter != letter) continue;
    *parameter->value = parse_integer(parameter->letter, text, parameter->minimum, parameter->maximum);
    return true;
  }
  return false;
}

static struct request parse_options(const struct benchmark* benchmark, int argc, char** argv) {
  char letters[2 * MAXIMUM_PARAMETERS + sizeof "v:csh"] = "v:csh";
  size_t used = strlen(letters);
  for (const struct benchmark_parameter* parameter = benchmark->parameters; parameter->letter != 0; parameter++) {
    letters[used++] = parameter->letter;
    letters[used++] = ':';
  }
  struct request request = {0};
  choose_version(benchmark, benchmark->default_version, &request);
  for (int letter; (letter = getopt(argc, argv, letters)) != -1;) {
    if (set_parameter(benchmark, letter, optarg)) continue;
    switch (letter) {
    case 'v': choose_version(benchmark, optarg, &request); break;
    case 'c': request.check = true; break;
    case 's': request.time_serial = true; break;
    case 'h': print_help(benchmark); exit(EXIT_SUCCESS);
    default: exit(EXIT_FAILURE); // getopt has said what is wrong
    }
  }
  if (optind != argc) {
    fprintf(stderr, "%s: '%s' is not an option; see -h\n", benchmark->name, argv[optind]);
    exit(EXIT_FAILURE);
  }
  const char* complaint = benchmark->complaint != NULL ? benchmark->complaint() : NULL;
  if (complaint != NULL) {
    fprintf(stderr, "%s: %s\n", benchmark->name, complaint);
    exit(EXIT_FAILURE);
  }
  return request;
}

/// Seconds taken by one run of the serial version; its input is made before the clock starts.
static double time_serial_version(const struct benchmark* benchmark) {
  if (benchmark->prepare != NULL) benchmark->prepare();
  const double begin = seconds_now();
  benchmark->versions[0].run();
  return seconds_now() - begin;
}

/// Seconds taken by one run of a parallel version, the opening and closing of its parallel regions included.
static double time_parallel_version(const struct benchmark* benchmark, const struct request* request) {
  const struct benchmark_version* const version = request->version;
  if (benchmark->prepare != NULL) benchmark->prepare();
  const double begin = seconds_now();
  if (request->way == LOOSE) {
    version->run();
  } else if (request->way == BY_TEAM) {
#pragma omp parallel
    version->run();
  } else {
#pragma omp parallel
    {
#pragma omp single
      version->run();
    }
  }
  return seconds_now() - begin;
}

int benchmark_main(const struct benchmark* benchmark, int argc, char** argv) {
  const struct request request = parse_options(benchmark, argc, argv);
  const bool serial = request.version == &benchmark->versions[0];
  const int threads = serial ? 1 : benchmark->start != NULL ? benchmark->start() : start_threads();

  report_text("Program", "%s", benchmark->name);
  report_text("Version", "%s", request.version->name);
  for (const struct benchmark_parameter* parameter = benchmark->parameters; parameter->letter != 0; parameter++)
    report_text("Parameter", "-%c %" PRId64 " (%s)", parameter->letter, *parameter->value, parameter->meaning);
  report_text("Threads", "%d", threads);

  const double seconds = serial ? time_serial_version(benchmark) : time_parallel_version(benchmark, &request);
  enum verification outcome = request.check ? benchmark->verify() : VERIFICATION_NOT_PERFORMED;
  if (benchmark->report_answer != NULL) benchmark->report_answer();

  double serial_seconds = seconds;
  if (!serial && (request.check || request.time_serial)) {
    const bool compare = request.check && benchmark->keep_answer != NULL;
    if (compare) benchmark->keep_answer();
    serial_seconds = time_serial_version(benchmark);
    if (compare && !benchmark->is_kept_answer()) outcome = VERIFICATION_UNSUCCESSFUL;
  }
  report_verification(outcome);
  report_seconds("Time Program", seconds);
  if (request.check || request.time_serial) {
    report_seconds("Time Sequential", serial_seconds);
    report_text("Speed-up", "%.3f", serial_seconds / seconds);
  }
  return exit_status(outcome);
}
