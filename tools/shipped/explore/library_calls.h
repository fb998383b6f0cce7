// What functions of libraries read and write for the program that calls them (library_calls.cpp, format_calls.cpp,
// fortran_calls.cpp): told as uses by the program, at the line of the call.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "tools/shipped/explore/strand.h"

namespace explore {

/// Whether a call from there is one of the program's own, in a run.
inline bool counts(const void* pc) {
  using namespace virtual_machine;
  return active && settings.races && !current->elsewhere && whose(pc) == Whose::kProgram;
}
inline void reads(const void* at, size_t bytes, const void* pc) {
  if (bytes != 0 && counts(pc)) virtual_machine::plain_access(at, bytes, false, pc);
}
inline void writes(const void* at, size_t bytes, const void* pc) {
  if (bytes != 0 && counts(pc)) virtual_machine::plain_access(at, bytes, true, pc);
}
inline void reads_text(const char* text, const void* pc) {
  if (text != nullptr && counts(pc)) virtual_machine::plain_access(text, strlen(text) + 1, false, pc);
}

/// The texts that `printf(format, ...)` prints are read, or with `scans` what `scanf` fills is written.
void uses_by_format(const char* format, va_list arguments, const void* pc);
void filled_by_format(const char* format, va_list arguments, int filled, const void* pc);

} // namespace explore
