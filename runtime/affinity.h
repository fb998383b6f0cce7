// What chomp can tell about where threads run, and the masks of Intel's kmp_*_affinity_* routines. chomp itself binds
// no thread. Called by abi/omp_api.cpp, and by team.cpp for OMP_DISPLAY_AFFINITY.
#pragma once

#include <cstddef>

namespace chomp {

struct Worker;

// ---- affinity format (OpenMP 5.2, 21.7): affinity_format.cpp --------------------------------------------------------

/// Sets affinity-format-var; too long ones are cut.
void affinity_format_set(const char* format);

/// Copies a string, cut and ended with a zero byte if `size` allows; returns its whole length.
size_t affinity_copy(const char* text, char* buffer, size_t size);

/// Expands `format` (null or empty: affinity-format-var) for the calling thread into `buffer`, cut; returns the whole
/// length.
size_t affinity_capture(Worker* worker, const char* format, char* buffer, size_t size);

/// The same, as a line on standard error.
void affinity_display(Worker* worker, const char* format);

// ---- masks: affinity_mask.cpp ---------------------------------------------------------------------------------------
// 0 is success; a CPU number out of range gives -1.

void* affinity_mask_make();
void affinity_mask_free(void* mask);
/// One more than the largest CPU number.
int affinity_mask_cpus();
int affinity_mask_set(void* mask, int cpu, bool on);
/// 1 or 0.
int affinity_mask_has(const void* mask, int cpu);
/// Binds the calling thread; reads where it may run. An errno value on failure.
int affinity_mask_apply(const void* mask);
int affinity_mask_read(void* mask);

} // namespace chomp
