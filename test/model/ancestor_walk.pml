// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_HOLD
// RUN: %root/test/model/run_spin %s refuted -DDROPPED_FIRST
// RUN: %root/test/model/run_spin %s refuted -DNO_LOOK_BACK
// RUN: %root/test/model/run_spin %s refuted -DON_THE_WAY_UP
// REQUIRES: spin
/* The ancestor walk of the scheduling constraint (runtime/tasks/constraint.cpp, keep_header() in task_finish.cpp;
   runtime/tasks/constraint.md). Task 0 is queued and cannot finish; above it are 1, 2 and 3, which finish in any order,
   then the task that is asked for, or another one. A task that finishes keeps its parent's header, or leaves the parent
   out and keeps the nearest ancestor that has not finished. A header that nothing needs is freed and used again, for a
   child of whichever of the two is not the real ancestor.
   Holds: the walk says yes if and only if the real ancestor is the one asked for; no header is freed while it is kept.
   NO_HOLD: a task that finishes keeps nothing. DROPPED_FIRST: a task that leaves its parent out drops that before it has
   stored its new one. NO_LOOK_BACK: what was read is not verified. ON_THE_WAY_UP: it is verified on the way up.
   Beside tools/explore it shows: every header that is freed and used again in the middle of a walk. There, headers are
   not poisoned, so such a use shows only as a wrong answer. */

#define TASKS 4
#define ASKED 4
#define OTHER 5

byte parent[TASKS];
byte needed[TASKS]; /* by how many of those below: as a child, or held */
bool finished[TASKS], freed[TASKS], reused[TASKS];
byte real, false_one; /* the ancestor of all; the parent that a reused header has */

/* header_released() */
inline DROP(which) {
  at = which;
  do
  :: at >= TASKS -> break
  :: else ->
     atomic {
       assert(needed[at] > 0 && !freed[at]);
       needed[at]--;
       if
       :: needed[at] == 0 && finished[at] -> freed[at] = true; at = parent[at]
       :: else -> at = TASKS
       fi
     }
  od;
  at = 0
}

proctype finish(byte me) {
  byte at = 0, above = parent[me];
#ifdef NO_HOLD
  atomic { finished[me] = true };
  DROP(above)
#else
  if
  :: above < TASKS && finished[above] -> /* it may be left out */
     byte left = above;
     do
     :: above < TASKS && finished[above] -> assert(!freed[above]); above = parent[above]
     :: else -> break
     od;
     if
     :: above < TASKS -> atomic { assert(!freed[above]); needed[above]++ }
     :: else
     fi;
#ifdef DROPPED_FIRST
     DROP(left);
     parent[me] = above;
#else
     parent[me] = above;
     DROP(left);
#endif
  :: skip /* it counts as it did */
  fi;
  finished[me] = true
#endif
}

proctype reuse(byte me) {
end:
  atomic { freed[me] -> reused[me] = true };
  parent[me] = false_one
}

proctype walk() {
  byte path[TASKS], steps = 0, at, next;
  bool yes, intact;
again:
  steps = 0;
  at = parent[0];
  do
  :: at == ASKED -> yes = true; break
  :: at == OTHER -> yes = false; break
  :: else ->
     if
     :: steps == TASKS -> yes = false; break
     :: else
     fi;
     path[steps] = at;
     next = parent[at];
#ifdef ON_THE_WAY_UP
     if
     :: steps > 0 && parent[path[steps - 1]] != at -> goto again
     :: else
     fi;
#endif
     steps++;
     at = next
  od;
#if !defined(NO_LOOK_BACK) && !defined(ON_THE_WAY_UP)
  do
  :: steps > 0 ->
     steps--;
     if
     :: parent[path[steps]] != at -> goto again
     :: else -> at = path[steps]
     fi
  :: else -> break
  od;
#endif
  assert(yes == (real == ASKED))
}

init {
  atomic {
    if
    :: real = ASKED; false_one = OTHER
    :: real = OTHER; false_one = ASKED
    fi;
    parent[0] = 1; parent[1] = 2; parent[2] = 3; parent[3] = real;
    needed[1] = 1; needed[2] = 1; needed[3] = 1;
    run finish(1); run finish(2); run finish(3); run reuse(2); run reuse(3); run walk()
  }
}
