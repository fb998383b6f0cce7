// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DBELL_LATE
// RUN: %root/test/model/run_spin %s refuted -DCLEARS_COUNT
// REQUIRES: spin
/* Sleeping between regions (runtime/idle.cpp, sleep_between_regions() and idle_wake_for_order(); runtime/README.md, "Parking"): a primary
   gives two orders, two members of one domain follow each. Holds: nobody sleeps through an order.
   NO_FENCE: the members' membarrier is missing. BELL_LATE: a member reads the bell after it looked at the order. CLEARS_COUNT: the primary
   sets the number of sleepers to zero when it wakes them, as if they could not be back to sleep before they took themselves off. */

#define PRIMARY 0
#define THREADS 3
#define BUFFER 3
#define GO 0
#define SLEEPING 1
#define BELL 2
#define VARIABLES 3
#define ORDERS 2
#include "store_buffer.inc"

bool asleep[THREADS];
byte followed[THREADS];

inline RING() {
  atomic {
    RMW(PRIMARY);
    mem[BELL] = mem[BELL] + 1
  };
  atomic { /* futex_wake(all) */
    asleep[1] = false;
    asleep[2] = false
  }
}

proctype primary() {
  byte order = 0;
  do
  :: order == ORDERS -> break
  :: else ->
     (followed[1] == order && followed[2] == order); /* the region has ended */
     order++;
     STORE(PRIMARY, GO, order);
     if
     :: LOAD(PRIMARY, SLEEPING) == 0
     :: else ->
#ifdef CLEARS_COUNT
        atomic { RMW(PRIMARY); mem[SLEEPING] = 0 };
#endif
        RING()
     fi
  od
}

proctype member(byte me) {
  byte bell, seen = 0;
  do
  :: seen == ORDERS -> break
  :: else ->
     if
     :: LOAD(me, GO) != seen /* it spins */
     :: true ->
#ifndef BELL_LATE
        bell = LOAD(me, BELL);
#endif
        atomic { RMW(me); mem[SLEEPING] = mem[SLEEPING] + 1 };
#ifndef NO_FENCE
        MEMBARRIER(me);
#endif
        do
        :: LOAD(me, GO) != seen -> break
        :: LOAD(me, GO) == seen ->
#ifdef BELL_LATE
           bell = LOAD(me, BELL);
#endif
           atomic { /* futex_wait() */
             if
             :: mem[BELL] == bell -> asleep[me] = true
             :: else
             fi
           };
           !asleep[me]
        od;
        atomic { RMW(me); mem[SLEEPING] = mem[SLEEPING] - 1 }
     fi;
     seen = LOAD(me, GO);
     followed[me] = seen
  od
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2);
    run primary(); run member(1); run member(2)
  }
}
