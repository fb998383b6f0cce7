// The error directive (OpenMP 5.2, 8.5). Any thread may call this.
#pragma once

namespace chomp {

inline constexpr int kWarning = 1, kFatal = 2; // severities

/// Tells a tool and the user; a fatal one ends the program. `source`: ";file;function;line;column;;" or null. `message`
/// may be null.
void error_directive(int severity, const char* source, const char* message, const void* site);

} // namespace chomp
