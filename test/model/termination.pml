// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_RESUM
// RUN: %root/test/model/run_spin %s refuted -DCREATED_FIRST
// REQUIRES: spin
/* Termination of a barrier (runtime/barrier.cpp, idle.cpp; runtime/README.md, "Termination"): two members each make a task, one of
   them detachable and completed by a thread outside the team; tasks make tasks; members arrive, run what they find, sum
   `finished`, then `created`, and park. Holds: the barrier opens when, and only when, every task has finished; nobody sleeps
   for ever, also when the last two tasks finish at once and both members park.
   NO_FENCE: the parker's membarrier is missing. NO_RESUM: the parker does not sum again after it. CREATED_FIRST: the sums
   are taken in the wrong order. */

#define MEMBERS 2
#define MORE_TASKS 1 /* made by tasks */
#define OUTSIDER 2
#define THREADS 3
#define BUFFER 4
#define CREATED 0 /* + member */
#define FINISHED 2 /* + member */
#define OUTSIDE 4 /* Team::finished_outside */
#define RELEASED 5
#define VARIABLES 6
#include "store_buffer.inc"

byte published, more = MORE_TASKS, arrived, ended;
byte unfinished; /* what the counters stand for */
bool completed, detached_left;
bool sleeper[MEMBERS], asleep[MEMBERS]; /* the sleeper's bit, and its futex (parking.pml has the details) */

/* The sum, one load at a time. */
inline SUM_FINISHED() { sum_finished = LOAD(me, OUTSIDE); sum_finished = sum_finished + LOAD(me, FINISHED); sum_finished = sum_finished + LOAD(me, FINISHED + 1) }
inline SUM_CREATED() { sum_created = LOAD(me, CREATED); sum_created = sum_created + LOAD(me, CREATED + 1) }

inline WAKE(whom) {
  atomic {
    if
    :: sleeper[whom] -> RMW(me); sleeper[whom] = false; asleep[whom] = false
    :: else
    fi
  }
}

inline TRY_COMPLETE() {
  if
  :: arrived == MEMBERS && !completed ->
#ifdef CREATED_FIRST
     SUM_CREATED(); SUM_FINISHED();
#else
     SUM_FINISHED(); SUM_CREATED();
#endif
     if
     :: sum_created == sum_finished ->
        atomic {
          RMW(me);
          if
          :: completed -> sum_created = 99
          :: else -> completed = true; assert(unfinished == 0)
          fi
        };
        if
        :: sum_created != 99 -> STORE(me, RELEASED, 1); WAKE(0); WAKE(1)
        :: else
        fi
     :: else
     fi;
     sum_created = 0; sum_finished = 0
  :: else
  fi
}

/* A task, from elsewhere or the member's own, which may make another one: for all, or for the member itself. */
inline RUN() {
  if
  :: atomic { more > 0 -> more--; unfinished++ };
     STORE(me, CREATED + me, LOAD(me, CREATED + me) + 1);
     if
     :: atomic { RMW(me) -> published++ }; WAKE(1 - me)
     :: own++
     fi
  :: true
  fi;
  atomic { unfinished--; STORE(me, FINISHED + me, LOAD(me, FINISHED + me) + 1) }
}

proctype member(byte me) {
  byte own = 0, sum_created, sum_finished;
  atomic { unfinished++; STORE(me, CREATED + me, 1) };
  if
  :: me == 0 -> atomic { RMW(me) -> published++ }
  :: me == 1 -> atomic { RMW(me) -> detached_left = true } /* its body has returned; the outsider completes it */
  fi;
  atomic { RMW(me) -> arrived++ };
  do
  :: LOAD(me, RELEASED) -> break
  :: atomic { own > 0 -> own-- }; RUN()
  :: atomic { published > 0 && RMW(me) -> published-- }; RUN()
  :: own == 0 && published == 0 ->
     TRY_COMPLETE();
     if
     :: true -> skip /* looks again */
     :: true -> /* park() */
        sleeper[me] = true; /* a relaxed read-modify-write: no fence on other machines, so none here */
#ifndef NO_FENCE
        MEMBARRIER(me);
#endif
#ifndef NO_RESUM
        TRY_COMPLETE();
#endif
        if
        :: LOAD(me, RELEASED) || published > 0
        :: else ->
           atomic {
             if
             :: sleeper[me] -> asleep[me] = true
             :: else
             fi
           };
           !asleep[me]
        fi;
        sleeper[me] = false
     fi
  od;
  ended++
}

/* finish_task_outside(), by a thread of no team */
proctype outsider() {
  byte me = OUTSIDER;
  atomic { detached_left -> unfinished-- };
  atomic { RMW(me) -> mem[OUTSIDE] = mem[OUTSIDE] + 1 };
  if /* idle_wake_one() */
  :: sleeper[0] -> WAKE(0)
  :: !sleeper[0] && sleeper[1] -> WAKE(1)
  :: !sleeper[0] && !sleeper[1]
  fi;
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run member(0); run member(1); run outsider() };
  ended == 3;
  assert(unfinished == 0 && completed)
}
