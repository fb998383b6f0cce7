// The line of source of an address, also where the compiler's tables name none (line 0): that of the code before.
// RUN: %clangxx -std=c++20 -g -I%root %s %root/runtime/observe/source_line.cpp -o %t && %t
#include "runtime/observe/source_line.h"
#include "test/unit/check_that.h"

using namespace chomp;

extern "C" const char first[], compilers_own[], second[];

static void lines() {
  asm volatile(".loc 1 100\n"
               ".globl first, compilers_own, second\n"
               "first: nop\n"
               ".loc 1 0\n"
               "compilers_own: nop\n"
               ".loc 1 200\n"
               "second: nop\n"
               ".loc 1 300\n"
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
  return result();
}
