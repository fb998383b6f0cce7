// Implementation of report.h. The only output of a benchmark program goes through here, so that scripts can read it.
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { NAME_COLUMNS = 19 };

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int start_threads(void) {
  int threads = 1;
#ifdef _OPENMP // else it is a twin for another library, which starts its own
#pragma omp parallel shared(threads)
  {
#pragma omp single
    threads = omp_get_num_threads();
  }
#endif
  return threads;
}

void report_text(const char* name, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("%-*s = ", NAME_COLUMNS, name);
  vprintf(format, arguments);
  putchar('\n');
  va_end(arguments);
}

void report_seconds(const char* name, double seconds) { report_text(name, "%.6f seconds", seconds); }

void report_verification(enum verification outcome) {
  static const char* const words[] = {"NOT PERFORMED", "SUCCESSFUL", "UNSUCCESSFUL"};
  report_text("Verification", "%s", words[outcome]);
}

int exit_status(enum verification outcome) {
  return outcome == VERIFICATION_UNSUCCESSFUL ? EXIT_FAILURE : EXIT_SUCCESS;
}

int64_t parse_integer(char letter, const char* text, int64_t minimum, int64_t maximum) {
  char* end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < minimum || value > maximum) {
    fprintf(stderr, "option -%c: '%s' is not a whole number from %" PRId64 " to %" PRId64 "\n", letter, text, minimum,
            maximum);
    exit(EXIT_FAILURE);
  }
  return value;
}

double parse_real(char letter, const char* text, double minimum, double maximum) {
  char* end;
  const double value = strtod(text, &end);
  // Written so that a NaN is refused as well.
  if (end == text || *end != '\0' || !(value >= minimum && value <= maximum)) {
    fprintf(stderr, "option -%c: '%s' is not a number from %g to %g\n", letter, text, minimum, maximum);
    exit(EXIT_FAILURE);
  }
  return value;
}

void* allocate_or_exit(uint64_t bytes) {
  void* memory = malloc(bytes);
  if (memory == NULL && bytes != 0) {
    fprintf(stderr, "out of memory: %" PRIu64 " bytes refused\n", bytes);
    exit(EXIT_FAILURE);
  }
  return memory;
}
