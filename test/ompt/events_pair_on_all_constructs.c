// Every begin has its end, on one of each construct, as Clang compiles it: checked by a tool (support/checker.c).
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -O1 -shared -fPIC %S/support/checker.c -o %t.so
// RUN: %clang-openmp %s -o %t
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so %t | grep ", 0 faults"
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so OMP_THREAD_LIMIT=1 %t | grep ", 0 faults"
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so OMP_MAX_ACTIVE_LEVELS=3 %t | grep ", 0 faults"
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so OMP_MAX_ACTIVE_LEVELS=3 CHOMP_NESTED=light KMP_WARNINGS=0 %t | grep ", 0 faults"
#include "support/constructs.h"
int main(void) { return use_all_constructs(); }
