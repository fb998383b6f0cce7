// What the fuzzers share. An input that breaks a promise ends the process, as a sanitizer's finding does: libFuzzer
// then keeps the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/// tools/fuzz gives every fuzzer this name in its environment: a file for what was broken, since standard error is full
/// of the messages under test.
[[noreturn]] inline void fuzz_failed(const char* what, const char* which) {
  if (const char* path = getenv("FUZZ_REPORT")) {
    if (FILE* report = fopen(path, "a")) {
      fprintf(report, "%s: %s\n", what, which);
      fclose(report);
    }
  }
  abort();
}
