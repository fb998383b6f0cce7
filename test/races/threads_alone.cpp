// A program of std::thread alone is explored without more words.
// RUN: %chomp-cxx -fno-openmp -pthread -std=c++17 %s -o %t
// RUN: not %chomp-explore %t 2>&1 | grep 'deadlock: every thread waits'
// RUN: not %chomp-explore --exhaustive %t 2>&1 | grep 'deadlock: every thread waits'
// RUN: %chomp-cxx -fno-openmp -pthread -std=c++17 -DRIGHT %s -o %t.right
// RUN: %chomp-explore --exhaustive %t.right 2>&1 | grep 'all 2 orders explored: none fails'
// More threads than there may be is not the program's fault.
// RUN: sh -c '%chomp-explore --runs 1 %t.right many; test $? -eq 4'
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex one, other;

int main(int count, char**) {
  std::thread many[200];
  for (int i = 0; i < 200 && count > 1; ++i) many[i] = std::thread([] {});
  for (int i = 0; i < 200 && count > 1; ++i) many[i].join();
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
