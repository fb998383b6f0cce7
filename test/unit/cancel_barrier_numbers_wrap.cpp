// RUN: %clangxx -std=c++20 -I%root %s -o %t && %t
// What a cancellation's word says of barriers is right after 2^29 of them, and after 2^32: the word has fewer bits for
// their number than members count.
#include "runtime/tasks/cancel.h"
#include "test/unit/check_that.h"

using namespace chomp;

int main() {
  constexpr uint32_t kParallel = 1;
  for (uint32_t kind = 1; kind <= 4; ++kind) THAT(cancel_kind(cancel_word(kind, 12345)) == kind);
  const uint32_t numbers[] = {
      0, 1, 7, (1u << 29) - 1, 1u << 29, (1u << 29) + 1, 1u << 30, 3u << 29, UINT32_MAX - 1, UINT32_MAX};
  for (uint32_t requested_at : numbers) {
    uint32_t word = cancel_word(kParallel, requested_at);
    THAT(!cancel_was_before(word, requested_at));    // in the same barrier as the requester
    THAT(cancel_was_before(word, requested_at + 1)); // has met it
    THAT(cancel_was_before(word, requested_at + 2));
    THAT(!cancel_was_before(word, requested_at - 1)); // is a barrier behind
  }
  return result();
}
