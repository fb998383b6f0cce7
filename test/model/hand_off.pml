// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNEVER_CLOSES
// RUN: %root/test/model/run_spin %s refuted -DGIVES_BLINDLY
// RUN: %root/test/model/run_spin %s refuted -DSTILL_COUNTED
// RUN: %root/test/model/run_spin %s refuted -DLEAVES_THE_HAND_OFF
// REQUIRES: spin
/* Hand-offs (schedulers/hierarchical.cpp; schedulers/protocols.md, "Direct hand-offs"). A member asks three times: it is counted as
   requesting, opens its mailbox and sets its bit, perhaps once more; then it takes what has come, or gives up at any time.
   Two owners with two tasks each look whether somebody is requesting before each; one that claims the bit hands its task to
   the mailbox if that is open and the member seems to be there, else keeps it on offer. An owner may stand still for any time between these steps, so that it gives with a
   claim of an earlier time.
   Holds: in the end each task was run by the member or is on offer, none waits in a mailbox that nobody looks at, and
   nobody is counted as requesting.
   NEVER_CLOSES: a member that gives up takes its bit back, and leaves the mailbox open. GIVES_BLINDLY: an owner that has
   seen the mailbox open stores its hand-off, without a comparison. STILL_COUNTED: who gives does not take the member off the
   count. LEAVES_THE_HAND_OFF: a member that gives up does not look for what has come in the last moment.
   Beside tools/explore it shows: claims that are used later. There, an owner seldom stands still just then. */

#define OWNERS 2
#define MEMBER 2
#define THREADS 3
#define BUFFER 2
#define EPISODES 3
#define TASKS 2 /* of each owner */

#define WORD 0 /* of the mailbox: closed, open, or a hand-off */
#define BIT 1
#define REQUESTING 2
#define VARIABLES 3
#include "store_buffer.inc"

#define CLOSED 0
#define OPEN 1
#define HAND_OFF 2

byte ran, on_offer, ended;

proctype owner(byte me) {
  byte made = 0;
  bool claimed, given;
  do
  :: made == TASKS -> break
  :: else ->
     if
     :: LOAD(me, REQUESTING) > 0 && LOAD(me, BIT) -> atomic { RMW(me) -> claimed = mem[BIT]; mem[BIT] = 0 }
     :: else
     fi;
     if
     :: claimed ->
#ifdef GIVES_BLINDLY
        if
        :: LOAD(me, WORD) == OPEN -> given = true; STORE(me, WORD, HAND_OFF)
        :: else
        fi;
#else
        if
        :: atomic {
             RMW(me);
             if
             :: mem[WORD] == OPEN -> mem[WORD] = HAND_OFF; given = true
             :: else
             fi
           }
        :: true /* the member has not been there for long */
        fi;
#endif
        claimed = false;
#ifndef STILL_COUNTED
        if
        :: given -> atomic { RMW(me) -> mem[REQUESTING] = mem[REQUESTING] - 1 }
        :: else
        fi
#endif
     :: else
     fi;
     if
     :: !given -> on_offer++
     :: given -> given = false
     fi;
     made++
  od;
  ended++
}

proctype member(byte me) {
  byte asked = 0;
  bool received, counted, open;
  do
  :: asked == EPISODES -> break
  :: else ->
     atomic { RMW(me) -> mem[REQUESTING] = mem[REQUESTING] + 1 };
     received = false;
     STORE(me, WORD, OPEN); /* Mailbox::open() */
     atomic { RMW(me) -> mem[BIT] = 1 };
     if /* Mailbox::renew(): an owner that did not find it there has cleared its bit */
     :: atomic { RMW(me) -> open = (mem[WORD] == OPEN) };
        if
        :: open && LOAD(me, BIT) == 0 -> atomic { RMW(me) -> mem[BIT] = 1 }
        :: else
        fi;
        open = false
     :: true
     fi;
     if /* a look, or none: it has found something else, or its wait is over */
     :: LOAD(me, WORD) >= HAND_OFF -> received = true; ran++
     :: true
     fi;
     counted = !received;
     if
     :: received
     :: !received -> /* set_request(kNone) */
        atomic { RMW(me) -> mem[BIT] = 0 };
#ifndef NEVER_CLOSES
        atomic {
          RMW(me);
          if
          :: mem[WORD] == OPEN -> mem[WORD] = CLOSED
          :: else -> counted = false
          fi
        };
        if
#ifdef LEAVES_THE_HAND_OFF
        :: true
#else
        :: !counted -> on_offer++
        :: counted
#endif
        fi
#endif
     fi;
     if
     :: counted -> atomic { RMW(me) -> mem[REQUESTING] = mem[REQUESTING] - 1 }
     :: else
     fi;
     counted = false;
     asked++
  od;
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run owner(0); run owner(1); run member(MEMBER) };
  ended == 3 && len(buffer[0]) == 0 && len(buffer[1]) == 0 && len(buffer[2]) == 0;
  assert(ran + on_offer == OWNERS * TASKS && mem[REQUESTING] == 0)
}
