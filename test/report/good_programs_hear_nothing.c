// `chomp report` finds nothing to change in good programs. On a machine with much to do it says that, and what it says
// of the programs is not judged.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -g %S/faults.c -o %t
// RUN: %library-path %python %S/check_report %build %t good
