// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_NUMBER
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_TAKE
// RUN: %root/test/model/run_spin %s refuted -DNO_RING
// RUN: %root/test/model/run_spin %s refuted -DLAST_LIKE_OTHERS
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_REFILL
// RUN: %root/test/model/run_spin %s refuted -DLAST_ACROSS
// RUN: %root/test/model/run_spin %s refuted -DLAST_LEFT
// REQUIRES: spin
/* Ranges of loops (runtime/loops/loop_ranges.cpp; runtime/loops/README.md, "Ranges of loops"): members arrive at any
   time. They take batches of their own ranges, or the whole share; halves of the ranges of others, also of members that
   have not come yet; and the loop's last unit. Then they go on to the next loop in the same slot of the ring, when all
   have left this one.
   Holds: every unit of every loop is taken exactly once, by a member that is in that loop, and the member that has the
   last unit takes none after it.
   NO_NUMBER: an offer is valid in any loop. PLAIN_TAKE: the owner takes by load and store. NO_RING: a member goes on
   before all have left. LAST_LIKE_OTHERS: the last unit is in the last member's share, and the member that had it goes
   on. PLAIN_REFILL: a member that has stolen replaces its own word by a store even if the last unit lies beside it.
   LAST_ACROSS: a member that takes what is left of its share takes the last unit too, whoever has what is between.
   LAST_LEFT: the member beside whose range the last unit lies may leave without it.
   Beside tools/explore it shows: all ways of taking the last iterations, with every interruption between two reads of
   a range. */

#define MEMBERS 3
#define THREADS MEMBERS
#define LOOPS 2
#define UNITS 5 /* the last one too */
#ifdef LAST_LIKE_OTHERS
#define SHARED_OUT UNITS
#else
#define SHARED_OUT (UNITS - 1)
#endif
#define LAST_SHARER (MEMBERS - 1)

/* A word: CLAIMED + first + 8 * end, + LAST if the last unit is there; or the number of the loop in which the whole share
   is offered. */
#define CLAIMED 64
#define LAST 128
#define WORD(first, end, last) (CLAIMED + (first) + 8 * (end) + LAST * (last))
#define IS_CLAIMED(word) ((word) & CLAIMED)
#define FIRST(word) ((word) & 7)
#define END(word) (((word) >> 3) & 7)

#define LEFT(member) (MEMBERS + (member)) /* RingPosition::left */
#define VARIABLES (2 * MEMBERS)
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

/* left_over() */
inline READ(member) {
  if
  :: IS_CLAIMED(word) -> first = FIRST(word); end = END(word); last = (word & LAST) != 0
  :: !IS_CLAIMED(word) && OFFERS(word, loop) ->
     first = SHARE_FIRST(member); end = SHARE_END(member);
#ifndef LAST_LIKE_OTHERS
     last = (member == LAST_SHARER)
#endif
  :: else -> first = 0; end = 0; last = 0
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

#define FORGET word = 0; first = 0; end = 0; middle = 0; last = 0; victim = 0

proctype member(byte me) {
  byte loop = 0, word, first, end, middle, unit, victim;
  bool had_last, last;
  do
  :: loop < LOOPS ->
     /* loop_slot_enter(), ranges_enter() */
#ifndef NO_RING
     (mem[LEFT((me + 1) % MEMBERS)] >= loop);
     (mem[LEFT((me + 2) % MEMBERS)] >= loop);
#endif
     if
     :: !IS_CLAIMED(LOAD(me, me)) && LOAD(me, me) != loop -> STORE(me, me, loop)
     :: else
     fi;
     do
     :: /* ranges_take(); no middle: look around */
        atomic {
          word = LOAD(me, me);
          READ(me);
          if
          :: first < end -> middle = first + 1
          :: first < end -> middle = end
#ifndef LAST_LIKE_OTHERS
          :: first < end && /* take_whole(); from there on like take_last() */
#ifdef LAST_ACROSS
             last ->
#else
             last && end == SHARED_OUT ->
#endif
             middle = UNITS
#endif
          :: first >= end -> FORGET; break
          fi
        };
#ifdef PLAIN_TAKE
        STORE(me, me, WORD(middle, end, last));
        atomic { EXECUTE(first, middle); FORGET };
#else
        atomic {
          RMW(me);
          if
          :: mem[me] == word && middle < UNITS -> mem[me] = WORD(middle, end, last); EXECUTE(first, middle)
          :: mem[me] == word && middle == UNITS -> mem[me] = WORD(0, 0, 0); EXECUTE(first, middle)
          :: else
          fi;
          FORGET
        };
#endif
#ifndef LAST_LIKE_OTHERS
        if
        :: had_last -> goto leave
        :: else
        fi
#endif
     od;
     /* Thief::refill(): it may find nothing at any time, since the spin limit is a time; it may be left out */
     if
     :: atomic {
          if
          :: victim = (me + 1) % MEMBERS
          :: victim = (me + 2) % MEMBERS
          fi;
          word = LOAD(me, victim);
          READ(victim);
          if
          :: first < end -> middle = first + (end - first) / 2
          :: else -> FORGET
          fi
        };
        if
        :: end > 0 ->
           if
           :: atomic {
                RMW(me) && mem[victim] == word -> mem[victim] = WORD(first, middle, last)
              };
#ifdef PLAIN_REFILL
              word = LOAD(me, me);
              STORE(me, me, WORD(middle, end, ((word & LAST) != 0)));
#else
              if
              :: me == LAST_SHARER ->
                 atomic {
                   RMW(me);
                   word = mem[me];
                   first = middle;
                   middle = end;
                   if
                   :: IS_CLAIMED(word) -> last = (word & LAST) != 0
                   :: else -> last = 1
                   fi;
                   mem[me] = WORD(first, middle, last)
                 }
              :: else -> STORE(me, me, WORD(middle, end, 0))
              fi;
#endif
              atomic { FORGET };
              goto next
           :: mem[victim] != word
           fi
        :: else
        fi
     :: true
     fi;
     atomic { FORGET };
#ifndef LAST_LIKE_OTHERS
     if
     :: /* take_last() */
        atomic {
          RMW(me);
          word = mem[LAST_SHARER];
          READ(LAST_SHARER);
          if
          :: last -> mem[LAST_SHARER] = WORD(first, end, 0); EXECUTE(UNITS - 1, UNITS)
          :: else
          fi;
          FORGET
        }
#ifndef LAST_LEFT
     :: me != LAST_SHARER /* others are quick */
#else
     :: true
#endif
     fi;
#endif
leave:
     /* loop_slot_leave() */
     STORE(me, me, loop + 1);
     STORE(me, LEFT(me), loop + 1);
     atomic {
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
