// Without a fault up to C++17: a relaxed store of the thread that has released goes on with its release sequence. In
// C++20 it does not (P0982).
// RUN: %at-each-level -std=c++17 --levels 02 %t %s
// RUN: %at-each-level -std=c++20 --levels 02 --find 'data race: `payload`' %t %s
#include <atomic>
#include <cstdio>
#include <thread>

static int payload;
static std::atomic<int> state;

int main() {
  int got = 0;
  std::thread writer([] {
    payload = 1;
    state.store(1, std::memory_order_release);
    state.store(2, std::memory_order_relaxed);
  });
  std::thread reader([&] {
    while (state.load(std::memory_order_acquire) != 2) {
    }
    got = payload;
  });
  writer.join();
  reader.join();
  std::printf("%d\n", got);
}
