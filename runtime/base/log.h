// What chomp says to people: one write(2) of a fixed buffer per message, on standard error, safe at any time (no
// malloc, no stdio, no locks). There are four kinds of error (CONTRIBUTING.md) and no others:
//   CHECK (base/check.h)  cannot happen, cheap, always on
//   DCHECK                invariant walks of debug builds
//   fatal()               the environment broke or the program is non-conforming beyond repair
//   warn()                a bad user setting, then the default
#pragma once

namespace chomp {

/// Prints "chomp: <message>\n" and aborts the process.
[[noreturn]] void fatal(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Like fatal(), with the source location of the construct. `source_location` is the `psource` string of an `ident_t`
/// (";file;function;line;column;;"), or null when the compiler gave none.
[[noreturn]] void fatal_at(const char* source_location, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Prints "OMP: Warning #<number>: <message>\n", unless KMP_WARNINGS is off. Number 0 prints "OMP: Warning: …".
void warn(int number, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Prints "OMP: Warning: <location>: <message>\n" under the same condition, with the location as in fatal_at().
void warn_at(const char* source_location, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Prints "OMP: Info #<number>: <message>\n", under the same condition as warn().
void inform(int number, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Prints "OMP: Hint: <message>\n", under the same condition as warn().
void hint(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Prints the formatted text alone, to standard error.
void print(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Prints `text` once, behind the first message of warn(), inform() or hint(): their form is libomp's, so something has
/// to say which library they come from. `text` stays where it is.
void set_introduction(const char* text);

/// For KMP_WARNINGS and kmp_set_warnings_on/off.
void set_warnings(bool on);

} // namespace chomp
