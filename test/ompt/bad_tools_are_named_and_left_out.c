// A tool that cannot be loaded, or is none: one message that names it; the program goes on. One that declines, by its
// start function or its initialiser, as where OMP_TOOL_LIBRARIES is set for a whole site: no message.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: %clang -shared -fPIC -DDECLINES %S/support/declines.c -o %t.declines.so
// RUN: %clang -shared -fPIC %S/support/declines.c -o %t.fails.so
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=nowhere/tool.so %t 2>%t.err && grep -c "cannot be loaded: nowhere/tool.so" %t.err | grep -x 1
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=libm.so.6 %t 2>%t.err && grep -c "libm.so.6 is no tool" %t.err | grep -x 1
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.declines.so %t 2>%t.err && test ! -s %t.err
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.fails.so %t 2>%t.err && test ! -s %t.err
// RUN: %chomp-run env OMP_TOOL=disabled OMP_TOOL_LIBRARIES=nowhere/tool.so %t >%t.out 2>&1 && test ! -s %t.out
#include <omp.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 1;
  return sum != 2 || omp_control_tool(1, 0, NULL) != -2;
}
