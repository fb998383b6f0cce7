// Without a fault: exceptions go from thread to thread. What they hold is destroyed by the last that has one; how many
// have is counted inside libstdc++.
// RUN: %at-each-level --levels 02 --runs 50 %t %s
#include <cstdio>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

struct Problem {
  std::string text;
  int number;
};

static int by_promise() {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  std::thread giver([promise = std::move(promise)]() mutable {
    try {
      throw Problem{"a text that is too long for the small buffer of a string", 7};
    } catch (...) {
      std::promise<int> own = std::move(promise); // gone before the handler ends
      own.set_exception(std::current_exception());
    }
  });
  int result = 0;
  try {
    auto own = std::move(answer);
    own.get();
  } catch (const Problem& problem) {
    result = problem.number + static_cast<int>(problem.text.size());
  }
  giver.join();
  return result;
}

static int by_async() {
  auto later =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("an error with a long text, too"); });
  try {
    return later.get();
  } catch (const std::runtime_error& error) {
    return error.what()[0];
  }
}

static int out_of_region() {
  std::exception_ptr first;
  int sum = 0;
#pragma omp parallel shared(first) reduction(+ : sum)
  {
    std::exception_ptr own;
    try {
      throw Problem{"another text that is too long for the small buffer", 1};
    } catch (...) {
#pragma omp critical
      {
        if (!first) first = std::current_exception();
        own = first;
      }
    }
    try {
      std::rethrow_exception(own);
    } catch (const Problem& problem) {
      sum += problem.number;
    }
    own = nullptr;
#pragma omp critical
    first = nullptr;
  }
  return sum > 0;
}

int main() { std::printf("%d\n", by_promise() + by_async() + out_of_region()); }
