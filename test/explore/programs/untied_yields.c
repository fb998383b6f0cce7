// For tools/explore: untied tasks that wait for each other by taskyield, with children of their own. A part that has
// yielded goes to a queue, and another thread may go on with the task.
#include "support/check.h"
#include <omp.h>
#include <unistd.h>

enum { kTasks = 3, kRounds = 2 };

int main(void) {
  _Atomic int turn = 0, children = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++)
#pragma omp task untied firstprivate(i) shared(turn, children)
    for (int round = 0; round < kRounds; round++) {
#pragma omp task shared(children)
      children++;
      while (turn != round * kTasks + i) {
#pragma omp taskyield
        usleep(1); // the next task may be in the hands of a thread that is held back
      }
#pragma omp taskwait
      turn++;
    }
  CHECK(turn == kTasks * kRounds);
  CHECK(children == kTasks * kRounds);
  return 0;
}
