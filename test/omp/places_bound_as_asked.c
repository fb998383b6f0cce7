// Every thread of a region runs on the CPUs of its place, and nowhere else, whatever the setting, the policy and the
// number of threads; the routines agree with what the system says; nested regions stay in the partitions of the outer
// ones. Each case is a process of its own with the environment for it, made from the CPUs that there are.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
#include "support/check.h"
#include <omp.h>
#include <string.h>
#include <sys/wait.h>

static int cpus[CPU_SETSIZE], cpu_count;

static void find_cpus(void) {
  cpu_set_t all;
  CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all)) cpus[cpu_count++] = cpu;
}

/// The calling thread's mask is its place.
static void check_own_mask(void) {
  cpu_set_t mask;
  CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  int place = omp_get_place_num(), ids[CPU_SETSIZE];
  CHECK(place >= 0 && place < omp_get_num_places());
  int count = omp_get_place_num_procs(place);
  CHECK_EQ(CPU_COUNT(&mask), count);
  omp_get_place_proc_ids(place, ids);
  for (int i = 0; i < count; i++) CHECK(CPU_ISSET(ids[i], &mask));
}

static void check_partition(void) {
  int places[1024], count = omp_get_partition_num_places(), own = 0;
  CHECK(count >= 1 && count <= omp_get_num_places());
  omp_get_partition_place_nums(places);
  for (int i = 0; i < count; i++) own += places[i] == omp_get_place_num();
  CHECK_EQ(own, 1);
}

/// Regions of several policies and sizes; `bound` says whether threads are bound at all.
static void regions(int bound) {
  int threads = omp_get_max_threads();
  for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(1 + round % threads)
    if (bound) check_own_mask(), check_partition();
#pragma omp parallel proc_bind(close)
    if (bound) check_own_mask(), check_partition();
#pragma omp parallel proc_bind(spread)
    if (bound) {
      check_own_mask();
      check_partition();
      int first, size = omp_get_partition_num_places(), outer[1024];
      omp_get_partition_place_nums(outer);
      first = outer[0];
#pragma omp parallel num_threads(3) proc_bind(close)
      {
        check_own_mask();
        CHECK(omp_get_place_num() >= first && omp_get_place_num() < first + size);
      }
      check_own_mask();
    }
    int place = -2;
#pragma omp parallel proc_bind(primary) shared(place)
    if (bound) {
      check_own_mask();
#pragma omp masked
      place = omp_get_place_num();
#pragma omp barrier
      CHECK_EQ(omp_get_place_num(), place);
    }
    if (bound) check_own_mask();
  }
}

/// OMP_PLACES=threads(N:2): every second CPU is a place, and no CPU is in two of them.
static void every_second(void) {
  int seen[CPU_SETSIZE] = {0};
  CHECK_EQ(omp_get_num_places(), (cpu_count + 1) / 2);
  for (int place = 0; place < omp_get_num_places(); place++) {
    int id;
    CHECK_EQ(omp_get_place_num_procs(place), 1);
    omp_get_place_proc_ids(place, &id);
    CHECK_EQ(seen[id]++, 0);
  }
}

static void run(const char* self, const char* what, const char* name1, const char* value1, const char* name2,
                const char* value2) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    setenv(name1, value1, 1);
    if (name2) setenv(name2, value2, 1);
    setenv("OMP_MAX_ACTIVE_LEVELS", "2", 1);
    execl("/proc/self/exe", self, what, (char*)0);
    _exit(127);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  if (status != 0) fprintf(stderr, "%s=%s %s=%s\n", name1, value1, name2 ? name2 : "", name2 ? value2 : "");
  CHECK_EQ(status, 0);
}

int main(int argc, char** argv) {
  find_cpus();
  if (argc == 2) {
    if (strcmp(argv[1], "every second") == 0) every_second();
    regions(strcmp(argv[1], "free") != 0);
    return 0;
  }
  char single[64], list[64], all[64], second[64];
  snprintf(single, sizeof single, "{%d}", cpus[cpu_count - 1]);
  snprintf(list, sizeof list, "{%d},{%d},{%d,%d}", cpus[cpu_count - 1], cpus[0], cpus[0], cpus[cpu_count - 1]);
  snprintf(all, sizeof all, "%d %d", cpus[cpu_count - 1], cpus[0]);
  snprintf(second, sizeof second, "threads(%d:2)", cpu_count);
  run(argv[0], "every second", "OMP_PLACES", second, "OMP_PROC_BIND", "close");
  for (const char** places =
           (const char*[]){"threads", "cores", "ll_caches", "sockets", "cores(1)", single, list, NULL};
       *places; places++)
    for (const char** bind = (const char*[]){"true", "close", "spread", "master", "spread,close", NULL}; *bind; bind++)
      run(argv[0], "bound", "OMP_PLACES", *places, "OMP_PROC_BIND", *bind);
  for (const char** bind = (const char*[]){"true", "close", "spread", NULL}; *bind; bind++)
    run(argv[0], "bound", "OMP_PROC_BIND", *bind, NULL, NULL);
  run(argv[0], "bound", "GOMP_CPU_AFFINITY", all, NULL, NULL);
  for (const char** type = (const char*[]){"compact", "scatter", "granularity=fine,compact,1,0", "logical,1", NULL};
       *type; type++)
    run(argv[0], "bound", "KMP_AFFINITY", *type, NULL, NULL);
  run(argv[0], "bound", "KMP_HW_SUBSET", "1c", "OMP_PLACES", "threads");
  run(argv[0], "free", "OMP_PROC_BIND", "false", "OMP_PLACES", "cores");
  run(argv[0], "free", "KMP_AFFINITY", "none", NULL, NULL);
  run(argv[0], "free", "KMP_AFFINITY", "disabled", NULL, NULL);
  return 0;
}
