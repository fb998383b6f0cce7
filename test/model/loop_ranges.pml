// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_NUMBER
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_TAKE
// RUN: %root/test/model/run_spin %s refuted -DNO_RING
// RUN: %root/test/model/run_spin %s refuted -DLAST_LIKE_OTHERS
// REQUIRES: spin
/* Ranges of loops (runtime/loop_ranges.cpp; runtime/README.md, "Ranges of loops"): members that come when they like take
   batches of their own ranges, halves of those of others, also of members that have not come yet, and the loop's last unit;
   then they go on to the next loop in the same slot of the ring. Holds: every unit of every loop is taken exactly once, by
   nobody who is in another loop, and who has the last unit takes none after it.
   NO_NUMBER: an offer is valid in any loop. PLAIN_TAKE: the owner takes by load and store. NO_RING: a member goes on before all
   have left. LAST_LIKE_OTHERS: the last unit is in the last member's share, and who had it goes on. */

#define MEMBERS 3
#define THREADS MEMBERS
#define LOOPS 2
#define UNITS 5 /* the last one too */
#ifdef LAST_LIKE_OTHERS
#define SHARED_OUT UNITS
#else
#define SHARED_OUT (UNITS - 1)
#endif

/* A word: CLAIMED + first + 8 * end, or the number of the loop in which the whole share is offered. */
#define CLAIMED 64
#define WORD(first, end) (CLAIMED + (first) + 8 * (end))
#define FIRST(word) ((word) & 7)
#define END(word) (((word) >> 3) & 7)

#define LEFT MEMBERS /* variables after the words: members that have left the slot */
#define GENERATION (MEMBERS + 1)
#define LAST_TAKEN (MEMBERS + 2)
#define VARIABLES (MEMBERS + 3)
#define BUFFER 2
#include "store_buffer.inc"

byte takers[LOOPS * UNITS];
byte ended;

#define SHARE_FIRST(member) ((member) * SHARED_OUT / MEMBERS)
#define SHARE_END(member) (((member) + 1) * SHARED_OUT / MEMBERS)

#ifdef NO_NUMBER
#define OFFERS(word, loop) true
#else
#define OFFERS(word, loop) ((word) == (loop))
#endif

/* range_in() */
inline READ(member) {
  if
  :: word >= CLAIMED -> first = FIRST(word); end = END(word)
  :: word < CLAIMED && OFFERS(word, loop) -> first = SHARE_FIRST(member); end = SHARE_END(member)
  :: else -> first = 0; end = 0
  fi
}

/* One step, like the compare-exchange or the plain code around it that nobody else can see. */
inline EXECUTE(from, to) {
  unit = from;
  do
  :: unit < to ->
     assert(!had_last && takers[loop * UNITS + unit] == 0);
     takers[loop * UNITS + unit]++;
     had_last = (unit == UNITS - 1);
     unit++
  :: else -> break
  od;
  unit = 0
}

proctype member(byte me) {
  byte loop = 0, word, first, end, middle, unit, victim;
  bool had_last;
  do
  :: loop < LOOPS ->
     /* slot_enter(), ranges_enter() */
#ifndef NO_RING
     (LOAD(me, GENERATION) == loop);
#endif
     if
     :: LOAD(me, me) < CLAIMED && LOAD(me, me) != loop -> STORE(me, me, loop)
     :: else
     fi;
     do
     :: /* ranges_take() */
        word = LOAD(me, me);
        READ(me);
        if
        :: first >= end -> break /* look around */
        :: first < end ->
           if
           :: middle = first + 1
           :: middle = end
           fi;
#ifdef PLAIN_TAKE
           STORE(me, me, WORD(middle, end));
           atomic { EXECUTE(first, middle) }
#else
           atomic {
             RMW(me);
             if
             :: mem[me] == word -> mem[me] = WORD(middle, end); EXECUTE(first, middle)
             :: else
             fi
           }
#endif
        fi;
        atomic { word = 0; first = 0; end = 0; middle = 0 }
     od;
     atomic { word = 0; first = 0; end = 0 };
#ifndef LAST_LIKE_OTHERS
     if
     :: had_last -> goto leave
     :: else
     fi;
#endif
     /* Thief::refill(): may find nothing at any time, since patience is timing */
     if
     :: if
        :: victim = (me + 1) % MEMBERS
        :: victim = (me + 2) % MEMBERS
        fi;
        word = LOAD(me, victim);
        READ(victim);
        if
        :: first < end ->
           middle = first + (end - first) / 2;
           if
           :: atomic {
                RMW(me) && mem[victim] == word -> mem[victim] = WORD(first, middle)
              };
              STORE(me, me, WORD(middle, end));
              atomic { word = 0; first = 0; end = 0; middle = 0; victim = 0 };
              goto next
           :: mem[victim] != word
           fi
        :: else
        fi
     :: true
     fi;
     atomic { word = 0; first = 0; end = 0; middle = 0; victim = 0 };
#ifndef LAST_LIKE_OTHERS
     atomic { /* take_last() */
       RMW(me);
       if
       :: mem[LAST_TAKEN] == 0 -> mem[LAST_TAKEN] = 1; EXECUTE(UNITS - 1, UNITS)
       :: else
       fi
     };
#endif
leave:
     /* slot_leave() */
     STORE(me, me, loop + 1);
     atomic {
       RMW(me);
       mem[LEFT]++;
       if
       :: mem[LEFT] == MEMBERS -> mem[LEFT] = 0; mem[LAST_TAKEN] = 0; mem[GENERATION] = loop + 1
       :: else
       fi;
       loop++;
       had_last = false
     };
next:
     skip
  :: loop == LOOPS -> break
  od;
  ended++
}

init {
  byte unit = 0;
  atomic {
    run drain(0); run drain(1); run drain(2);
    run member(0); run member(1); run member(2)
  };
  ended == MEMBERS;
  do
  :: unit < LOOPS * UNITS -> assert(takers[unit] == 1); unit++
  :: else -> break
  od
}
