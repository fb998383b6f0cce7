// Without a fault: what is reached from a thread's own data goes with the thread: a pool of nodes, a vector, buffers by
// a number that each thread has. The tasks are tied, so one thread's use it one after the other.
// RUN: %at-each-level --levels 02 %t %s
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

struct Node {
  Node* next;
  long value;
};
static thread_local Node* pool;
static thread_local std::vector<long> list;
static int number = -1;
#pragma omp threadprivate(number)
static int threads;
static long* buffers[64];
static double* by_thread[64];

static Node* get() {
  Node* node = pool;
  if (node == nullptr) return static_cast<Node*>(std::malloc(sizeof(Node)));
  pool = node->next;
  return node;
}
static void put(Node* node) {
  node->next = pool;
  pool = node;
}

static long* own_buffer() {
  if (number < 0) {
#pragma omp atomic capture
    number = threads++;
    buffers[number] = static_cast<long*>(std::calloc(8, sizeof(long)));
  }
  return buffers[number];
}

int main() {
  long sums[8] = {};
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 8; ++k) {
#pragma omp task firstprivate(k) shared(sums)
    {
      Node* node = get();
      node->value = k;
      list.push_back(node->value);
      list.back() += 1;
      own_buffer()[k % 2] += list.back() - 1;
      sums[k] = node->value;
      put(node);
#pragma omp task firstprivate(k)
      {
        Node* other = get();
        other->value = k;
        put(other);
        double*& own = by_thread[omp_get_thread_num()];
        if (own == nullptr) own = static_cast<double*>(std::calloc(8, sizeof(double)));
        own[k] += 1;
      }
    }
  }
  long sum = 0;
  for (long each : sums) sum += each;
  std::printf("%ld\n", sum);
}
