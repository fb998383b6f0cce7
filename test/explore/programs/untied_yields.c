// For tools/explore: untied tasks that wait for each other by taskyield, with children and grandchildren of their own.
// A part that has yielded goes to a queue, and another thread may go on with the task, away from what its child has
// left.
#include "support/check.h"
#include <omp.h>
#include <unistd.h>

enum { kTasks = 3, kRounds = 2 };

int main(void) {
  _Atomic int turn = 0, children = 0, grandchildren = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kTasks; i++)
#pragma omp task untied firstprivate(i) shared(turn, children, grandchildren)
      for (int round = 0; round < kRounds; round++) {
#pragma omp task shared(children, grandchildren)
        {
          children++;
#pragma omp task shared(grandchildren)
          grandchildren++;
        }
        while (turn != round * kTasks + i) {
#pragma omp taskyield
          usleep(1); // the next task may be in the hands of a thread that is held back
        }
#pragma omp taskwait
        turn++;
      }
    CHECK(grandchildren == kTasks * kRounds);
  }
  CHECK(turn == kTasks * kRounds);
  CHECK(children == kTasks * kRounds);
  return 0;
}
