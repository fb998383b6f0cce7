// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DASKS_UNNOTED
// RUN: %root/test/model/run_spin %s refuted -DGIVES_BLINDLY
// RUN: %root/test/model/run_spin %s refuted -DTRUSTS_OWN
// RUN: %root/test/model/run_spin %s refuted -DTRUSTS_WAKE
// REQUIRES: spin
/* A number that stands for a CPU, and two threads that want it (runtime/base/cpu_numbers.cpp; runtime/base/README.md,
   "Numbers that stand for CPUs"). Each asks, uses the number for a while, may ask again, and comes to a scheduling point.
   Whoever waits for the number may find that its holder has slept for long since the look before, and takes it over.
   The lock keeps two apart, but lets stores from before it wait in their buffer, as some processors do.
   Holds: both use the number at once only if the one from which it was taken has used it since before the first look.
   Who waits gets it at last.
   NO_FENCE: whoever waits does not fence after it has said that numbers may be taken over. ASKS_UNNOTED: a holder that
   asks again does not say so. GIVES_BLINDLY: a thread gives back what was taken over. TRUSTS_OWN: it does not look
   whether it has the number still. TRUSTS_WAKE: nor does it where it wakes, and others may have been faster.
   Beside tools/explore it shows: all ways around the two threads; virtual threads take nothing over. */

#define THREADS 2
#define BUFFER 2
#define MAY_BE_TAKEN 0
#define VARIABLES 1
#include "store_buffer.inc"

#define ROUNDS 2
#define NOBODY 2
byte holder = NOBODY, waiter = NOBODY;
byte asked;
bool locked;
bool has[THREADS]; /* own.number: it believes so */
bool uses[THREADS];
bool since_look[THREADS]; /* its use began after the other's first look at it */

#define LOCK atomic { !locked -> locked = true }
#define UNLOCK locked = false
#define OTHER(me) (1 - (me))

inline BEGIN_USE(me) {
  assert(!uses[OTHER(me)] || !since_look[OTHER(me)]);
  since_look[me] = true;
  uses[me] = true
}

inline LOOK_FIRST(me) { seen = asked; since_look[OTHER(me)] = false }

inline GIVE_LOCKED(thread) { holder = thread; asked++ }

inline PASS_ON_LOCKED() {
  if
  :: waiter != NOBODY -> GIVE_LOCKED(waiter); waiter = NOBODY
  :: else -> holder = NOBODY
  fi
}

proctype thread(byte me) {
  byte round, seen;
  do
  :: round < ROUNDS ->
     /* asks: the quick way is one step, from the load to the use */
asks:
     if
     :: atomic { has[me] && !LOAD(me, MAY_BE_TAKEN) -> BEGIN_USE(me) }
     :: atomic { !has[me] || LOAD(me, MAY_BE_TAKEN) -> skip };
        LOCK;
        if
#if defined(TRUSTS_OWN)
        :: has[me] -> asked++; BEGIN_USE(me); UNLOCK
        :: !has[me] && holder == NOBODY -> GIVE_LOCKED(me); has[me] = true; BEGIN_USE(me); UNLOCK
#else
        :: has[me] && holder == me ->
#if !defined(ASKS_UNNOTED)
           asked++;
#endif
           BEGIN_USE(me); UNLOCK
        :: !(has[me] && holder == me) && holder == NOBODY -> GIVE_LOCKED(me); has[me] = true; BEGIN_USE(me); UNLOCK
#endif
        :: else ->
           waiter = me;
           UNLOCK;
           STORE(me, MAY_BE_TAKEN, 1);
#if !defined(NO_FENCE)
           MEMBARRIER(me);
#endif
           LOCK; LOOK_FIRST(me); UNLOCK;
           do
           :: holder == me -> break
           :: LOCK;
              if
              :: waiter == me && asked == seen -> PASS_ON_LOCKED() /* asleep for long */
              :: else -> LOOK_FIRST(me)
              fi;
              UNLOCK
           od;
           has[me] = true;
#if defined(TRUSTS_WAKE)
           BEGIN_USE(me)
#else
           goto asks
#endif
        fi
     fi;
     uses[me] = false;
     if /* a scheduling point */
     :: skip
     :: LOCK;
        has[me] = false;
        if
#if defined(GIVES_BLINDLY)
        :: true -> PASS_ON_LOCKED()
#else
        :: holder == me -> PASS_ON_LOCKED()
#endif
        :: else
        fi;
        UNLOCK
     fi;
     round++
  :: else -> break
  od
}

init { atomic { run drain(0); run drain(1); run thread(0); run thread(1) } }
