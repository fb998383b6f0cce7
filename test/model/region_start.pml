// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DBELL_LATE
// RUN: %root/test/model/run_spin %s refuted -DCLEARS_COUNT
// RUN: %root/test/model/run_spin %s refuted -DLOOKS_FIRST
// RUN: %root/test/model/run_spin %s refuted -DLEAVES_AT_ONCE
// REQUIRES: spin
/* start signals, along the tree of domains, and sleeping between regions (runtime/teams/team.cpp, propagate_start(); runtime/idle/idle.cpp,
   sleep_between_regions() and idle_wake_for_start(); runtime/idle/README.md, "Between regions"; runtime/teams/README.md, "Starts and barriers by domain"): a primary tells
   domain 1, whose first member tells domain 2. Order 1 is for everybody, 2 for nobody but the primary, which does not wait then, 3 for
   domain 1 only, 4 for everybody, 5 says leave. Holds: nobody sleeps through an order that it has a part in; when all have left, all
   domains have heard the last order, so that the next team begins with the same word in each.
   NO_FENCE: the sleepers' membarrier is missing. BELL_LATE: a member reads the bell after it looked at the order. CLEARS_COUNT: who
   wakes sets the number of sleepers to zero, as if they could not be back to sleep before they took themselves off. LOOKS_FIRST: the
   first member looks for sleepers before it stores the order. LEAVES_AT_ONCE: it leaves without passing that order on. */

#define THREADS 3 /* thread d is the primary, or the one member of domain d */
#define BUFFER 3
#define GO(domain) ((domain) * 3 - 3)
#define SLEEPING(domain) ((domain) * 3 - 2)
#define BELL(domain) ((domain) * 3 - 1)
#define VARIABLES 6
#define LEAVE 5
#define HAS_PART(domain, order) ((order) == 1 || (order) == 4 || ((order) == 3 && (domain) == 1))
#define MUST_HEAR(domain, order, last) ((order) == LEAVE || HAS_PART(domain, order) || HAS_PART(domain, last))
#include "store_buffer.inc"

bool asleep[THREADS];
byte followed[THREADS];
byte attached = 2;

inline WAKE(teller, domain) {
#ifdef CLEARS_COUNT
  atomic { RMW(teller); mem[SLEEPING(domain)] = 0 };
#endif
  atomic {
    RMW(teller);
    mem[BELL(domain)] = mem[BELL(domain)] + 1
  };
  asleep[domain] = false /* futex_wake(all) */
}

inline TELL(teller, domain, order) {
  STORE(teller, GO(domain), order);
  if
  :: LOAD(teller, SLEEPING(domain)) == 0
  :: else -> WAKE(teller, domain)
  fi
}

proctype primary() {
  byte order = 0, told = 0;
  do
  :: order == LEAVE -> break
  :: else ->
     /* the region has ended */
     (!HAS_PART(1, order) || followed[1] == order) && (!HAS_PART(2, order) || followed[2] == order);
     order++;
     if
     :: MUST_HEAR(1, order, told) -> told = order; TELL(0, 1, order)
     :: else
     fi
  od;
  attached == 0;
  assert(mem[GO(1)] == LEAVE && mem[GO(2)] == LEAVE)
}

inline PASS_ON(order) {
  if
#ifdef LEAVES_AT_ONCE
  :: order == LEAVE
#endif
  :: else ->
     if
     :: MUST_HEAR(2, order, told) ->
        told = order;
#ifdef LOOKS_FIRST
        if
        :: LOAD(1, SLEEPING(2)) == 0 -> STORE(1, GO(2), order)
        :: else -> STORE(1, GO(2), order); WAKE(1, 2)
        fi
#else
        TELL(1, 2, order)
#endif
     :: else
     fi
  fi
}

proctype member(byte me) {
  byte bell, seen = 0, told = 0;
  do
  :: seen == LEAVE -> break
  :: else ->
     if
     :: LOAD(me, GO(me)) != seen /* it spins */
     :: true ->
#ifndef BELL_LATE
        bell = LOAD(me, BELL(me));
#endif
        atomic { RMW(me); mem[SLEEPING(me)] = mem[SLEEPING(me)] + 1 };
#ifndef NO_FENCE
        MEMBARRIER(me);
#endif
        do
        :: LOAD(me, GO(me)) != seen -> break
        :: LOAD(me, GO(me)) == seen ->
#ifdef BELL_LATE
           bell = LOAD(me, BELL(me));
#endif
           atomic { /* futex_wait() */
             if
             :: mem[BELL(me)] == bell -> asleep[me] = true
             :: else
             fi
           };
           !asleep[me];
#ifndef BELL_LATE
           bell = LOAD(me, BELL(me)) /* it may have rung late, for the order before */
#endif
        od;
        atomic { RMW(me); mem[SLEEPING(me)] = mem[SLEEPING(me)] - 1 }
     fi;
     seen = LOAD(me, GO(me));
     if
     :: me == 1 -> PASS_ON(seen)
     :: else
     fi;
     if
     :: HAS_PART(me, seen) -> followed[me] = seen
     :: else
     fi
  od;
  atomic { RMW(me); attached = attached - 1 }
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2);
    run primary(); run member(1); run member(2)
  }
}
