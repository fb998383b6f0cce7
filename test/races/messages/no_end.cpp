// RUN: %each-message %t %s
// clang-format off
// OPTIONS: --threads 2 --steps 1000000
// SAYS: chomp explore: no end: livelock: (threads run, but none has changed anything in the last \d+ steps|a thread reads an atomic again and again, and nobody is left to change it)
// SAYS:     thread 0 of the parallel region at no_end.cpp:17 is at no_end.cpp:11 \(in std::__atomic_base::load, atomic_base.h:\d+\)
// SAYS:     thread 1 of the parallel region at no_end.cpp:17 waits for the end of the parallel region
// clang-format on
#include <atomic>
#include <omp.h>
static void wait_for(const std::atomic<int>& state, int value) {
  while (state.load() != value) {
  }
}

int main() {
  std::atomic<int> state{0};
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    wait_for(state, 2);
  else
    state = 1;
}
