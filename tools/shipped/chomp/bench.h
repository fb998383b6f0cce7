// What `chomp bench` has measured: for bench.c, which measures and prints, and bench_export.c.
#pragma once

#include "verdict.h"

enum { kMostCounts = 16, kOwn = 0, kChomp = 1 };

// What the rounds with one number of threads gave. Times are seconds.
struct Series {
  const char* threads; // OMP_NUM_THREADS; null: not set
  double seconds[2][kMostRounds], cpu[2][kMostRounds];
  int rounds;    // whole ones
  int failed[2]; // runs that have failed
  int status[2]; // how the last of them ended
};

struct Bench {
  char** words; // the program and its arguments
  const char* own;
  int cpus;
  double load_before, load_after;
  struct Series series[kMostCounts];
  int series_count;
};

struct Spread {
  double median, least, most;
};

struct Spread spread_of(const double* values, int count);
/// Of runs beside each other: above 1 where chomp's value is the smaller one.
struct Spread ratio_of(const double* own, const double* chomps, int rounds);
struct Verdict verdict_of(const struct Series* series);
/// Whether it is of no use for a comparison.
int is_empty(const struct Series* series);

/// Ends the command if the name has no ending of a form: .json, .csv, .md.
void check_export(const char* path);
void export_bench(const struct Bench* bench, const char* path);
