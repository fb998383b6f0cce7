// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_READ_LATE
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_STAYS
// RUN: %root/test/model/run_spin %s refuted -DCLEARS_OWN_BIT
// RUN: %root/test/model/run_spin %s refuted -DANNOUNCES_ONCE
// REQUIRES: spin
/* Sleeping until numbered events (runtime/sync/numbered_eventcount.h; runtime/sync/README.md, "Numbered eventcounts"):
   three threads take turns. Turns t and t + 3 are thread t's; each thread waits for its turn and then begins the next.
   Turns with the same parity share a bit.
   Holds: every turn comes.
   NO_FENCE: the sleeper's membarrier is missing. COUNT_READ_LATE: the sleeper reads the count of events after it looked
   for its turn. COUNT_STAYS: the waker does not change that count. CLEARS_OWN_BIT: a thread whose turn has come clears
   the bit, which others share. ANNOUNCES_ONCE: a thread that is woken for another one's turn does not set the bit
   again.
   Beside tools/explore it shows: all ways around the pair of fences, with store buffers as hardware has them. */

#define THREADS 3
#define BUFFER 2
#define TURN 0
#define ASLEEP 1 /* 2 bits */
#define EVENTS 2
#define VARIABLES 3
#define TURNS 6
#define BIT(turn) (1 << ((turn) % 2))
#include "store_buffer.inc"

byte asleep[THREADS]; /* the bit that the thread sleeps with; 0: awake */

inline WAKE(kind) {
  d_step {
    if :: asleep[0] == (kind) -> asleep[0] = 0 :: else fi;
    if :: asleep[1] == (kind) -> asleep[1] = 0 :: else fi;
    if :: asleep[2] == (kind) -> asleep[2] = 0 :: else fi
  }
}

inline NOTIFY(turn) {
  if
  :: (LOAD(me, ASLEEP) & BIT(turn)) == 0
  :: else ->
     atomic { RMW(me); mem[ASLEEP] = mem[ASLEEP] & (3 - BIT(turn)) };
#ifndef COUNT_STAYS
     atomic { RMW(me); mem[EVENTS] = mem[EVENTS] + 1 };
#endif
     WAKE(BIT(turn))
  fi
}

proctype member(byte me) {
  byte own = me, events;
  bool announced = false;
  do
  :: own >= TURNS -> break
  :: else ->
     do
     :: LOAD(me, TURN) == own -> break
     :: LOAD(me, TURN) != own ->
#ifndef COUNT_READ_LATE
        events = LOAD(me, EVENTS);
#endif
#ifdef ANNOUNCES_ONCE
        if
        :: announced
        :: else ->
           announced = true;
           atomic { RMW(me); mem[ASLEEP] = mem[ASLEEP] | BIT(own) };
           MEMBARRIER(me)
        fi;
#else
        atomic { RMW(me); mem[ASLEEP] = mem[ASLEEP] | BIT(own) };
#ifndef NO_FENCE
        MEMBARRIER(me);
#endif
#endif
        if
        :: LOAD(me, TURN) == own
        :: else ->
#ifdef COUNT_READ_LATE
           events = LOAD(me, EVENTS);
#endif
           atomic { /* futex_wait_bits() */
             if
             :: mem[EVENTS] == events -> asleep[me] = BIT(own)
             :: else
             fi
           };
           asleep[me] == 0
        fi
     od;
#ifdef CLEARS_OWN_BIT
     atomic { RMW(me); mem[ASLEEP] = mem[ASLEEP] & (3 - BIT(own)) };
#endif
     announced = false;
     STORE(me, TURN, own + 1);
     NOTIFY(own + 1);
     own = own + THREADS
  od
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2);
    run member(0); run member(1); run member(2)
  }
}
