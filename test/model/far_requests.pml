// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DFLAG_FIRST
// RUN: %root/test/model/run_spin %s refuted -DTAKES_OFF_BLINDLY
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_FLAG
// REQUIRES: spin
/* A domain withdraws what it has asked of others (schedulers/domains.cpp; schedulers/protocols.md, "Requests across
   domains"). Two thieves ask, if a member is requesting; a third member may look at no other domain, and withdraws; the
   members that are requesting cease to. thief_token.pml has what the count of domains that ask leads to.
   Holds: the bit says that the domain is counted, once; when all asking is over, the next withdrawal leaves neither,
   whoever is requesting.
   FLAG_FIRST: a thief sets the flag before the bit. TAKES_OFF_BLINDLY: a withdrawal does not look whether it was that
   which took the bit. PLAIN_FLAG: it stores the flag after it has taken the bit, in place of an exchange before. */

#define THREADS 4
#define BUFFER 2
#define REQUESTING 0 /* how many; and the bit */
#define ASKING 4
#define ASKS 1 /* domains that ask: this one, at most once but for a moment */
#define FLAG 2
#define VARIABLES 3
#include "store_buffer.inc"

byte ended;

inline STOP_ASKING() { /* a compare-and-swap */
  atomic {
    RMW(me);
    if
    :: mem[REQUESTING] == ASKING -> mem[REQUESTING] = 0; took = true
    :: else
    fi
  };
  TAKE_OFF()
}

inline TAKE_OFF() {
  if
  :: took -> atomic { RMW(me) -> assert(mem[ASKS] > 0); mem[ASKS] = mem[ASKS] - 1 }; took = false
  :: else
  fi
}

inline WITHDRAW() {
  if
  :: LOAD(me, FLAG) == 0
  :: else ->
#ifndef PLAIN_FLAG
     atomic { RMW(me) -> had = mem[FLAG] != 0; mem[FLAG] = 0 };
#else
     had = true;
#endif
     if
     :: had ->
        atomic { RMW(me) -> took = (mem[REQUESTING] & ASKING) != 0; mem[REQUESTING] = mem[REQUESTING] & 3 };
#ifdef TAKES_OFF_BLINDLY
        took = true;
#endif
        TAKE_OFF();
#ifdef PLAIN_FLAG
        STORE(me, FLAG, 0);
#endif
        had = false
     :: else
     fi
  fi
}

proctype thief(byte me) { /* ask_others() */
  bool took, was_set, none;
  if
  :: LOAD(me, REQUESTING) == 0 || LOAD(me, REQUESTING) >= ASKING
  :: else ->
     atomic { RMW(me) -> mem[ASKS] = mem[ASKS] + 1 };
#ifdef FLAG_FIRST
     STORE(me, FLAG, 1);
#endif
     atomic {
       RMW(me) -> was_set = (mem[REQUESTING] & ASKING) != 0; none = (mem[REQUESTING] & 3) == 0;
       mem[REQUESTING] = mem[REQUESTING] | ASKING
     };
     took = was_set;
     TAKE_OFF();
     if
     :: !was_set && none -> STOP_ASKING()
     :: else
     fi;
#ifndef FLAG_FIRST
     STORE(me, FLAG, 1)
#endif
  fi;
  FENCE(me);
  ended++
}

proctype stays(byte me) {
  bool had, took;
  byte looks = 0;
  do
  :: looks < 2 -> WITHDRAW(); looks++
  :: true -> break
  od;
  ended == 3; /* all asking is over, and this is the next look */
  WITHDRAW();
  FENCE(me);
  assert((mem[REQUESTING] & ASKING) == 0 && mem[ASKS] == 0);
  ended++
}

proctype requests(byte me) {
  bool took, last;
  if
  :: atomic { RMW(me) -> mem[REQUESTING] = mem[REQUESTING] - 1; last = mem[REQUESTING] == ASKING };
     if
     :: last -> STOP_ASKING()
     :: else
     fi
  :: true /* and goes on to request */
  fi;
  ended++
}

init {
  atomic { mem[REQUESTING] = 1; run drain(0); run drain(1); run drain(2); run drain(3); run thief(0); run thief(1); run stays(2); run requests(3) };
  ended == 4
}
