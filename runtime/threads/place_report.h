// KMP_AFFINITY=verbose: what chomp found and did, in libomp's words.
#pragma once

#include "runtime/machine/hardware.h"

namespace chomp {

/// The process's mask, and whether it limits the threads.
void report_mask(const CpuMask& initial, bool respected);

/// The machine's shape and what each CPU is.
void report_hardware(const Hardware& hardware);

} // namespace chomp
