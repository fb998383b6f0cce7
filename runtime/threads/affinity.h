// Reports of where threads run, and the masks of Intel's kmp_*_affinity_* routines. (Places and binding: binding.h.)
#pragma once

#include <cstddef>

namespace chomp {

struct CpuMask;
struct Team;
struct Worker;

// ---- affinity format (OpenMP 5.2, 21.7): affinity_format.cpp --------------------------------------------------------

/// Sets affinity-format-var. A format that is too long is cut.
void affinity_format_set(const char* format);

/// Copies a string into `buffer`, cut to fit, with a zero byte unless `size` is 0. Returns the whole length of the
/// string.
size_t affinity_copy(const char* text, char* buffer, size_t size);

/// Expands `format` (null or empty: affinity-format-var) for the calling thread into `buffer`, cut to fit. Returns the
/// whole length.
size_t affinity_capture(Worker* worker, const char* format, char* buffer, size_t size);

/// Writes the same as a line to standard output, as libomp does.
void affinity_display(Worker* worker, const char* format);

/// OMP_DISPLAY_AFFINITY (OpenMP 5.2, 21.7): all threads of a team print their lines if one of them would print another
/// place, team size or level than in its last line. The primary decides before the region; each member prints its own
/// line.
void affinity_decide_display(Worker* worker, Team* team);
void affinity_show(Worker* worker);

inline constexpr size_t kMaskText = 1024;
/// CPUs as a list of numbers and ranges: "0-3,8,9".
void affinity_mask_text(const CpuMask& mask, char* text, size_t size);

// ---- masks: affinity_mask.cpp ---------------------------------------------------------------------------------------
// The result 0 means success. It is -1 for a CPU number out of range, and for everything with KMP_AFFINITY=disabled; it
// is -2 for a CPU that the process may not use.

void* affinity_mask_make();
void affinity_mask_free(void* mask);
/// One more than the largest CPU number; 0 with KMP_AFFINITY=disabled.
int affinity_mask_cpus();
int affinity_mask_set(void* mask, int cpu, bool on);
/// 1 or 0; also 0 if the process may not use the CPU.
int affinity_mask_has(const void* mask, int cpu);
/// Binds the calling thread to the mask. In the regions of its current task it no longer follows places. Returns an
/// errno value on failure.
int affinity_mask_apply(Worker* worker, const void* mask);
/// Gives the calling thread the CPUs of binding_available().
int affinity_mask_restore(Worker* worker);
/// Reads where the calling thread may run.
int affinity_mask_read(void* mask);

} // namespace chomp
