// `chomp report` finds nothing to change in good programs, also on a machine with much to do.
// LOOKS AT: tools/shipped/analyse tools/shipped/recording tools/shipped/chomp runtime/observe
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -g %S/faults.c -o %t
// RUN: %library-path %python %S/check_report %build %t good
