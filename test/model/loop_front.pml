// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s verified -DMEMBERS=2 -DLOOPS=2
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_TAKE
// RUN: %root/test/model/run_spin %s refuted -DNO_MARK
// RUN: %root/test/model/run_spin %s refuted -DNO_FLAG
// RUN: %root/test/model/run_spin %s refuted -DNO_RING -DMEMBERS=2 -DLOOPS=2
// REQUIRES: spin
/* The front of a loop (runtime/loops/loop_front.cpp; runtime/loops/README.md, "The front of a loop"): members take
   batches of one or two units off the front, keep the rest of a batch in reserve, take single units from their own
   reserves and, at the end, from those of others, and the last unit when there is nothing else. Then they go on to the
   next loop in the same slot of the ring, when all have left this one.
   Holds: every unit of every loop is taken exactly once, by a member that is in that loop. Whoever takes the last unit
   takes none after it, and when it is taken every other unit has been.
   PLAIN_TAKE: the owner takes from its reserve by load and store. NO_MARK: the reserve is not marked before the batch is
   taken. NO_FLAG: the front does not say that there are reserves. NO_RING: a member goes on before all have left.
   Beside tools/explore it shows: all ways of taking the last units, with stores that others see late. */

#ifndef MEMBERS
#define MEMBERS 3
#endif
#define THREADS MEMBERS
#ifndef LOOPS
#define LOOPS 1
#endif
#define UNITS 4 /* the last one too */
#define LAST (UNITS - 1)

/* A reserve: first + 8 * end, or FILLING. */
#define FILLING 128
#define WORD(first, end) ((first) + 8 * (end))
#define FIRST(word) ((word) & 7)
#define END(word) (((word) >> 3) & 7)
#define HAS_UNITS(word) ((word) < FILLING && FIRST(word) < END(word))

/* A front: next + 16 if there are reserves + 32 if the last unit is taken. */
#define RESERVES 16
#define OVER 32
#define NEXT(word) ((word) & 15)

#define FRONT (MEMBERS + loop)                   /* SharedLoop::taken, which slot_prepare() resets for each loop */
#define LEFT(member) (MEMBERS + LOOPS + (member)) /* RingPosition::left */
#define VARIABLES (MEMBERS + LOOPS + MEMBERS)
#define BUFFER 1
#include "store_buffer.inc"

byte takers[LOOPS * UNITS];
byte ended;

/* One step, like the compare-exchange that takes the unit. */
inline EXECUTE(number) {
  assert(!had_last && takers[loop * UNITS + number] == 0);
  takers[loop * UNITS + number]++
}

/* Looks at the reserve of another member, and takes its first unit if it may. */
inline TAKE_FROM(victim) {
  word = LOAD(me, victim);
  if
  :: HAS_UNITS(word) ->
     atomic {
       RMW(me);
       if
       :: mem[victim] == word -> mem[victim] = WORD(FIRST(word) + 1, END(word)); EXECUTE(FIRST(word)); taken = true
       :: else
       fi
     };
     later = true
  :: word == FILLING -> later = true
  :: else
  fi;
  word = 0
}

proctype member(byte me) {
  byte loop = 0, word, size;
  bool had_last, later, taken;
  do
  :: loop < LOOPS ->
#ifndef NO_RING
     (mem[LEFT((me + 1) % MEMBERS)] >= loop);
     (mem[LEFT((me + 2) % MEMBERS)] >= loop);
#endif
     do
     :: atomic { word = LOAD(me, me); taken = false; later = false };
        if
        :: HAS_UNITS(word) -> /* take_reserved() */
#ifdef PLAIN_TAKE
           STORE(me, me, WORD(FIRST(word) + 1, END(word)));
           atomic { EXECUTE(FIRST(word)); word = 0 }
#else
           atomic {
             RMW(me);
             if
             :: mem[me] == word -> mem[me] = WORD(FIRST(word) + 1, END(word)); EXECUTE(FIRST(word))
             :: else
             fi;
             word = 0
           }
#endif
        :: !HAS_UNITS(word) && NEXT(LOAD(me, FRONT)) < LAST -> /* take_batch() */
           if
           :: size = 1
           :: size = 2;
#ifndef NO_MARK
              STORE(me, me, FILLING);
#endif
#ifndef NO_FLAG
              atomic { RMW(me); mem[FRONT] = mem[FRONT] | RESERVES }
#endif
           fi;
           atomic {
             RMW(me);
             word = NEXT(mem[FRONT]);
             mem[FRONT] = mem[FRONT] + size;
             if
             :: word < LAST -> EXECUTE(word)
             :: else
             fi
           };
           if
           :: size == 2 && word + 1 < LAST -> STORE(me, me, WORD(word + 1, word + 2))
           :: size == 2 && word + 1 >= LAST -> STORE(me, me, 0)
           :: else
           fi;
           atomic { word = 0; size = 0 }
        :: !HAS_UNITS(word) && NEXT(LOAD(me, FRONT)) >= LAST -> /* take_last() */
           word = LOAD(me, FRONT);
           if
           :: word & OVER -> break
           :: !(word & OVER) && (word & RESERVES) ->
              TAKE_FROM((me + 1) % MEMBERS);
              if
              :: !taken -> TAKE_FROM((me + 2) % MEMBERS)
              :: else
              fi
           :: else
           fi;
           if
           :: !later ->
              atomic {
                RMW(me);
                if
                :: mem[FRONT] & OVER
                :: else ->
                   mem[FRONT] = mem[FRONT] | OVER;
                   for (size : 0 .. LAST - 1) { assert(takers[loop * UNITS + size] == 1) }
                   size = 0;
                   EXECUTE(LAST);
                   had_last = true
                fi
              }
           :: else
           fi;
           word = 0
        fi
     od;
     /* loop_slot_leave() */
     STORE(me, LEFT(me), loop + 1);
     atomic { loop++; word = 0; had_last = false; taken = false; later = false }
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
  :: unit < LOOPS * UNITS -> assert(takers[unit] == 1); unit++
  :: else -> break
  od
}
