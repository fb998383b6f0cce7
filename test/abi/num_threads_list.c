// num_threads(list) of OpenMP 6.0, as a compiler asks for it: the first number is for the next region, the others for
// regions nested in it, level by level, the last one for all deeper ones; afterwards OMP_NUM_THREADS counts again, in
// the regions after it too. num_threads(strict: …): with fewer threads the program gets a warning or ends, and the
// message names the construct's place in the source; dyn-var does not reduce their number, and a region that is too
// deep to be active gives no warning.
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_NUM_THREADS=2,2,2,2 %chomp-run %t
// RUN: env OMP_THREAD_LIMIT=2 %chomp-run %t warning >%t.said 2>&1
// RUN: grep -c "^OMP: Warning: here.c:7: in main: num_threads(strict): 2 threads instead of 3. told you$" %t.said | grep -x 1
// RUN: grep -x "went on" %t.said
// RUN: env OMP_THREAD_LIMIT=2 %chomp-run not --crash %t fatal >%t.said 2>&1
// RUN: grep "here.c:7: in main: num_threads(strict): 2 threads instead of 3. told you" %t.said
// RUN: not grep "went on" %t.said
// RUN: env OMP_DYNAMIC=true %chomp-run %t dynamic
// RUN: env OMP_MAX_ACTIVE_LEVELS=0 %chomp-run %t inactive
// REQUIRES: filecheck
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

void __kmpc_push_num_threads_list(void*, int32_t, uint32_t length, const int32_t* counts);
void __kmpc_push_num_threads_strict(void*, int32_t, int32_t count, int severity, const char* message);

/// Forks as deep as `sizes` says, and checks each team's size on every thread.
static void check_nested(const int* sizes, int levels) {
  if (levels == 0) return;
#pragma omp parallel
  {
    CHECK_EQ(omp_get_num_threads(), sizes[0]);
    check_nested(sizes + 1, levels - 1);
  }
}

static void push(int32_t a, int32_t b, int32_t c, uint32_t length) {
  int32_t list[] = {a, b, c};
  __kmpc_push_num_threads_list(0, 0, length, list);
  memset(list, 0, sizeof list); // the list is read at once
}

int main(int argc, char** argv) {
  if (argc > 1 && (strcmp(argv[1], "dynamic") == 0 || strcmp(argv[1], "inactive") == 0)) {
    const int cpus = omp_get_num_procs(), active = strcmp(argv[1], "dynamic") == 0;
    __kmpc_push_num_threads_strict(0, 0, cpus + 2, 2, "told you");
#pragma omp parallel
    CHECK_EQ(omp_get_num_threads(), active ? cpus + 2 : 1);
    return 0;
  }
  if (argc > 1) {
    int severity = strcmp(argv[1], "fatal") == 0 ? 2 : 1;
    struct {
      int reserved[4];
      const char* source;
    } place = {{0, 2}, ";here.c;main;7;3;;"};
    __kmpc_push_num_threads_strict(&place, 0, 3, severity, "told you");
#pragma omp parallel
    CHECK_EQ(omp_get_num_threads(), 2);
#pragma omp parallel num_threads(3) // no longer strict
    CHECK_EQ(omp_get_num_threads(), 2);
    puts("went on");
    return 0;
  }
  for (int round = 0; round < 20; round++) {
    check_nested((int[]){2, 2, 2, 2}, 4);
    push(3, 1, 2, 3);
    check_nested((int[]){3, 1, 2, 2}, 4);
    check_nested((int[]){2, 2, 2}, 3);
    push(4, 0, 0, 1); // like num_threads(4)
    check_nested((int[]){4, 2, 2}, 3);
#pragma omp parallel
    {
      push(3, 3, 0, 2);
      check_nested((int[]){3, 3, 3}, 3);
      check_nested((int[]){2, 2}, 2);
#pragma omp parallel if (0)
      CHECK_EQ(omp_get_num_threads(), 1);
    }
    push(1, 3, 0, 2); // through a serialised region, too
    check_nested((int[]){1, 3, 3}, 3);
    check_nested((int[]){2, 2}, 2);
  }
  return 0;
}
