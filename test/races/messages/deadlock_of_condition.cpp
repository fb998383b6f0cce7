// RUN: %each-message %t %s
// SAYS: chomp explore: deadlock: every thread waits
// SAYS:     the main program, outside of parallel regions waits in pthread_join at deadlock_of_condition.cpp:21
// SAYS:     thread 1 of the program waits in pthread_cond_wait at deadlock_of_condition.cpp:15
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex mutex;
static std::condition_variable changed;
static bool ready, told;
int main() {
  std::thread waits([] {
    std::unique_lock<std::mutex> lock(mutex);
    told = true;
    while (!ready) changed.wait(lock);
  });
  {
    std::lock_guard<std::mutex> guard(mutex);
    if (!told) ready = true;
  }
  waits.join();
}
