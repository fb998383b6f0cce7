// Initial threads are free until their first region; several of them, with teams of their own, each run where their
// places say; a thread of the program that only asks for something else keeps its mask. In a forked child nothing is
// bound, and the mask is the process's again. kmp_set_affinity() wins over places until the task ends.
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_PROC_BIND=close OMP_PLACES=threads %library-path %t
// RUN: env KMP_AFFINITY=compact %library-path %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

int kmp_set_affinity(void**);
void kmp_create_affinity_mask(void**);
void kmp_destroy_affinity_mask(void**);
int kmp_set_affinity_mask_proc(int, void**);

static cpu_set_t whole;

static void check_free(void) {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof mask, &mask);
  CHECK(CPU_EQUAL(&mask, &whole));
}

static void check_bound(void) {
  cpu_set_t mask;
  int ids[CPU_SETSIZE];
  sched_getaffinity(0, sizeof mask, &mask);
  int place = omp_get_place_num();
  CHECK(place >= 0);
  CHECK_EQ(CPU_COUNT(&mask), omp_get_place_num_procs(place));
  omp_get_place_proc_ids(place, ids);
  CHECK(CPU_ISSET(ids[0], &mask));
}

static void* root(void* unused) {
  check_free();
  omp_set_num_threads(3);
  check_free();
  for (int i = 0; i < 50; i++) {
#pragma omp parallel
    check_bound();
  }
  check_bound();
  return unused;
}

static void* bystander(void* unused) {
  omp_get_wtime();
  omp_get_max_threads();
  check_free();
  return unused;
}

static void fork_child(void) {
  pid_t child = fork();
  if (child == 0) {
    check_free();
#pragma omp parallel num_threads(4)
    check_free();
#pragma omp parallel if (0)
    check_free();
    check_free();
    _exit(0);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

static void own_mask(void) {
  int cpu = CPU_SETSIZE - 1;
  while (!CPU_ISSET(cpu, &whole)) cpu--;
#pragma omp parallel num_threads(3)
  {
    check_bound();
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      void* mask;
      kmp_create_affinity_mask(&mask);
      CHECK_EQ(kmp_set_affinity_mask_proc(cpu, &mask), 0);
      CHECK_EQ(kmp_set_affinity(&mask), 0);
      kmp_destroy_affinity_mask(&mask);
      CHECK_EQ(omp_get_place_num(), -1);
      CHECK_EQ(omp_get_proc_bind(), omp_proc_bind_false);
      cpu_set_t now;
      sched_getaffinity(0, sizeof now, &now);
      CHECK(CPU_COUNT(&now) == 1 && CPU_ISSET(cpu, &now));
    }
  }
#pragma omp parallel num_threads(3)
  check_bound();
}

int main(void) {
  enum { kRoots = 5 };
  pthread_t threads[kRoots], idle;
  CHECK_EQ(sched_getaffinity(0, sizeof whole, &whole), 0);
  for (int i = 0; i < kRoots; i++) CHECK_EQ(pthread_create(&threads[i], NULL, root, NULL), 0);
  CHECK_EQ(pthread_create(&idle, NULL, bystander, NULL), 0);
  for (int i = 0; i < kRoots; i++) pthread_join(threads[i], NULL);
  pthread_join(idle, NULL);
  check_free();
  fork_child(); // from a thread that is not bound
#pragma omp parallel num_threads(4)
  check_bound();
#pragma omp parallel if (0)
  check_bound();
  fork_child(); // from a thread that is bound
  check_bound();
  own_mask();
  return 0;
}
