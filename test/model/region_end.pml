// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_SECOND_LOOK
// RUN: %root/test/model/run_spin %s refuted -DLOOKS_AT_ONE
// RUN: %root/test/model/run_spin %s refuted -DEND_UNANNOUNCED
// RUN: %root/test/model/run_spin %s refuted -DONE_ANNOUNCES
// RUN: %root/test/model/run_spin %s refuted -DSEEN_KEPT
// RUN: %root/test/model/run_spin %s refuted -DNO_EPOCH
// RUN: %root/test/model/run_spin %s refuted -DENDED_FIRST
// RUN: %root/test/model/run_spin %s refuted -DREADY_LATE
// RUN: %root/test/model/run_spin %s refuted -DTRUSTS_WAKE
// REQUIRES: spin
/* The end of a region in a team of several domains (runtime/teams/arrival.cpp, arrive() and others_have_arrived();
   barrier.cpp, gather_join(); runtime/teams/barriers.md, "Arrivals"): the primary and members 1 and 2 are in domain 0,
   member 3 is in domain 1. The last in each domain stores the epoch in the domain's word and wakes the primary, which
   looks at those that it has not seen, and parks. Two regions follow each other, each of two, three or four threads. So
   domain 1 may have no part, and member 1 may be the only one that is counted in domain 0. When a member has arrived
   it may be late by any time; it may even skip a region in which it has no part. Nobody exports tasks
   (termination.pml -DJOIN has them).
   Holds: the primary ends a region when, and only when, all its members have arrived; it sees what they wrote; the
   count is then ready for the next region; nobody waits for ever.
   NO_FENCE: the primary's membarrier is missing. NO_SECOND_LOOK: it does not look again after it. LOOKS_AT_ONE: there
   it looks only at the word for which it has waited. END_UNANNOUNCED: nobody wakes the primary. ONE_ANNOUNCES: only the
   last in its own domain does. SEEN_KEPT: the primary begins with the words that it has seen at the last region's end
   (Team::ends_seen). NO_EPOCH: the word only says that the members have arrived. ENDED_FIRST: the store of the word
   overtakes what the member wrote before, as it may without release. READY_LATE: the last in a domain makes the count
   ready for the next region after it has stored the word. TRUSTS_WAKE: a primary that has been woken does not look
   whether all have arrived.
   Beside tools/explore it shows: all ways around the pair of fences with several words, sizes that change, and members
   that are late by any time. */

#define REGIONS 2
#define MOST 4 /* threads of a region */
#define THREADS 4
#define BUFFER 3
#define GO 0 /* DomainLine::go, the same for both domains: SIGNAL() */
#define MISSING 1 /* ArrivalCount::missing of domain 0 */
#define ENDED 2 /* + domain; ArrivalCount::ended */
#define PARKED 4 /* the primary's WaitState::parked */
#define WROTE 4 /* + member: the region in which it wrote last */
#define VARIABLES 8
#include "store_buffer.inc"

#define SIGNAL(region, size) ((region) * 8 + (size))
#define REGION(signal) ((signal) / 8)
#define SIZE(signal) ((signal) % 8)
#define DOMAIN(member) ((member) / 3)

/* Of domain 0: the primary is expected at barriers, but not at a region's end. */
#define EXPECTED(size) ((size) == 2 -> 2 : 3)
#define OTHERS(size) (EXPECTED(size) - 1)
#define ENDS(size) ((size) == MOST -> 2 : 1)

#ifdef NO_EPOCH
#define WORD(region) 1
#else
#define WORD(region) (region)
#endif

bool asleep;
byte left;

/* worker_wake() */
inline WAKE_PRIMARY() {
  if
  :: LOAD(me, PARKED) == 0
  :: else ->
     atomic {
       RMW(me);
       if
       :: mem[PARKED] -> mem[PARKED] = 0; asleep = false
       :: else
       fi
     }
  fi
}

/* arrive(), and what follows */
#define IS_COUNTED (DOMAIN(me) == 0 && OTHERS(SIZE(signal)) != 1)
inline MAKE_READY() {
  if
  :: IS_COUNTED -> STORE(me, MISSING, EXPECTED(SIZE(signal)))
  :: else
  fi
}

inline ARRIVE() {
  if
  :: IS_COUNTED ->
     atomic {
       RMW(me);
       mem[MISSING] = mem[MISSING] - 1;
       last = (mem[MISSING] == EXPECTED(SIZE(signal)) - OTHERS(SIZE(signal)))
     }
  :: else -> last = true
  fi;
  if
  :: last ->
#ifndef READY_LATE
     MAKE_READY();
#endif
     STORE(me, ENDED + DOMAIN(me), WORD(REGION(signal)));
#ifdef READY_LATE
     MAKE_READY();
#endif
#ifdef ENDED_FIRST
     if
     :: !IS_COUNTED -> STORE(me, WROTE + me, REGION(signal))
     :: else
     fi;
#endif
#if defined(ONE_ANNOUNCES)
     if
     :: DOMAIN(me) == 0 -> WAKE_PRIMARY()
     :: else
     fi;
#elif !defined(END_UNANNOUNCED)
     WAKE_PRIMARY();
#endif
     last = false
  :: else
  fi
}

proctype member(byte me) {
  byte signal = 0;
  bool last;
  do
  :: atomic { LOAD(me, GO) != signal -> signal = LOAD(me, GO) };
     if
     :: SIZE(signal) == 0 -> break
     :: SIZE(signal) > me ->
#ifdef ENDED_FIRST
        if
        :: IS_COUNTED -> STORE(me, WROTE + me, REGION(signal))
        :: else
        fi;
#else
        STORE(me, WROTE + me, REGION(signal));
#endif
        ARRIVE()
     :: else
     fi
  od;
  left++
}

/* gather_join(): a look at each word that has not been seen, a bit for each */
#define ALL_SEEN ((1 << ENDS(size)) - 1)
inline LOOK_AT(domain) {
  if
  :: !(seen >> domain & 1) && domain < ENDS(size) && LOAD(0, ENDED + domain) == WORD(region) -> seen = seen | 1 << domain
  :: else
  fi
}

inline LOOK() {
  LOOK_AT(0);
  LOOK_AT(1)
}

inline PARK() {
  STORE(0, PARKED, 1);
#ifndef NO_FENCE
  MEMBARRIER(0);
#endif
#if defined(LOOKS_AT_ONE)
  if
  :: seen & 1 -> LOOK_AT(1)
  :: else -> LOOK_AT(0)
  fi;
#elif !defined(NO_SECOND_LOOK)
  LOOK();
#endif
  if
  :: seen == ALL_SEEN
  :: else ->
     atomic { /* futex_wait() */
       if
       :: LOAD(0, PARKED) -> asleep = true
       :: else
       fi
     };
     !asleep
#ifdef TRUSTS_WAKE
     ; seen = ALL_SEEN
#endif
  fi;
  atomic { RMW(0); mem[PARKED] = 0 }
}

proctype primary() {
  byte region = 0, size = 0, seen = 0;
  do
  :: region == REGIONS -> break
  :: else ->
     region++;
     if
     :: size != 2 -> size = 2; STORE(0, MISSING, EXPECTED(size))
     :: size != 3 -> size = 3; STORE(0, MISSING, EXPECTED(size))
     :: size != 4 -> size = 4; STORE(0, MISSING, EXPECTED(size))
     :: size != 0 /* as before: nothing is counted again */
     fi;
     STORE(0, GO, SIGNAL(region, size));
#ifndef SEEN_KEPT
     seen = 0;
#endif
     do
     :: LOOK();
        if
        :: seen == ALL_SEEN -> break
        :: else -> PARK()
        fi
     od;
     assert(LOAD(0, WROTE + 1) == region);
     assert(size < 3 || LOAD(0, WROTE + 2) == region);
     assert(size < 4 || LOAD(0, WROTE + 3) == region);
     assert(LOAD(0, MISSING) == EXPECTED(size))
  od;
  STORE(0, GO, SIGNAL(REGIONS + 1, 0));
  left == MOST - 1
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2); run drain(3);
    run primary(); run member(1); run member(2); run member(3)
  }
}
