// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_LOOK_BACK
// RUN: %root/test/model/run_spin %s verified -DFENCE_MODE
// RUN: %root/test/model/run_spin %s refuted -DFENCE_MODE -DNO_OWNER_LOCK
// RUN: %root/test/model/run_spin %s verified -DREFUSED_LATE
// RUN: %root/test/model/run_spin %s refuted -DREFUSED_LATE -DNO_VISITS
// REQUIRES: spin
/* The private deque (runtime/core/private_deque.h; runtime/core/README.md, "The private deque"): one owner that pushes,
   pops, takes its oldest, reuses slots; two thieves that announce a limit, fence, and take the oldest half.
   Holds: every task is taken exactly once, and a slot is not written before the thief has read it.
   NO_FENCE: the thief's membarrier is missing. NO_LOOK_BACK: the thief does not look at top again after it. FENCE_MODE:
   membarrier is refused, and every pop takes the lock; NO_OWNER_LOCK: membarrier is refused, and a pop does not take
   it. REFUSED_LATE: membarrier is refused from some moment on, and the next thief visits all CPUs; NO_VISITS: it does
   not.
   Beside tools/explore it shows: all ways around the pair of fences for an owner and two thieves; there, one of them
   took 12,000 runs. */

#ifdef REFUSED_LATE
#define TASKS 3 /* else 20 million states */
#else
#define TASKS 4
#endif
#define CAPACITY 3
#define OWNER 0
#define THREADS 3
#define BUFFER 3

#define TOP 0
#define BASE 1
#define LIMIT 2
#define SLOT 3 /* CAPACITY of them */
#define VARIABLES 6
#define ALWAYS 99 /* kFenceMode */
#include "store_buffer.inc"

bool refused;
bool held; /* the lock: its operations are read-modify-writes */
bool taken[TASKS + 1];
byte taken_count, ended;

inline LOCK(me) { atomic { !held && RMW(me) -> held = true } }
inline UNLOCK(me) { atomic { RMW(me) -> held = false } }

inline TAKE(task) {
  assert(task > 0 && !taken[task]);
  taken[task] = true;
  taken_count++
}

inline SET_LIMIT(me, limit) {
  if
  :: LOAD(me, LIMIT) != ALWAYS -> STORE(me, LIMIT, limit)
  :: else
  fi
}

/* pop_contended(): top has been lowered to `index`. */
inline POP_CONTENDED() {
#if defined(FENCE_MODE) && defined(NO_OWNER_LOCK)
  if
  :: LOAD(OWNER, BASE) > index -> STORE(OWNER, TOP, index + 1)
  :: else -> task = LOAD(OWNER, SLOT + (index % CAPACITY))
  fi
#else
  if
  :: LOAD(OWNER, BASE) > index -> STORE(OWNER, TOP, index + 1)
  :: else ->
     LOCK(OWNER);
     if
     :: LOAD(OWNER, BASE) > index -> gone = true
     :: else -> task = LOAD(OWNER, SLOT + (index % CAPACITY))
     fi;
     UNLOCK(OWNER);
     if
     :: gone -> STORE(OWNER, TOP, index + 1)
     :: else
     fi;
     gone = false
  fi
#endif
}

proctype owner() {
  byte pushed = 0, task, index;
  bool gone;
  do
  :: pushed < TASKS && LOAD(OWNER, TOP) < LOAD(OWNER, BASE) + CAPACITY -> /* push */
     index = LOAD(OWNER, TOP);
     STORE(OWNER, SLOT + (index % CAPACITY), pushed + 1);
     STORE(OWNER, TOP, index + 1);
     pushed++; index = 0
  :: LOAD(OWNER, TOP) > 0 -> /* pop_above(0) */
     index = LOAD(OWNER, TOP) - 1;
     STORE(OWNER, TOP, index);
     if
     :: index < LOAD(OWNER, LIMIT) -> POP_CONTENDED()
     :: else -> task = LOAD(OWNER, SLOT + (index % CAPACITY))
     fi;
     atomic {
       if
       :: task > 0 -> TAKE(task)
       :: task == 0 && pushed == TASKS -> break
       :: else
       fi;
       task = 0; index = 0
     }
  :: pushed == TASKS && LOAD(OWNER, TOP) == 0 -> break
  :: LOAD(OWNER, TOP) > LOAD(OWNER, BASE) -> /* take_oldest(1) */
     if
     :: atomic { !held && RMW(OWNER) -> held = true };
        index = LOAD(OWNER, BASE);
        if
        :: index < LOAD(OWNER, TOP) ->
           SET_LIMIT(OWNER, index + 1);
           task = LOAD(OWNER, SLOT + (index % CAPACITY));
           STORE(OWNER, BASE, index + 1)
        :: else
        fi;
        UNLOCK(OWNER);
        atomic {
          if
          :: task > 0 -> TAKE(task)
          :: else
          fi;
          task = 0; index = 0
        }
     :: held
     fi
  od;
  ended++
}

proctype thief(byte me) {
  byte first, wanted, seen, task;
  if
  :: atomic { held -> goto out }
  :: LOCK(me)
  fi;
  first = LOAD(me, BASE);
  seen = LOAD(me, TOP);
  wanted = (seen > first -> (seen - first + 1) / 2 : 0);
  SET_LIMIT(me, first + wanted);
#if defined(REFUSED_LATE)
  if
  :: !refused -> MEMBARRIER(me)
  :: LOAD(me, LIMIT) != ALWAYS ->
     refused = true;
     STORE(me, LIMIT, ALWAYS);
#ifndef NO_VISITS
     MEMBARRIER(me)
#endif
  :: LOAD(me, LIMIT) == ALWAYS
  fi;
#elif !defined(FENCE_MODE) && !defined(NO_FENCE)
  MEMBARRIER(me);
#endif
#ifndef NO_LOOK_BACK
  seen = LOAD(me, TOP);
#endif
  if
  :: seen < first + wanted -> wanted = (seen > first -> seen - first : 0); SET_LIMIT(me, first + wanted)
  :: else
  fi;
  do
  :: wanted > 0 ->
     task = LOAD(me, SLOT + (first % CAPACITY));
     atomic { TAKE(task); first++; wanted-- }
  :: wanted == 0 -> break
  od;
  STORE(me, BASE, first);
  UNLOCK(me);
out:
  ended++
}

init {
  atomic {
#ifdef FENCE_MODE
    mem[LIMIT] = ALWAYS;
#endif
    run drain(0); run drain(1); run drain(2);
    run owner(); run thief(1); run thief(2)
  };
  ended == 3;
  assert(taken_count == TASKS)
}
