// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s verified -DFENCE_MODE
// RUN: %root/test/model/run_spin %s refuted -DFENCE_MODE -DNO_FENCE
// REQUIRES: spin
/* The asymmetric lock of the private deque (runtime/private_deque.h; runtime/README.md, "Revocation"): one owner that pushes,
   pops and takes its oldest, two thieves that revoke, withdraw or take the oldest half, and the owner's sleep when it finds
   itself revoked. Holds: every task is taken exactly once, base <= top, nobody sleeps for ever.
   NO_FENCE: without the thief's membarrier (FENCE_MODE: without the owner's fence) both get inside. */

#define TASKS 3
#define OWNER 0
#define THREADS 3
#define BUFFER 3

#define BUSY 0
#define REVOKED 1
#define TOP 2
#define BASE 3
#define SLOT 4 /* four of them */
#define VARIABLES 8
#include "store_buffer.inc"

#define K_REVOKED 1
#define K_OWNER_SLEEPS 2
#define K_FENCE_MODE 4

bool revoker_held, owner_asleep;
bool taken[TASKS + 1];
byte taken_count, ended;

inline TAKE(task) {
  assert(task > 0 && !taken[task]);
  taken[task] = true;
  taken_count++
}

inline wait_until_returned() {
  if
  :: (LOAD(OWNER, REVOKED) & ~K_FENCE_MODE) == 0 /* spinning was enough */
  :: atomic { RMW(OWNER) -> seen = mem[REVOKED]; mem[REVOKED] = seen | K_OWNER_SLEEPS };
     if
     :: (seen & K_REVOKED) == 0 -> atomic { RMW(OWNER) -> mem[REVOKED] = mem[REVOKED] & ~K_OWNER_SLEEPS }
     :: else ->
        atomic { /* futex_wait */
          if
          :: mem[REVOKED] == (seen | K_OWNER_SLEEPS) -> owner_asleep = true
          :: else
          fi
        };
        !owner_asleep
     fi
  fi
}

inline ENTER() {
  STORE(OWNER, BUSY, 1);
  seen = LOAD(OWNER, REVOKED);
  if
  :: seen == 0
  :: else -> /* enter_slow() */
     do
     ::
#if !(defined(FENCE_MODE) && defined(NO_FENCE))
        FENCE(OWNER);
#endif
        seen = LOAD(OWNER, REVOKED);
        if
        :: (seen & ~K_FENCE_MODE) == 0 -> break
        :: else
        fi;
        STORE(OWNER, BUSY, 0);
        wait_until_returned();
        STORE(OWNER, BUSY, 1)
     od
  fi;
  seen = 0
}

inline LEAVE() { STORE(OWNER, BUSY, 0) }

proctype owner() {
  byte pushed = 0, seen, top_now, task;
  do
  :: pushed < TASKS -> /* push */
     top_now = LOAD(OWNER, TOP);
     ENTER();
     STORE(OWNER, SLOT + (top_now & 3), pushed + 1);
     STORE(OWNER, TOP, top_now + 1);
     LEAVE();
     pushed++; top_now = 0
  :: LOAD(OWNER, TOP) > 0 -> /* pop_above(0) */
     top_now = LOAD(OWNER, TOP);
     ENTER();
     if
     :: top_now <= LOAD(OWNER, BASE) -> task = 0
     :: else -> task = LOAD(OWNER, SLOT + ((top_now - 1) & 3)); STORE(OWNER, TOP, top_now - 1)
     fi;
     LEAVE();
     atomic {
       if
       :: task > 0 -> TAKE(task)
       :: task == 0 && pushed == TASKS -> break
       :: else
       fi;
       task = 0; top_now = 0
     }
  :: pushed == TASKS && LOAD(OWNER, TOP) == 0 -> break
  :: LOAD(OWNER, TOP) > LOAD(OWNER, BASE) -> /* take_oldest(1) */
     ENTER();
     if
     :: LOAD(OWNER, BASE) < LOAD(OWNER, TOP) ->
        task = LOAD(OWNER, SLOT + (LOAD(OWNER, BASE) & 3));
        STORE(OWNER, BASE, LOAD(OWNER, BASE) + 1)
     :: else
     fi;
     LEAVE();
     atomic {
       if
       :: task > 0 -> TAKE(task)
       :: else
       fi;
       task = 0
     }
  od;
  ended++
}

proctype thief(byte me) {
  byte tries = 0, first, count, task, seen;
  bool inside;
  do
  :: tries == 1 -> break
  :: tries < 1 ->
     tries++;
     atomic {
       if
       :: revoker_held -> goto again
       :: else -> revoker_held = true
       fi
     };
     atomic { RMW(me) -> mem[REVOKED] = mem[REVOKED] | K_REVOKED };
#if defined(FENCE_MODE)
     FENCE(me);
#elif !defined(NO_FENCE)
     MEMBARRIER(me);
#endif
     if
     :: LOAD(me, BUSY) == 0 -> inside = true
     :: inside = false /* withdraws: the owner may have been preempted while busy */
     fi;
     if
     :: inside ->
        first = LOAD(me, BASE);
        assert(first <= LOAD(me, TOP));
        count = (LOAD(me, TOP) - first + 1) / 2;
        do
        :: count > 0 ->
           task = LOAD(me, SLOT + (first & 3));
           atomic { TAKE(task); first++; count-- }
        :: count == 0 -> break
        od;
        STORE(me, BASE, first)
     :: else
     fi;
     atomic { RMW(me) -> seen = mem[REVOKED]; mem[REVOKED] = seen & K_FENCE_MODE };
     atomic {
       if
       :: seen & K_OWNER_SLEEPS -> owner_asleep = false
       :: else
       fi;
       revoker_held = false; first = 0; task = 0; seen = 0; inside = false
     }
again:
     skip
  od;
  ended++
}

init {
  atomic {
#ifdef FENCE_MODE
    mem[REVOKED] = K_FENCE_MODE;
#endif
    run drain(0); run drain(1); run drain(2);
    run owner(); run thief(1); run thief(2)
  };
  ended == 3;
  assert(taken_count == TASKS)
}
