// Ranks of an MPI program whose launcher has not bound them have disjoint shares of the process's CPUs, which together
// are all of them: that many threads by default, and places there. More ranks than CPUs: one CPU each. More explicit
// settings win: a launcher that binds, OMP_NUM_THREADS, places by number, CHOMP_RANK_CORES=off. The mask of the process
// stays what it was.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && %chomp-run %t
// RUN: %chomp-run env OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=64 OMP_DISPLAY_ENV=verbose %t shown > %t.said 2>&1
// RUN: grep "CHOMP_RANK_CORES='auto (local rank 0 of 64: [0-9]* of the CPUs)'" %t.said
// RUN: %if mpirun %{ env -u OMP_NUM_THREADS %chomp-mpirun -np 2 env OMP_PROC_BIND=close %t rank > %t.ranks %}
// RUN: %if mpirun %{ %t ranks %t.ranks %}
#include "support/check.h"
#include <omp.h>
#include <string.h>
#include <sys/wait.h>

struct answer {
  int threads, procs, mask, places, place_cpus;
  cpu_set_t cpus; // of all places
};

static cpu_set_t own_mask(void) {
  cpu_set_t mask;
  CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

static struct answer ask(void) {
  cpu_set_t mask = own_mask(); // before OpenMP binds the initial thread
  struct answer answer = {omp_get_max_threads(), omp_get_num_procs(), CPU_COUNT(&mask), omp_get_num_places(), 0, {{0}}};
  CPU_ZERO(&answer.cpus);
  int team = 0;
#pragma omp parallel reduction(+ : team)
  team++;
  CHECK_EQ(team, answer.threads);
  for (int place = 0; place < answer.places; place++) {
    int count = omp_get_place_num_procs(place), ids[CPU_SETSIZE];
    omp_get_place_proc_ids(place, ids);
    for (int i = 0; i < count; i++) CPU_SET(ids[i], &answer.cpus);
  }
  answer.place_cpus = CPU_COUNT(&answer.cpus);
  return answer;
}

static void put(const char* name, int value) {
  char text[20];
  snprintf(text, sizeof text, "%d", value);
  setenv(name, text, 1);
}

/// The answer of a process that is rank `rank` of `ranks`, with one more setting, "NAME=value" or null.
static struct answer as_rank(int rank, int ranks, const char* setting, const cpu_set_t* mask) {
  int pipes[2], status;
  struct answer answer;
  CHECK_EQ(pipe(pipes), 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    unsetenv("OMP_NUM_THREADS");
    put("OMPI_COMM_WORLD_LOCAL_RANK", rank);
    put("OMPI_COMM_WORLD_LOCAL_SIZE", ranks);
    if (setting) putenv(strdup(setting));
    if (mask) CHECK_EQ(sched_setaffinity(0, sizeof *mask, mask), 0);
    answer = ask();
    _exit(write(pipes[1], &answer, sizeof answer) != sizeof answer);
  }
  close(pipes[1]);
  CHECK_EQ(read(pipes[0], &answer, sizeof answer), sizeof answer);
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
  close(pipes[0]);
  return answer;
}

static void expect_shares(int ranks, int cpus) {
  cpu_set_t all;
  CPU_ZERO(&all);
  int sum = 0;
  for (int rank = 0; rank < ranks; rank++) {
    struct answer answer = as_rank(rank, ranks, "OMP_PROC_BIND=close", NULL);
    CHECK(answer.threads >= 1 && answer.procs >= 1 && answer.places >= 1);
    CHECK(answer.threads <= answer.place_cpus); // fewer under a quota
    CHECK_EQ(answer.mask, cpus);
    sum += answer.place_cpus;
    CPU_OR(&all, &all, &answer.cpus);
  }
  CHECK_EQ(CPU_COUNT(&all), cpus);
  if (ranks == 2) CHECK_EQ(sum, cpus); // disjoint
}

/// Lines "cpus <mask>" of two processes.
static void check_ranks(const char* path) {
  FILE* file = fopen(path, "r");
  CHECK(file);
  unsigned long masks[2], all = 0;
  int lines = 0;
  while (lines < 2 && fscanf(file, " cpus %lx of %lx", &masks[lines], &all) == 2) lines++;
  CHECK_EQ(lines, 2);
  CHECK_EQ(masks[0] | masks[1], all);
  if (all & (all - 1)) CHECK_EQ(masks[0] & masks[1], 0);
}

static unsigned long word_of(const cpu_set_t* set) {
  unsigned long word;
  memcpy(&word, set, sizeof word);
  return word;
}

int main(int argc, char** argv) {
  if (argc == 3) return check_ranks(argv[2]), 0;
  if (argc == 2) {
    cpu_set_t mask = own_mask();
    struct answer answer = ask();
    printf("cpus %lx of %lx\n", word_of(&answer.cpus), word_of(&mask));
    return 0;
  }
  cpu_set_t mask = own_mask(), one;
  int cpus = CPU_COUNT(&mask);
  struct answer alone = as_rank(0, 1, NULL, NULL);
  CHECK_EQ(alone.place_cpus, cpus);
  // Where the process is one of several that already have their parts of the machine there is nothing to divide.
  struct answer half = as_rank(0, 2, NULL, NULL);
  if (cpus > 1 && half.place_cpus == cpus) {
    CHECK(cpus < sysconf(_SC_NPROCESSORS_ONLN));
    return 77;
  }
  for (int ranks = 2; ranks <= 5; ranks++) expect_shares(ranks, cpus);

  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &mask)) CPU_SET(cpu, &one);
  CHECK_EQ(as_rank(1, 2, NULL, &one).threads, 1); // bound by the launcher
  struct answer bound = as_rank(1, 2, "OMP_PROC_BIND=close", &one);
  CHECK(CPU_EQUAL(&one, &bound.cpus));
  CHECK_EQ(as_rank(0, 2, "OMP_NUM_THREADS=7", NULL).threads, 7);
  CHECK_EQ(as_rank(0, 2, "OMP_NUM_THREADS=7", NULL).place_cpus, half.place_cpus);
  CHECK_EQ(as_rank(0, 2, "CHOMP_RANK_CORES=off", NULL).threads, alone.threads);
  CHECK_EQ(as_rank(0, 2, "CHOMP_RANK_CORES=off", NULL).place_cpus, cpus);
  CHECK_EQ(as_rank(0, 2, "OMP_PLACES=cores", NULL).place_cpus, half.place_cpus);
  char last[40];
  int number = CPU_SETSIZE - 1;
  while (!CPU_ISSET(number, &mask)) number--;
  snprintf(last, sizeof last, "OMP_PLACES={%d}", number); // not in the share of rank 0
  struct answer chosen = as_rank(0, 2, last, NULL);
  CHECK_EQ(chosen.place_cpus, 1);
  CHECK(CPU_ISSET(number, &chosen.cpus));
  return 0;
}
