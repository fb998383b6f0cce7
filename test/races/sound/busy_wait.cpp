// Without a fault: tasks compute until some time has passed, by each of the clocks.
// RUN: %at-each-level --levels 02 --runs 10 %t %s
#include <chrono>
#include <cstdio>
#include <ctime>
#include <omp.h>
#include <sys/time.h>

static double now() {
  timeval time;
  gettimeofday(&time, nullptr);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

int main() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; ++i) {
#pragma omp task
    for (double begin = omp_get_wtime(); omp_get_wtime() - begin < 0.01;) {
    }
#pragma omp task
    {
      using Clock = std::chrono::steady_clock;
      for (auto end = Clock::now() + std::chrono::milliseconds(100); Clock::now() < end;) {
      }
    }
#pragma omp task
    for (double begin = now(); now() - begin < 0.5;) {
    }
#pragma omp task
    for (std::time_t begin = std::time(nullptr); std::time(nullptr) - begin < 2;) {
    }
  }
  std::puts("ok");
}
