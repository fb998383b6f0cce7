// What every benchmark program prints and parses, uts included: a clock, the aligned "name = value" lines, strict
// number parsing, and the untimed start of the OpenMP threads. Called by the main thread only, never from inside a
// task.
#ifndef BENCHMARKS_REPORT_H
#define BENCHMARKS_REPORT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum verification { VERIFICATION_NOT_PERFORMED, VERIFICATION_SUCCESSFUL, VERIFICATION_UNSUCCESSFUL };

/// Seconds since an arbitrary moment, from the operating system's monotonic clock: omp_get_wtime() would take the time
/// from the library that is being measured.
double seconds_now(void);

/// Opens an empty parallel region, so that the threads exist before the clock starts, and returns the size of its team.
int start_threads(void);

/// One output line each: the name padded to a common column, " = ", the value. `report_text` takes printf's arguments.
void report_text(const char* name, const char* format, ...) __attribute__((format(printf, 2, 3)));
void report_seconds(const char* name, double seconds);
void report_verification(enum verification outcome);

/// EXIT_FAILURE if the answer was checked and wrong, else EXIT_SUCCESS.
int exit_status(enum verification outcome);

/// The number in `text`, all of it, within [minimum, maximum]; otherwise a message naming option `-letter`, and exit.
int64_t parse_integer(char letter, const char* text, int64_t minimum, int64_t maximum);
double parse_real(char letter, const char* text, double minimum, double maximum);

/// malloc() that ends the program when memory is out: a benchmark has nothing else to do then. May be called from
/// tasks.
void* allocate_or_exit(uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif
