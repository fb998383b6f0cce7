// Many callers, one machine: threads of a program that each call a parallel region, one after the other, as the threads
// of a server do that call a library for each request. Prints one line: regions a second, then the median and the 99th
// percentile of a region's time in microseconds.
//
// usage: callers [callers [seconds [microseconds of work in a region]]]
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { kChunks = 16 }; // of a region's work

// About as long as one region's work divided by kChunks. The result depends on every step.
double callers_chunk(void);

// In callers_omp.c or callers_tbb.cpp: all chunks, by as many threads as the library likes; their sum.
double callers_region(void);

#ifdef __cplusplus
}
#endif
