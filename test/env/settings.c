// Prints the settings in force, for the tests of this folder. Not a test.
#include <omp.h>
#include <stdio.h>

int kmp_get_blocktime(void);
size_t kmp_get_stacksize_s(void);

int main(void) {
  omp_sched_t kind;
  int chunk, threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  omp_get_schedule(&kind, &chunk);
  printf("threads %d (%d run), dynamic %d, levels %d, limit %d, schedule %u,%d, bind %d, cancel %d, priority %d, "
         "blocktime %d, stack %zu\n",
         omp_get_max_threads(), threads, omp_get_dynamic(), omp_get_max_active_levels(), omp_get_thread_limit(),
         (unsigned)kind, chunk, (int)omp_get_proc_bind(), omp_get_cancellation(), omp_get_max_task_priority(),
         kmp_get_blocktime(), kmp_get_stacksize_s());
  return 0;
}
