// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_CLAIM
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_TAKE
// REQUIRES: spin
/* The fronts of chips (runtime/loops/loop_front.cpp: take_off_chip(), fill_chip(), take_from_chips();
   runtime/large_machines.md, "Loops"): chips of two members and of one, which take single units off the
   front of their chip. A member that finds nothing there fetches two units from the loop's front for its chip.
   When there is nothing else it takes from the other chip. Holds: every unit is taken exactly once, and nobody takes one
   after the last one.
   NO_CLAIM: a member fills its chip's front without a mark. PLAIN_TAKE: it takes by load and store.
   Beside tools/explore it shows: all ways of two members to meet at an empty front, with stores that others see late. */

#define MEMBERS 3
#define THREADS MEMBERS
#define UNITS 5 /* the last one too */
#define LAST (UNITS - 1)

/* A chip's front: first + 8 * end; being filled: FILLING or more. */
#define FILLING 64
#define FIRST(word) ((word) & 7)
#define END(word) ((word) >> 3)
#define HAS(word) ((word) < FILLING && FIRST(word) < END(word))
#define CHIP(number) (number)

/* The loop's front: next + 32 if the last unit is taken. */
#define FRONT 2
#define OVER 32
#define NEXT(word) ((word) & 31)
#define VARIABLES 3
#define BUFFER 1
#include "store_buffer.inc"

byte takers[UNITS];
byte ended;

inline EXECUTE(number) {
  assert(!had_last && takers[number] == 0);
  takers[number]++
}

/* take_from_chips(), of one chip */
inline TAKE_FROM(number) {
  word = LOAD(me, CHIP(number));
  if
  :: HAS(word) ->
     atomic {
       RMW(me);
       if
       :: mem[CHIP(number)] == word -> mem[CHIP(number)] = word + 1; taken = true; EXECUTE(FIRST(word))
       :: else
       fi;
       later = true
     }
  :: word >= FILLING -> later = true
  :: else
  fi
}

proctype member(byte me) {
  byte own = me / 2, word, got;
  bool had_last, taken, later, claimed;
  do
  :: word = LOAD(me, CHIP(own)); /* take_off_chip() */
     if
     :: HAS(word) ->
#ifdef PLAIN_TAKE
        got = word;
        STORE(me, CHIP(own), got + 1);
        atomic { EXECUTE(FIRST(got)); got = 0 }
#else
        atomic {
          RMW(me);
          got = mem[CHIP(own)];
          mem[CHIP(own)] = got + 1;
          if
          :: HAS(got) -> EXECUTE(FIRST(got))
          :: else
          fi;
          got = 0
        }
#endif
     :: word >= FILLING -> (LOAD(me, CHIP(own)) < FILLING)
     :: word < FILLING && FIRST(word) >= END(word) ->
        got = LOAD(me, FRONT);
        if
        :: NEXT(got) < LAST ->
#ifdef NO_CLAIM
           claimed = true;
#else
           atomic {
             RMW(me);
             claimed = mem[CHIP(own)] == word;
             if
             :: claimed -> mem[CHIP(own)] = FILLING
             :: else
             fi
           };
#endif
           if
           :: claimed -> /* fill_chip() */
              atomic {
                RMW(me);
                got = NEXT(mem[FRONT]);
                mem[FRONT] = mem[FRONT] + (got < LAST -> 2 : 0) /* further past the end changes nothing */
              };
              if
              :: got < LAST ->
                 STORE(me, CHIP(own), got + 1 + 8 * (got + 2 < LAST -> got + 2 : LAST));
                 atomic { EXECUTE(got) }
              :: else -> STORE(me, CHIP(own), 0)
              fi
           :: else
           fi;
           claimed = false
        :: else -> /* take_rest() */
           later = false;
           taken = false;
           TAKE_FROM(own);
           if
           :: !taken -> TAKE_FROM(1 - own)
           :: else
           fi;
           if
           :: later
           :: else ->
              atomic {
                RMW(me);
                if
                :: mem[FRONT] & OVER -> break
                :: else -> mem[FRONT] = mem[FRONT] | OVER; EXECUTE(LAST); had_last = true
                fi
              };
              break
           fi
        fi
     fi;
     word = 0;
     got = 0
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
  :: unit < UNITS -> assert(takers[unit] == 1); unit++
  :: else -> break
  od
}
