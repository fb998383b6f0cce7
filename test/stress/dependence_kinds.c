// Random dependences, handed to the library as the compiler does: all kinds, several items per task, one address named
// twice, omp_all_memory, taskwait depend. Each task notes when it began and ended; afterwards every pair of tasks that
// an address orders is checked, and that the members of a mutexinoutset never overlapped.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { kIn = 1, kInOut = 3, kMutex = 4, kInOutSet = 8, kAll = 0x80 };
enum { kTasks = SCALED(2000), kMostItems = 4, kMostAddresses = 6, kLookBack = 400 };

struct item {
  intptr_t address;
  size_t length;
  unsigned char flags;
};

typedef int (*entry)(int, void*);
struct payload { // kmp_task_t and one private variable
  void* shareds;
  entry routine;
  int part_id;
  void *data1, *data2;
  int id;
};

void* __kmpc_omp_task_alloc(void*, int, int, size_t, size_t, entry);
int __kmpc_omp_task_with_deps(void*, int, void*, int, struct item*, int, struct item*);
void __kmpc_omp_taskwait_deps_51(void*, int, int, struct item*, int, struct item*, int);

static struct node {
  int items, is_all, is_wait;
  struct item item[kMostItems];
  long began, ended;
} nodes[kTasks];
static char variables[kMostAddresses];
static atomic_long now;
static unsigned random_state;

static int random_below(int n) {
  random_state = random_state * 1103515245u + 12345u;
  return (int)(random_state >> 16 & 0x7fff) % n;
}

static int body(int gtid, void* argument) {
  int id = ((struct payload*)argument)->id;
  nodes[id].began = ++now;
  burn(id * 7919 % 300);
  nodes[id].ended = ++now;
  return 0;
}

// The kind of a task's access to an address; two different ones are an inout. -1: none.
static int kind_of(const struct node* node, intptr_t address) {
  int kind = -1;
  for (int i = 0; i < node->items; i++)
    if (node->item[i].address == address)
      kind = kind == -1 || kind == node->item[i].flags ? node->item[i].flags : kInOut;
  return kind;
}

enum order { kUnordered, kExclusive, kOrdered };

static enum order order_of(const struct node* a, const struct node* b) {
  if (a->is_all || b->is_all) return kOrdered;
  enum order order = kUnordered;
  for (int i = 0; i < a->items; i++) {
    int one = kind_of(a, a->item[i].address), other = kind_of(b, a->item[i].address);
    if (other == -1) continue;
    if (one == kInOut || other != one || (one == kMutex && (a->is_wait || b->is_wait))) return kOrdered;
    if (one == kMutex) order = kExclusive;
  }
  return order;
}

static void draw(struct node* node, int addresses, int one_kind, int with_all) {
  static const unsigned char kinds[4] = {kIn, kInOut, kMutex, kInOutSet};
  memset(node, 0, sizeof *node);
  int favourite = random_below(4);
  node->items = 1 + random_below(kMostItems);
  node->is_all = with_all && random_below(50) == 0;
  node->is_wait = random_below(100) == 0;
  for (int i = 0; i < node->items; i++) {
    node->item[i].address = (intptr_t)&variables[random_below(addresses)];
    node->item[i].flags = kinds[one_kind ? favourite : random_below(4)];
  }
}

static void submit(int id) {
  struct node* node = &nodes[id];
  struct item list[kMostItems];
  memcpy(list, node->item, sizeof list);
  int count = node->is_all ? 1 : node->items;
  if (node->is_all) { // the compiler has two ways to say it
    list[0].address = random_below(2) ? 0 : -1;
    list[0].flags = list[0].address ? kInOut : kAll;
  }
  int first = random_below(count + 1);
  if (node->is_wait) {
    __kmpc_omp_taskwait_deps_51(0, 0, first, list, count - first, list + first, 0);
    node->began = ++now;
    node->ended = ++now;
  } else {
    struct payload* task = __kmpc_omp_task_alloc(0, 0, 1, sizeof *task, 0, body);
    task->id = id;
    __kmpc_omp_task_with_deps(0, 0, task, first, list, count - first, list + first);
  }
}

int main(void) {
  unsigned seed = (unsigned)time(NULL);
  fprintf(stderr, "seed %u\n", seed);
  for (int round = 0; round < 10 * stress_factor(); round++) {
    random_state = seed + (unsigned)round;
    int addresses = 1 + random_below(kMostAddresses), one_kind = random_below(2), with_all = random_below(3) == 0;
#pragma omp parallel
#pragma omp single
    for (int id = 0; id < kTasks; id++) {
      draw(&nodes[id], addresses, one_kind, with_all);
      submit(id);
    }
    for (int id = 0; id < kTasks; id++) {
      CHECK(nodes[id].ended != 0);
      for (int before = id - 1; before >= 0 && before > id - kLookBack; before--) {
        enum order order = order_of(&nodes[before], &nodes[id]);
        int in_order = nodes[before].ended < nodes[id].began, reversed = nodes[id].ended < nodes[before].began;
        if (order == kOrdered) CHECK(in_order);
        if (order == kExclusive) CHECK(in_order || reversed);
      }
    }
  }
  return 0;
}
