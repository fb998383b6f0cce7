// The calls of a region's outlined code, in assembly (machine_*.S): it takes as many arguments as the program says.
#pragma once

#include <cstdint>

namespace chomp {

/// The outlined body of a parallel region: (gtid*, tid*, captured…).
using Microtask = void (*)(int32_t* gtid, int32_t* tid, ...);

/// Calls microtask(gtid, tid, argv[0], …).
extern "C" void chomp_invoke_microtask(Microtask microtask, int32_t* gtid, int32_t* tid, int argc, void** argv);
/// The same; its frame is stored in *frame, for tools.
extern "C" void chomp_invoke_microtask_noted(Microtask microtask, int32_t* gtid, int32_t* tid, int argc, void** argv,
                                             const void** frame);

} // namespace chomp
