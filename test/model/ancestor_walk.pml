// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DFINISH_LATE
// RUN: %root/test/model/run_spin %s refuted -DTOP_LAST
// REQUIRES: spin
/* The ancestor walk of the scheduling constraint (runtime/tasks/constraint.cpp; runtime/tasks/constraint.md): task 0 is
   queued and cannot finish; above it are 1, 2 and 3, which may finish at any time, then an ancestor that is NOT the one asked for. A header that has no unfinished task below it any
   more is reused for a running child of the one asked for.
   Holds: the walk never says yes.
   FINISH_LATE: a task says that it has finished only after it was counted at its parent. TOP_LAST: the walk looks at
   the owners on its way up.
   Beside tools/explore it shows: every header that is freed and used again in the middle of a walk. There, headers
   are not poisoned, so such a use shows only as a wrong answer. */

#define TASKS 4
#define OTHER 4  /* the real ancestor */
#define ASKED 5  /* the one asked for */

byte parent[TASKS] = 0;
bool unfinished[TASKS] = true; /* Task::owner > 0 */
bool counted[TASKS] = true;    /* still counted at its parent */
bool reused[TASKS];

/* A finishing task; its header stays while the task below it is counted. */
proctype finish(byte me) {
#ifdef FINISH_LATE
  counted[me] = false;
  unfinished[me] = false
#else
  unfinished[me] = false;
  counted[me] = false
#endif
}

/* The header's memory comes back as another task: running, a child of the one asked for. */
proctype reuse(byte me) {
end:
  atomic { !counted[me - 1] && !counted[me] && !unfinished[me] -> reused[me] = true };
  parent[me] = ASKED;
  unfinished[me] = true
}

proctype walk() {
  byte at = 0, above, top = 0;
  bool yes = true;
  do
  :: above = parent[at];
     if
     :: above == ASKED -> top = at; break
     :: above == OTHER -> yes = false; break
     :: else
     fi;
     at = above;
#ifdef TOP_LAST
     if
     :: !unfinished[at] -> yes = false; break
     :: else
     fi
#endif
  od;
#ifndef TOP_LAST
  do
  :: yes && top > 0 -> yes = unfinished[top]; top--
  :: else -> break
  od;
#endif
  assert(!yes)
}

init {
  atomic {
    parent[0] = 1; parent[1] = 2; parent[2] = 3; parent[3] = OTHER;
    run finish(1); run finish(2); run finish(3); run reuse(2); run reuse(3); run walk()
  }
}
