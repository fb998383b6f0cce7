// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_PASS
// RUN: %root/test/model/run_spin %s verified -DELIGIBLE=1
// RUN: %root/test/model/run_spin %s refuted -DBIT_FIRST
// RUN: %root/test/model/run_spin %s refuted -DNO_CHAIN
// RUN: %root/test/model/run_spin %s verified -DFENCE_MODE
// RUN: %root/test/model/run_spin %s refuted -DFENCE_MODE -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DFENCE_MODE -DNO_REQUEST_FENCE
// REQUIRES: spin
/* Parking (runtime/wait/idle.cpp, publish.cpp; runtime/wait/README.md, "Parking"). A producer publishes task A, which
   only worker 2 may run, pushes task B privately, looks at the request word, publishes B if a worker is requesting, and
   disappears into a long task. Two workers look around and park; the one that runs the last task stores the condition
   DONE and wakes each by worker_wake().
   Holds: no worker sleeps for ever, that is: no wake is lost, be it for a published task, for a private one or for the
   condition.
   NO_FENCE: the parker's membarrier (FENCE_MODE: the wakers' fences) is missing. NO_PASS: a woken worker that may not
   run the task keeps the wake to itself. NO_CHAIN: so does one that was woken for this task while it found another.
   BIT_FIRST: the sleeper's bit is set before `parked`, so that a waker may claim the bit, find no worker parked, and
   its wake is lost on a sleeper that may not run the task. NO_REQUEST_FENCE: where membarrier is refused, push and look
   at requests without a fence in between.
   Beside tools/explore it shows: all ways around the pair of fences, with store buffers as hardware has them; there,
   a timeout can hide a wake that got lost. */

#ifndef ELIGIBLE
#define ELIGIBLE 2 /* the only worker that may run task A */
#endif
#define PRODUCER 0
#define THREADS 3
#define BUFFER 3
#define TASK_A 0
#define TASK_B 1
#define PRIVATE_B 2
#define REQUESTS 3
#define BITS 4 /* Team::sleepers */
#define PARKED 5 /* + 1, + 2 */
#define DONE 8
#define VARIABLES 9
#include "store_buffer.inc"

bool asleep[3];
byte left = 2, ended;

#if defined(FENCE_MODE)
#define HEAVY(me) FENCE(me)
#if defined(NO_FENCE)
#define LIGHT(me) skip
#else
#define LIGHT(me) FENCE(me)
#endif
#elif defined(NO_FENCE)
#define HEAVY(me) skip
#define LIGHT(me) skip
#else
#define HEAVY(me) MEMBARRIER(me)
#define LIGHT(me) skip
#endif
#if defined(NO_REQUEST_FENCE)
#define REQUEST_FENCE(me) skip
#else
#define REQUEST_FENCE(me) LIGHT(me)
#endif

inline WORKER_WAKE(me, whom) {
  LIGHT(me);
  if
  :: LOAD(me, PARKED + whom) == 0
  :: else ->
     atomic {
       RMW(me);
       if
       :: mem[PARKED + whom] -> mem[PARKED + whom] = 0; asleep[whom] = false
       :: else
       fi
     }
  fi
}

/* wake_first(): claims the lowest sleeper at or above `from` */
inline WAKE_FIRST(me, from) {
  claimed = 0;
  do
  :: atomic {
       bits = LOAD(me, BITS);
       if
       :: (bits & 2) && from <= 1 -> claimed = 1
       :: (bits & 4) && !((bits & 2) && from <= 1) -> claimed = 2
       :: else -> claimed = 0
       fi;
       bits = 0
     };
     if
     :: claimed == 0 -> break
     :: else ->
        atomic {
          RMW(me);
          if
          :: mem[BITS] & (1 << claimed) -> mem[BITS] = mem[BITS] & ~(1 << claimed); bits = 1
          :: else
          fi
        };
        if
        :: bits -> bits = 0; break
        :: else
        fi
     fi
  od;
  if
  :: claimed > 0 -> WORKER_WAKE(me, claimed)
  :: else
  fi;
  claimed = 0
}

proctype producer() {
  byte bits, claimed;
  bool took;
  if /* in any order */
  :: STORE(PRODUCER, TASK_A, 1); LIGHT(PRODUCER); WAKE_FIRST(PRODUCER, 0); took = true
  :: skip
  fi;
  STORE(PRODUCER, PRIVATE_B, 1);
  REQUEST_FENCE(PRODUCER);
  if
  :: LOAD(PRODUCER, REQUESTS) == 0
  :: else -> /* publish_oldest() */
     if
     :: atomic { LOAD(PRODUCER, PRIVATE_B) -> STORE(PRODUCER, PRIVATE_B, 0) };
        STORE(PRODUCER, TASK_B, 1);
        LIGHT(PRODUCER);
        WAKE_FIRST(PRODUCER, 0)
     :: !LOAD(PRODUCER, PRIVATE_B) /* revoked meanwhile */
     fi
  fi;
  if
  :: took
  :: else -> STORE(PRODUCER, TASK_A, 1); LIGHT(PRODUCER); WAKE_FIRST(PRODUCER, 0)
  fi;
  atomic { ended++; took = false }
}

/* A task was taken; whoever runs the last one makes the condition true. */
inline RUN() {
  atomic { left--; bits = left };
  if
  :: bits == 0 -> STORE(me, DONE, 1); WORKER_WAKE(me, 1); WORKER_WAKE(me, 2)
  :: else -> bits = 0
  fi
}

/* find_work(): a look without the lock, then a removal under it */
inline FIND_WORK() {
  found = false;
  if
  :: me == ELIGIBLE && LOAD(me, TASK_A) -> atomic { RMW(me) -> found = mem[TASK_A]; mem[TASK_A] = 0 }
  :: else
  fi;
  if
  :: !found && LOAD(me, TASK_B) -> atomic { RMW(me) -> found = mem[TASK_B]; mem[TASK_B] = 0 }
  :: else
  fi
}

/* PrivateDeque::steal_by_force(), which forced_steal.pml proves: the owner's stores have drained when the thief is inside */
inline REVOKE() {
  atomic { RMW(me) && len(buffer[PRODUCER]) == 0 -> found = mem[PRIVATE_B]; mem[PRIVATE_B] = 0 }
}

proctype worker(byte me) {
  byte bits, claimed;
  bool found, requesting, woken;
  do
  :: LOAD(me, DONE) -> break
  :: !LOAD(me, DONE) ->
     FIND_WORK();
     if
     :: !found && LOAD(me, PRIVATE_B) -> REVOKE()
     :: true
     fi;
     if
     :: found -> RUN()
     :: else -> /* park() */
        if
        :: !requesting -> atomic { RMW(me) -> mem[REQUESTS] = mem[REQUESTS] + 1; requesting = true }
        :: else
        fi;
#ifdef BIT_FIRST
        atomic { RMW(me) -> mem[BITS] = mem[BITS] | (1 << me) };
        STORE(me, PARKED + me, 1);
#else
        STORE(me, PARKED + me, 1);
        atomic { RMW(me) -> mem[BITS] = mem[BITS] | (1 << me) };
#endif
        HEAVY(me);
        if /* last_look() */
        :: LOAD(me, DONE)
        :: else -> FIND_WORK()
        fi;
        if
        :: found || LOAD(me, DONE) || LOAD(me, PRIVATE_B) /* private tasks elsewhere: a timed wait only */
        :: else ->
           atomic { /* futex_wait */
             if
             :: LOAD(me, PARKED + me) == 1 -> asleep[me] = true
             :: else
             fi
           };
           !asleep[me]
        fi;
        STORE(me, PARKED + me, 0);
        atomic { RMW(me) -> woken = (mem[BITS] & (1 << me)) == 0; mem[BITS] = mem[BITS] & ~(1 << me) };
        if
        :: woken && !found && !LOAD(me, DONE) -> FIND_WORK()
        :: else
        fi;
#ifndef NO_PASS
        if /* pass_wake_on(): the wake may have been for another task than the one found, or than may run here */
#ifdef NO_CHAIN
        :: woken && !found && (LOAD(me, TASK_A) || LOAD(me, TASK_B)) -> WAKE_FIRST(me, me + 1)
#else
        :: woken && !found && (LOAD(me, TASK_A) || LOAD(me, TASK_B)) -> WAKE_FIRST(me, me + 1)
        :: woken && found && (LOAD(me, TASK_A) || LOAD(me, TASK_B)) -> WAKE_FIRST(me, 0)
#endif
        :: else
        fi;
#endif
        if
        :: found -> RUN()
        :: else
        fi;
        woken = false
     fi;
     if /* found_work() */
     :: found && requesting -> atomic { RMW(me) -> mem[REQUESTS] = mem[REQUESTS] - 1; requesting = false }
     :: else
     fi;
     found = false
  od;
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run producer(); run worker(1); run worker(2) };
  ended == 3;
  assert(left == 0)
}
