// Finds the function and the source line of an address of code. The stall report uses this beside a program that hangs.
// So it uses neither malloc nor the loader's lists, but reads the files itself. Lines need debug information in the
// file (-g; not compressed, not split off).
#pragma once

#include <cstdint>

namespace chomp {

struct SourceLine {
  char module[256] = "";   // the file that the code is in; empty: none is known
  uint64_t offset = 0;     // of the address in `module`, as addr2line takes it
  char function[256] = ""; // as the linker knows it; empty: the file has no such symbol
  char file[256] = "";     // of the source, without folders; empty: no debug information
  int line = 0;
  uint64_t bytes_before = 0; // of the line's code
};

/// `address`: with `is_entry`, where a function begins; else where a call returns to, and the line is that of the call.
/// Called by one thread at a time.
SourceLine source_line(uintptr_t address, bool is_entry);

} // namespace chomp
