// `many_tasks N`: N tasks, each with a child, that do nothing; one thread.
#include <stdlib.h>

int main(int count, char** words) {
  int tasks = atoi(words[count - 1]);
#pragma omp parallel num_threads(1)
  for (int i = 0; i < tasks; ++i) {
#pragma omp task
    {
#pragma omp task
      __asm__ volatile("");
#pragma omp taskwait
    }
#pragma omp taskwait
  }
  return 0;
}
