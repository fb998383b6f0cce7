// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_HANDOVER
// RUN: %root/test/model/run_spin %s refuted -DASKED_IN_VAIN
// RUN: %root/test/model/run_spin %s refuted -DNO_SECOND_FENCE
// RUN: %root/test/model/run_spin %s refuted -DBRIEF_UNFENCED
// REQUIRES: spin
/* The sentinel of a domain (runtime/wait/sentinel.cpp, idle.cpp; runtime/wait/README.md, "The sentinel"). Three members
   park, the first sleep of member 2 is brief: without a heavy fence, and not asked, it ends by itself. Whoever finds the domain without a sentinel becomes it, and sleeps with a timeout; the others sleep until they are
   woken or asked to look out. When the sentinel's timeout has ended it finds work, stops sleeping, asks a sleeper to look out,
   and is away. Another thread wakes member 1 at any time, for a condition of its own.
   Holds: nobody is forgotten. As long as a member sleeps, one looks out, is about to, or has been asked to; so in the end
   each of the three has looked out, or has been woken.
   NO_FENCE: the parker's membarrier is missing. NO_HANDOVER: a sentinel that leaves asks nobody. ASKED_IN_VAIN: a member
   that was asked and wakes for another reason asks nobody in its place. NO_SECOND_FENCE: a member that was asked does
   not fence before it looks whether there is a sentinel. BRIEF_UNFENCED: nor does one whose brief sleep has ended.
   Beside tools/explore it shows: a member that would be forgotten. There, the timeouts of its sleep hide that. */

#define MEMBERS 3
#define WAKER 3
#define BRIEF 2 /* the member that sleeps briefly first */
#define THREADS 4
#define BUFFER 3
#define SENTINEL 0 /* DomainLine::sentinel */
#define BITS 1    /* Team::sleepers */
#define PARKED 2  /* + member: 0 awake, 1 parked, 2 asked to look out, 3 parked briefly */
#define VARIABLES 5
#include "store_buffer.inc"

bool asleep[MEMBERS];
byte ended;

inline HEAVY(me) {
#ifndef NO_FENCE
  MEMBARRIER(me)
#else
  skip
#endif
}

/* ask_to_look_out() for each sleeper: a compare-and-swap of 1 for 2. `asked` of a member already asked is an answer, too. */
inline ASK(me) {
  other = 0;
  do
  :: other < MEMBERS ->
     if
     :: other != me && (LOAD(me, BITS) & (1 << other)) ->
        atomic {
          RMW(me);
          if
          :: mem[PARKED + other] == 1 -> mem[PARKED + other] = 2; asleep[other] = false; other = MEMBERS
          :: mem[PARKED + other] == 2 -> other = MEMBERS
          :: mem[PARKED + other] == 0 || mem[PARKED + other] == 3 -> other++
          fi
        }
     :: else -> other++
     fi
  :: else -> break
  od;
  other = 0
}

proctype member(byte me) {
  byte other;
  bool looks_out;
  STORE(me, PARKED + me, (me == BRIEF -> 3 : 1));
  atomic { RMW(me) -> mem[BITS] = mem[BITS] | (1 << me) };
  if
  :: me == BRIEF -> /* the brief sleep; its end: sentinel_may_be_asked(), heavy fence */
     FENCE(me);
     atomic { RMW(me) -> mem[PARKED + me] = 1 }
#ifndef BRIEF_UNFENCED
     ;
     HEAVY(me)
#endif
  :: else -> HEAVY(me)
  fi;
  do
  :: LOAD(me, PARKED + me) == 0 -> break
  :: else ->
     if
     :: LOAD(me, PARKED + me) == 2 ->
#ifdef NO_SECOND_FENCE
        STORE(me, PARKED + me, 1); /* and no fence */
#else
        atomic {
          RMW(me);
          if
          :: mem[PARKED + me] == 2 -> mem[PARKED + me] = 1
          :: else
          fi
        };
        HEAVY(me);
#endif
     :: else
     fi;
     if /* sentinel_take() */
     :: LOAD(me, SENTINEL) == 0 ->
        atomic {
          RMW(me);
          if
          :: mem[SENTINEL] == 0 -> mem[SENTINEL] = me + 1; looks_out = true
          :: else
          fi
        }
     :: else
     fi;
     if
     :: looks_out -> break /* the timeout ends, and the sentinel finds work */
     :: else ->
        atomic { /* futex_wait */
          if
          :: LOAD(me, PARKED + me) == 1 -> asleep[me] = true
          :: else
          fi
        };
        !asleep[me]
     fi
  od;
  atomic { RMW(me) -> mem[PARKED + me] = 0 };
  atomic { RMW(me) -> mem[BITS] = mem[BITS] & ~(1 << me) };
#ifndef NO_HANDOVER
  if /* sentinel_leave() */
  :: looks_out -> STORE(me, SENTINEL, 0); ASK(me)
#ifndef ASKED_IN_VAIN
  :: !looks_out && LOAD(me, SENTINEL) == 0 -> ASK(me)
#endif
  :: else
  fi;
#else
  if
  :: looks_out -> STORE(me, SENTINEL, 0)
  :: else
  fi;
#endif
  ended++
}

proctype waker() { /* worker_wake(), at any time, if the member is parked then */
  if
  :: LOAD(WAKER, PARKED + 1) == 0
  :: else -> atomic { RMW(WAKER) -> mem[PARKED + 1] = 0; asleep[1] = false }
  fi
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run drain(3); run member(0); run member(1); run member(2); run waker() };
  ended == MEMBERS
}
