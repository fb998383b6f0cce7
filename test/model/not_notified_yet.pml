// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_SECOND_LOOK
// RUN: %root/test/model/run_spin %s refuted -DOWN_WORD
// REQUIRES: spin
/* A member whose domain has not been notified yet that the barrier is open, or that the next region starts, while
   others go on (runtime/wait/work_loop.cpp, tasks_possible(); runtime/teams/barriers.md, "Starts and barriers by
   domain"). Thread 0 opens the barrier in its domain, whose word (COMPLETED) is that of the team, notifies domain 1, and
   makes a task that ends when domain 3 has been notified;
   1 notifies 2, which notifies 3; 2 looks for tasks meanwhile.
   Holds: the task ends.
   NO_SECOND_LOOK: having found a task, 2 does not ask again whether its wait is complete. OWN_WORD: it asks its own
   domain's word.
   Beside tools/explore it shows: a domain that is notified as late as one likes, which a run there meets only by a
   long loss of the processor. */

#define THREADS 4
#define BUFFER 3
#define COMPLETED 0
#define WORD(domain) (domain)
#define TASK 4
#define VARIABLES 5
#include "store_buffer.inc"

bool notified3 = false;
bool done = false;

inline RUN_TASK() {
  notified3; /* the task waits for it */
  done = true
}

proctype opener() {
  STORE(0, COMPLETED, 1);
  STORE(0, WORD(1), 1);
  STORE(0, TASK, 1)
}

proctype propagates() {
  LOAD(1, WORD(1)) == 1;
  STORE(1, WORD(2), 1)
}

proctype looks_for_tasks() {
  do
  :: LOAD(2, WORD(2)) == 1 -> break
  :: else ->
     if
     :: LOAD(2, COMPLETED) == 0 ->
        if
        :: atomic { RMW(2) && mem[TASK] == 1 -> mem[TASK] = 0 };
           if
#ifdef NO_SECOND_LOOK
           :: true -> RUN_TASK()
#else
#ifdef OWN_WORD
           :: LOAD(2, WORD(2)) == 0 -> RUN_TASK()
#else
           :: LOAD(2, COMPLETED) == 0 -> RUN_TASK()
#endif
           :: else -> atomic { RMW(2); mem[TASK] = 1 } /* hands it back */
#endif
           fi
        :: LOAD(2, TASK) == 0
        fi
     :: else
     fi
  od;
  STORE(2, WORD(3), 1)
}

proctype last() {
  LOAD(3, WORD(3)) == 1;
  notified3 = true;
  if
  :: atomic { RMW(3) && mem[TASK] == 1 -> mem[TASK] = 0 }; RUN_TASK()
  :: done
  fi
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2); run drain(3);
    run opener(); run propagates(); run looks_for_tasks(); run last()
  }
}
