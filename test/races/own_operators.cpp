// Without a fault: the program has an operator new of its own, with a pool, and only some of the other forms; those of
// the library must hand its memory back to it. The pool is one for all, behind a lock, or (OWN) each thread's.
// RUN: %chomp-cxx -std=c++17 -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// RUN: %chomp-cxx -std=c++17 -fsized-deallocation -DOWN= %s -o %t.own
// RUN: %chomp-explore --runs 100 --seconds 0 %t.own 2>&1 | FileCheck %s
// CHECK: nothing found
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#ifdef OWN
#define OF_THREAD thread_local
struct None {
  void lock() {}
  void unlock() {}
};
static None lock;
#else
#define OF_THREAD
static std::mutex lock;
#endif

namespace {
constexpr std::size_t kBlock = 64, kBlocks = 4096;
struct Free {
  Free* next;
};
OF_THREAD Free* list;
alignas(64) unsigned char memory[kBlocks][kBlock];
std::size_t used;
std::mutex of_memory;
} // namespace

void* operator new(std::size_t bytes) {
  if (bytes > kBlock) std::abort(); // malloc would not be told from the pool
  std::lock_guard<decltype(lock)> guard(lock);
  if (Free* first = list) {
    list = first->next;
    return first;
  }
  std::lock_guard<std::mutex> inner(of_memory);
  if (used == kBlocks) throw std::bad_alloc();
  return memory[used++];
}
void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  std::lock_guard<decltype(lock)> guard(lock);
  list = new (block) Free{list};
}

struct Item {
  long value;
  Item* next;
};

int main() {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i) in_reduction(+ : sum)
    {
      auto item = std::make_unique<Item>();
      item->value = i;
      Item* plain = new Item{i, item.get()};
      std::vector<int> few(4, i);
      auto* numbers = new int[4];
      auto* others = new (std::nothrow) long[4];
      numbers[3] = few[2];
      others[1] = plain->next->value;
      sum += numbers[3] + others[1];
      delete[] others;
      delete[] numbers;
      delete plain;
    }
  }
  std::printf("%ld\n", sum);
}
