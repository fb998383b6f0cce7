// Without a fault: objects of each thread, with destructors, used by regions and by the tasks that the thread runs. Its
// end destroys them.
// RUN: %at-each-level --levels 02 %t %s
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

thread_local std::string name;
thread_local std::vector<int> numbers;
thread_local std::map<int, std::string> known;

static long use(int value) {
  name = "a text that is too long for the small buffer of a string";
  numbers.push_back(value);
  numbers.back() += 1;
  known[value % 3] += "more";
  return !name.empty() + static_cast<long>(!numbers.empty()) + !known.empty();
}

int main() {
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  sum += use(1) > 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(1)
  for (int i = 0; i < 8; ++i) sum += use(i);
  std::thread other([] { use(7); });
  use(9);
  other.join();
  std::printf("%d\n", sum > 0);
}
