// The host goes on beside target regions with nowait, whatever the size of the team, also outside of all regions: the
// regions wait for one another, and for the host. A target region is run by an initial thread of its own. Tasks of host
// and device wait for each other by depend clauses and objects, in groups, in taskwait, in replayed graphs and in
// reductions, with helpers and without. A cancelled group runs no target task that has not begun. All this also in a
// plug-in below a preloaded chomp, whose offload library nobody else sees. An interoperability object that a device
// cannot have is none.
// RUN: %offload-openmp %s -o %t -L%lib
// RUN: %for-threads env OMP_CANCELLATION=true %offload %t
// RUN: %chomp-run env LIBOMP_USE_HIDDEN_HELPER_TASK=0 %offload %t none
// RUN: %chomp-run env OMP_CANCELLATION=true LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 %offload %t one
// RUN: %offload-openmp -DPLUGIN -fPIC -shared %s -o %t.so -L%lib && %clang -DLOADER -I%root/test %s -o %t.loader
// RUN: env LD_LIBRARY_PATH=%archer-folder %chomp-preload %t.loader %t.so
// REQUIRES: offload
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

#ifdef LOADER
int main(int argc, char** argv) {
  void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  CHECK(plugin != NULL);
  int (*run)(int, char**);
  *(void**)&run = dlsym(plugin, "run_all");
  return run(1, NULL);
}
#else
#ifdef PLUGIN
#define main run_all
#endif
#include <omp.h>

int32_t __kmpc_global_thread_num(void*);
int32_t __kmpc_start_record_task(void*, int32_t, int32_t, int32_t);
void __kmpc_end_record_task(void*, int32_t, int32_t, int32_t);

enum { kRegions = 7 };

static void meet(int threads) {
  int *arrived = calloc(1, sizeof(int)), *odd = calloc(1, sizeof(int));
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    for (int i = 0; i < kRegions; i++) {
#pragma omp target nowait is_device_ptr(arrived, odd)
      {
        if (omp_get_thread_num() != 0 || omp_get_num_threads() != 1 || omp_in_parallel()) ATOMIC_ADD(*odd, 1);
        ATOMIC_ADD(*arrived, 1);
        SPIN_UNTIL(ATOMIC_LOAD(*arrived) == kRegions + 1);
      }
    }
    SPIN_UNTIL(ATOMIC_LOAD(*arrived) == kRegions);
    ATOMIC_ADD(*arrived, 1);
#pragma omp taskwait
    CHECK_EQ(*odd, 0);
  }
  free(arrived);
  free(odd);
}

// As many of the host's tasks as of the device's, in one order.
static void chains(int threads, int round) {
  enum { kChains = 24 };
  int values[kChains] = {0}, sum = 0;
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kChains; i++) {
#pragma omp target nowait map(tofrom : values[i : 1]) depend(inout : values[i])
      values[i] += i;
#pragma omp task depend(inout : values[i]) shared(values)
      values[i] *= 2;
#pragma omp target nowait map(tofrom : values[i : 1]) depend(inout : values[i])
      values[i] += 1;
#pragma omp task depend(in : values[i]) depend(inout : sum) shared(values, sum)
      sum += values[i];
    }
    CHECK_EQ(sum, kChains * (kChains - 1) + kChains);
#pragma omp target enter data map(to : values[ : kChains]) nowait depend(inout : values[0])
#pragma omp target nowait depend(inout : values[0]) map(tofrom : values[ : kChains])
    values[0] = round;
#pragma omp target exit data map(from : values[ : kChains]) nowait depend(inout : values[0])
#pragma omp taskwait depend(in : values[0])
    CHECK_EQ(values[0], round);
  }
}

// The device waits for a task that this thread lets go afterwards.
static void event(int threads) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp target nowait depend(in : x) map(to : x) map(from : y)
    y = x + 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK_EQ(y, 2);
  }
}

// `helpers`: how many there are, 0: many.
static void cancel(int threads, int helpers) {
  enum { kBegun, kMayEnd, kReady, kDependent, kLater };
  int* counts = calloc(5, sizeof(int));
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    int x = 0;
#pragma omp taskgroup
    {
#pragma omp target nowait is_device_ptr(counts) depend(out : x)
      {
        ATOMIC_ADD(counts[kBegun], 1);
        SPIN_UNTIL(ATOMIC_LOAD(counts[kMayEnd]));
      }
      SPIN_UNTIL(ATOMIC_LOAD(counts[kBegun]));
      for (int i = 0; i < kRegions; i++) {
#pragma omp target nowait is_device_ptr(counts)
        ATOMIC_ADD(counts[kReady], 1);
#pragma omp target nowait is_device_ptr(counts) depend(in : x)
        ATOMIC_ADD(counts[kDependent], 1);
      }
#pragma omp task if (0)
      {
#pragma omp cancel taskgroup
      }
      __atomic_store_n(&counts[kMayEnd], 1, __ATOMIC_RELEASE);
    }
    CHECK_EQ(counts[kDependent], 0);
    CHECK(helpers != 1 || counts[kReady] == 0);
#pragma omp target nowait is_device_ptr(counts)
    ATOMIC_ADD(counts[kLater], 1);
#pragma omp taskwait
    CHECK_EQ(counts[kLater], 1);
  }
  free(counts);
}

static void objects_graphs_reductions(int threads) {
  enum { kReplays = 10 };
  static int x, graph_sum, *counts; // static: a later call replays what the first one has recorded
  int reduced = 0, values[kRegions] = {0};
  x = graph_sum = 0;
  if (counts == NULL) counts = malloc(2 * sizeof(int));
  counts[0] = counts[1] = 0;
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    omp_depend_t object;
    int* there = omp_target_alloc(sizeof values, 0);
#pragma omp depobj(object) depend(inout : x)
    omp_target_memcpy_async(there, values, sizeof values, 0, 0, 0, omp_get_initial_device(), 1, &object);
#pragma omp target nowait is_device_ptr(there) depend(depobj : object)
    for (int i = 0; i < kRegions; i++) there[i] += i;
    omp_target_memcpy_async(values, there, sizeof values, 0, 0, omp_get_initial_device(), 0, 1, &object);
#pragma omp taskwait depend(depobj : object)
    for (int i = 0; i < kRegions; i++) CHECK_EQ(values[i], i);
    omp_target_free(there, 0);
#pragma omp depobj(object) destroy

    const int32_t gtid = __kmpc_global_thread_num(NULL);
    for (int i = 0; i < kReplays; i++) {
      if (__kmpc_start_record_task(NULL, gtid, 0, threads)) {
#pragma omp target nowait is_device_ptr(counts) depend(inout : x)
        counts[0]++;
#pragma omp task depend(inout : x) shared(x)
        x += counts[0];
#pragma omp target nowait is_device_ptr(counts) depend(inout : x)
        counts[1] += counts[0];
#pragma omp task depend(in : x) shared(graph_sum)
        graph_sum += counts[1];
      }
      __kmpc_end_record_task(NULL, gtid, 0, threads);
    }
#pragma omp taskgroup task_reduction(+ : reduced)
    for (int i = 0; i < kRegions; i++) {
      // Clang 19 maps the variable itself, not the private copy for which it asks: one region at a time may have it.
#pragma omp target nowait in_reduction(+ : reduced) depend(mutexinoutset : reduced)
      {
        const int before = reduced;
        usleep(100);
        reduced = before + i;
      }
#pragma omp task in_reduction(+ : reduced)
      reduced += 100;
    }
  }
  CHECK_EQ(x, kReplays * (kReplays + 1) / 2);
  CHECK_EQ(graph_sum, kReplays * (kReplays + 1) * (kReplays + 2) / 6);
  CHECK_EQ(reduced, kRegions * 100 + kRegions * (kRegions - 1) / 2);
}

int main(int argc, char** argv) {
  CHECK(omp_get_num_devices() > 0);
  omp_interop_t object = omp_interop_none;
#pragma omp interop init(targetsync : object)
  int code = 0;
  CHECK(omp_get_interop_int(object, omp_ipr_fr_id, &code) == 0 && code == omp_irc_empty);
  const int helpers = argc > 1 && strcmp(argv[1], "one") == 0;
  const int sizes[] = {0, 1, 2, 4, omp_get_max_threads()};
  for (int round = 0; round < 20; round++)
    for (int i = 0; i < 5; i++) {
      if (argc == 1) meet(sizes[i]);
      chains(sizes[i], round);
      event(sizes[i]);
      if (omp_get_cancellation()) cancel(sizes[i], helpers);
      objects_graphs_reductions(sizes[i]);
    }
  return 0;
}
#endif
