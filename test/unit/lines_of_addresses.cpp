// The line of source of an address, also where the compiler's tables name none (line 0): that of the code before. Where
// a function begins, its own: not that of a last row of the function before, nor that of what is inlined there.
// RUN: %clangxx -std=c++20 -g -I%root %s %root/runtime/observe/source_line.cpp -o %t && %t
#include "runtime/observe/source_line.h"
#include "test/unit/check_that.h"

using namespace chomp;

extern "C" const char first[], compilers_own[], second[], entry[];

static void lines() {
  asm volatile(".loc 1 100\n"
               ".globl first, compilers_own, second, entry\n"
               "first: nop\n"
               ".loc 1 0\n"
               "compilers_own: nop\n"
               ".loc 1 200\n"
               "second: nop\n"
               ".loc 1 300\n"
               "nop\n"
               ".loc 1 300 0 is_stmt 0\n" // GCC 14 has these rows, of three lines, where a function of OpenMP begins
               ".loc 1 400 0 is_stmt 1\n"
               ".loc 1 500 0 is_stmt 0\n"
               "entry: nop\n"
               ".loc 1 600 0 is_stmt 1\n"
               "nop\n");
}

static SourceLine line_of(const char* code) { return source_line(reinterpret_cast<uintptr_t>(code) + 1, false); }

int main() {
  lines();
  THAT(line_of(first).line == 100);
  THAT(line_of(second).line == 200);
  THAT(line_of(compilers_own).line == 100);
  THAT(line_of(compilers_own).bytes_before == static_cast<uint64_t>(compilers_own - first));
  THAT(strcmp(line_of(compilers_own).file, line_of(first).file) == 0);
  THAT(source_line(reinterpret_cast<uintptr_t>(entry), true).line == 400);
  THAT(line_of(entry).line == 500);
  return result();
}
