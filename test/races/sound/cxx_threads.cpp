// Without a fault: threads, futures, mutexes and atomics of C++, a variable that is initialised once.
// RUN: %chomp-cxx -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

struct Table {
  std::vector<int> values;
  Table() {
    for (int i = 0; i < 8; ++i) values.push_back(i);
  }
};

static const Table& table() {
  static const Table only;
  return only;
}

int main() {
  std::mutex lock;
  std::condition_variable changed;
  std::atomic<int> count{0};
  bool ready = false;
  std::string text;
  auto shared = std::make_shared<std::vector<int>>(4, 1);
  std::thread other([&, shared] {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [&] { return ready; });
    text += "other";
    count += table().values[3] + shared->at(2);
  });
  auto answer = std::async(std::launch::async, [shared] { return table().values[4] + shared->at(1); });
  {
    std::lock_guard<std::mutex> guard(lock);
    ready = true;
    text = "main ";
  }
  changed.notify_all();
  shared.reset();
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) shared(count)
    {
      std::string own = std::to_string(table().values[i]);
      count += static_cast<int>(own.size());
    }
  }
  other.join();
  std::printf("%d %d %s\n", count.load(), answer.get(), text.c_str());
}
