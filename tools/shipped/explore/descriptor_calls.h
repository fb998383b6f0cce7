// See descriptor_calls.cpp.
#pragma once

namespace explore {

/// Before the program's call writes there, or reads: others run while it would block.
void sends(int file, const char* name, const void* pc);
void receives(int file, const char* name, const void* pc);

} // namespace explore
