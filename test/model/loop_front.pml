// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s verified -DMEMBERS=2 -DLOOPS=2
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_TAKE
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_DEAL
// RUN: %root/test/model/run_spin %s refuted -DNO_MARK
// RUN: %root/test/model/run_spin %s refuted -DNO_MOVES
// RUN: %root/test/model/run_spin %s refuted -DNO_NUMBER -DMEMBERS=2 -DLOOPS=2
// RUN: %root/test/model/run_spin %s refuted -DNO_RING -DMEMBERS=2 -DLOOPS=2
// REQUIRES: spin
/* The front of a loop (runtime/loops/loop_front.cpp; runtime/loops/README.md, "The front of a loop"): members take
   units off the front. At any time one may deal what is left: then each takes from its own share, then the first unit or
   the upper half of another's, of a member that has not come yet too, and the last unit when there is nothing else. Then
   they go on to the next loop in the same slot of the ring, when all have left this one.
   Holds: every unit of every loop is taken exactly once, by a member that is in that loop. Whoever takes the last unit
   takes none after it, and when it is taken every other unit has been.
   PLAIN_TAKE: the owner takes from its share by load and store. PLAIN_DEAL: the loop is dealt by load and store. NO_MARK:
   a member does not mark its share before it moves units there. NO_MOVES: a member that finds nothing does not look
   whether units were moved meanwhile. NO_NUMBER: an offer is valid in any loop. NO_RING: a member goes on before all have
   left.
   Beside tools/explore it shows: all ways of taking the last units, with stores that others see late. */

#ifndef MEMBERS
#define MEMBERS 3
#endif
#define THREADS MEMBERS
#ifndef LOOPS
#define LOOPS 1
#endif
#define UNITS 5 /* the last one too */
#define LAST (UNITS - 1)

/* A share: CLAIMED + first + 8 * end, or FILLING; or the number of the loop from which on the whole share is offered. */
#define CLAIMED 64
#define FILLING 128
#define WORD(first, end) (CLAIMED + (first) + 8 * (end))
#define SHARE_FIRST(member) (from + (member) * (LAST - from) / MEMBERS)
#define SHARE_END(member) (from + ((member) + 1) * (LAST - from) / MEMBERS)
#ifdef NO_NUMBER
#define OFFERS(word) true
#else
#define OFFERS(word) ((word) <= loop)
#endif

/* A front: next + 8 * from + 64 if the loop is dealt + 128 if the last unit is taken. */
#define DEALT 64
#define OVER 128
#define NEXT(word) ((word) & 7)
#define FROM(word) (((word) >> 3) & 7)

#define FRONT (MEMBERS + loop)                    /* SharedLoop::taken, which slot_prepare() resets for each loop */
#define MOVES (MEMBERS + LOOPS + loop)            /* SharedLoop::moves */
#define LEFT(member) (MEMBERS + 2 * LOOPS + (member)) /* RingPosition::left */
#define VARIABLES (2 * MEMBERS + 2 * LOOPS)
#define BUFFER 1
#include "store_buffer.inc"

byte thieves[LOOPS * UNITS];
byte ended;

/* One step, like the compare-exchange that takes the unit. */
inline EXECUTE(number) {
  assert(!had_last && thieves[loop * UNITS + number] == 0);
  thieves[loop * UNITS + number]++
}

/* left_of() */
inline READ(member) {
  word = LOAD(me, member);
  if
  :: word >= FILLING -> first = 0; end = 0
  :: word >= CLAIMED && word < FILLING -> first = word & 7; end = (word >> 3) & 7
  :: word < CLAIMED && OFFERS(word) -> first = SHARE_FIRST(member); end = SHARE_END(member)
  :: else -> first = 0; end = 0
  fi
}

inline SWAP(share, rest_first, rest_end) {
  RMW(me);
  if
  :: mem[share] == word -> mem[share] = WORD(rest_first, rest_end); taken = true
  :: else
  fi
}

/* Looks at the share of another member, and takes its first unit or its upper half. */
inline TAKE_FROM(victim) {
  atomic { READ(victim); later = later || word == FILLING };
  if
  :: first + 1 < end -> /* take_half(): [middle, end), of which the first unit is executed at once */
#ifndef NO_MARK
     STORE(me, me, FILLING);
#endif
     atomic { RMW(me); mem[MOVES] = mem[MOVES] + 1 };
     atomic { SWAP(victim, first, end - 2); if :: taken -> EXECUTE(end - 2) :: else fi };
     atomic {
       if
       :: taken -> STORE(me, me, WORD(end - 1, end))
       :: else -> STORE(me, me, WORD(0, 0))
       fi;
       later = true
     }
  :: first < end -> atomic { SWAP(victim, first + 1, end); if :: taken -> EXECUTE(first) :: else fi; later = true }
  :: else
  fi;
  atomic { word = 0; first = 0; end = 0 }
}

proctype member(byte me) {
  byte loop = 0, word, from, first, end, moved;
  bool had_last, later, taken, dealt;
  do
  :: loop < LOOPS ->
#ifndef NO_RING
     (mem[LEFT((me + 1) % MEMBERS)] >= loop);
     (mem[LEFT((me + 2) % MEMBERS)] >= loop);
#endif
     do
     :: !dealt -> /* take_off_front(), deal() */
        atomic { word = LOAD(me, FRONT) };
        if
        :: word & DEALT -> atomic { dealt = true; from = FROM(word); word = 0 }
        :: !(word & DEALT) && NEXT(word) < LAST -> /* take_batch() */
           atomic {
             RMW(me);
             word = mem[FRONT];
             mem[FRONT] = mem[FRONT] + (NEXT(word) < UNITS -> 1 : 0); /* it passes the end, which changes nothing */
             if
             :: word & DEALT -> dealt = true; from = FROM(word)
             :: !(word & DEALT) && NEXT(word) < LAST -> EXECUTE(NEXT(word))
             :: else
             fi;
             word = 0
           }
        :: !(word & DEALT) && NEXT(word) < LAST -> /* deal() */
#ifdef PLAIN_DEAL
           atomic { RMW(me); mem[FRONT] = NEXT(word) + 8 * NEXT(word) + DEALT; word = 0 }
#else
           atomic {
             RMW(me);
             if
             :: mem[FRONT] == word -> mem[FRONT] = NEXT(word) + 8 * NEXT(word) + DEALT
             :: else
             fi;
             word = 0
           }
#endif
        :: !(word & DEALT) && NEXT(word) >= LAST -> atomic { word = 0; break }
        fi
     :: dealt -> /* take_own(), take_from_others() */
        atomic { READ(me); taken = false; later = false };
        if
        :: first < end ->
#ifdef PLAIN_TAKE
           STORE(me, me, WORD(first + 1, end));
           atomic { EXECUTE(first); word = 0; first = 0; end = 0 }
#else
           atomic { SWAP(me, first + 1, end); if :: taken -> EXECUTE(first) :: else fi; word = 0; first = 0; end = 0 }
#endif
        :: else ->
           if
           :: LOAD(me, FRONT) & OVER -> atomic { word = 0; first = 0; end = 0; break }
           :: else
           fi;
           atomic { word = 0; first = 0; end = 0; moved = LOAD(me, MOVES) };
           TAKE_FROM((me + 1) % MEMBERS);
#if MEMBERS > 2
           if
           :: !taken -> TAKE_FROM((me + 2) % MEMBERS)
           :: else
           fi;
#endif
           if
#ifdef NO_MOVES
           :: !later -> moved = 0; break
#else
           :: !later && LOAD(me, MOVES) == moved -> moved = 0; break
#endif
           :: else -> moved = 0
           fi
        fi
     od;
     /* take_rest(): nothing is left anywhere */
     atomic {
       RMW(me);
       if
       :: mem[FRONT] & OVER
       :: else ->
          mem[FRONT] = mem[FRONT] | OVER;
          for (first : 0 .. LAST - 1) { assert(thieves[loop * UNITS + first] == 1) }
          first = 0;
          EXECUTE(LAST);
          had_last = true
       fi
     };
     /* front_leave(), loop_slot_leave() */
     STORE(me, me, loop + 1);
     STORE(me, LEFT(me), loop + 1);
     atomic { loop++; had_last = false; taken = false; later = false; dealt = false; from = 0 }
  :: loop == LOOPS -> break
  od;
  ended++
}

init {
  byte unit = 0;
  atomic {
    for (unit : 0 .. MEMBERS - 1) { run drain(unit); run member(unit) }
    unit = 0
  };
  ended == MEMBERS;
  do
  :: unit < LOOPS * UNITS -> assert(thieves[unit] == 1); unit++
  :: else -> break
  od
}
