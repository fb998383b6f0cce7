// system(), popen(), posix_spawn() and vfork() beside a team, in and out of regions: the programs run and the team goes
// on. Their environment is the program's own.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <spawn.h>

extern char** environ;

static void by_vfork(void) {
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "exit 5", (char*)NULL);
    _exit(127);
  }
  CHECK(child > 0);
  expect_status(child, 5);
}

static void by_posix_spawn(void) {
  pid_t child;
  char* arguments[] = {(char*)"sh", (char*)"-c", (char*)"exit 6", NULL};
  CHECK_EQ(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ), 0);
  expect_status(child, 6);
}

static void all(void) {
  by_vfork();
  by_posix_spawn();
  CHECK_EQ(WEXITSTATUS(system("exit 9")), 9);
  FILE* pipe = popen("env | grep -c '^HWLOC_'", "r");
  int count = -1;
  CHECK(pipe);
  CHECK_EQ(fscanf(pipe, "%d", &count), 1);
  CHECK_EQ(count, 0);
  pclose(pipe);
}

int main(void) {
  unsetenv("HWLOC_SYNTHETIC");
  all();
  use_openmp(0);
  all();
#pragma omp parallel
  {
#pragma omp single
    all();
    if (omp_get_thread_num() == omp_get_num_threads() - 1) all();
#pragma omp barrier
#pragma omp single
#pragma omp task
    all();
  }
  use_openmp(0);
  return 0;
}
