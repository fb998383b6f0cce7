// A program of std::thread alone is explored without more words.
// RUN: %chomp-cxx -fno-openmp -pthread -std=c++17 %s -o %t
// RUN: not %chomp-explore %t 2>&1 | grep 'deadlock: every thread waits'
// RUN: not %chomp-explore --exhaustive %t 2>&1 | grep 'deadlock: every thread waits'
// RUN: %chomp-cxx -fno-openmp -pthread -std=c++17 -DRIGHT %s -o %t.right
// RUN: %chomp-explore --exhaustive %t.right 2>&1 | grep 'all 2 orders explored: none fails'
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex one, other;

int main() {
  std::thread first([] {
    std::lock_guard<std::mutex> a(one);
#ifndef RIGHT
    std::lock_guard<std::mutex> b(other);
#endif
  });
  std::thread second([] {
#ifndef RIGHT
    std::lock_guard<std::mutex> b(other);
#endif
    std::lock_guard<std::mutex> a(one);
  });
  first.join();
  second.join();
  puts("done");
}
