// `chomp report` names the one fault of each program of faults.c, at its line; its ten categories are all of the time;
// text, JSON and page say the same.
// LOOKS AT: tools/shipped/analyse tools/shipped/recording tools/shipped/chomp runtime/observe
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -g %S/faults.c -o %t
// RUN: %library-path %python %S/check_report %build %t faults
