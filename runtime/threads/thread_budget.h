// Many callers, one machine: several threads of the program fork teams at the same time, each as large as the machine.
// While dyn-var is true (OMP_DYNAMIC, CHOMP_THREAD_BUDGET) all teams of the process together stay near a number of
// threads. A region takes at once what the others leave, and at least its own thread. It does not wait for more, and
// does not grow when others end.
//
//   threads taken = sum over the regions that run of their shares <= budget + callers that found nothing left
//
// A region with dyn-var false takes no part: it reads nothing here, and nothing is counted.
#pragma once

#include <cstdint>

namespace chomp {

struct Team;
struct Worker;

/// How many threads all teams together may have now.
int budget_threads();

/// Where the budget is the number of CPUs that the process may use: reads the container's quota and the threads' masks
/// again, if nobody has for some time. `now`: by the cycle counter. The caller is about to fork, and pays for it.
void budget_look_again(Worker* worker, uint64_t now);

/// Takes threads for a region of up to `size`, inside a region of `outer`. Returns the size that it can have; `*share`
/// is what it has to give back. One compare-and-swap, if nobody else takes at the same moment.
int budget_take(const Team* outer, int size, int32_t* share);

void budget_give_back(int32_t share);

/// Called when the region gets `fewer` threads less than it took. Returns what is left of its share.
inline int32_t budget_keep(int32_t share, int32_t fewer) {
  if (share == 0 || fewer == 0) return share;
  budget_give_back(fewer);
  return share - fewer;
}

/// Called in the child of fork(), whose thread executes regions of `team` and those around it: only their shares are
/// taken.
void budget_reset_after_fork(const Team* team);

} // namespace chomp
