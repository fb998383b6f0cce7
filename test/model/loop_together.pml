// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s verified -DINDEPENDENT
// RUN: %root/test/model/run_spin %s verified -DALONE
// RUN: %root/test/model/run_spin %s refuted -DGIVE_FIRST
// RUN: %root/test/model/run_spin %s refuted -DKEEP_GIVEN
// RUN: %root/test/model/run_spin %s refuted -DTAKE_MORE
// REQUIRES: spin
/* Members of a chip that take units of a loop in order together (runtime/loops/loop_front.cpp: take_with_chip(),
   take_for_others(); runtime/large_machines.md, "Loops"): chips of two members and of one. Who comes first
   takes a unit off the front, then one for each that has come meanwhile. As many units as there are members wait for each other, unless
   they are INDEPENDENT: each of 0, 1 and 2, and each of 3, 4 and 5, ends when all three have begun.
   Holds: every unit is taken exactly once, and a member's units increase; all end, as they do where members take one
   after the other off the front.
   ALONE, in any order: a member takes a unit without the others of its chip whenever it likes (it does so to prove units).
   GIVE_FIRST: units are given before the bits of who waits are cleared. KEEP_GIVEN: a member does not clear what it was
   given. TAKE_MORE: one unit more is taken than members wait for.
   Beside tools/explore it shows: all ways of two members to come, with stores that others see late. */

#define MEMBERS 3
#define THREADS MEMBERS
#define UNITS 6 /* the last one too */
#define LAST (UNITS - 1)

#define CHIP(number) (number)     /* LoopShare::takers: a bit for each member */
#define GIVEN(member) (2 + (member)) /* LoopShare::given: a unit's end, or NOTHING */
#define NOTHING 255
#define FRONT (2 + MEMBERS) /* next + 32 if the last unit is taken */
#define OVER 32
#define NEXT(word) ((word) & 31)
#define VARIABLES (3 + MEMBERS)
#define BUFFER 2
#include "store_buffer.inc"

byte takers[UNITS];
byte ended;

inline BEGIN(number) {
  assert(takers[number] == 0 && number >= next);
  takers[number]++;
  next = number + 1
}

/* take_batch(): the front passes the end, which changes nothing. */
inline TAKE(size) {
  unit = NEXT(mem[FRONT]);
  end = (unit + size < LAST -> unit + size : LAST);
  mem[FRONT] = (unit < LAST -> mem[FRONT] + size : mem[FRONT])
}

#define GROUP ((next - 1) / MEMBERS * MEMBERS)

proctype member(byte me) {
  byte own = me / 2, mine = 1 << (me % 2), word, next, unit, end;
  bool has;
  do
#ifdef ALONE
  :: atomic {
       RMW(me);
       TAKE(1);
       has = unit < LAST;
       if
       :: has -> BEGIN(unit)
       :: else
       fi
     };
     atomic { unit = 0; end = 0 };
     if
     :: !has -> break
     :: has -> (takers[GROUP] + takers[GROUP + 1] + takers[GROUP + 2] == MEMBERS)
     fi
#endif
  :: atomic { RMW(me); word = mem[CHIP(own)]; mem[CHIP(own)] = word | mine };
     if
     :: word == 0 ->
        atomic {
          RMW(me);
          TAKE(1);
          has = unit < LAST;
          if
          :: has -> BEGIN(unit)
          :: else
          fi
        };
#ifdef GIVE_FIRST
        word = LOAD(me, CHIP(own)) & ~mine;
#else
        atomic { RMW(me); word = mem[CHIP(own)] & ~mine; mem[CHIP(own)] = 0 };
#endif
        if
        :: word != 0 -> /* of two members, the other one */
           if
#ifdef TAKE_MORE
           :: has -> atomic { RMW(me); TAKE(2) }
#else
           :: has -> atomic { RMW(me); TAKE(1) }
#endif
           :: else -> unit = LAST
           fi;
           STORE(me, GIVEN(own * 2 + 1 - me % 2), (unit < LAST -> unit + 1 : NOTHING))
        :: else
        fi;
#ifdef GIVE_FIRST
        atomic { RMW(me); mem[CHIP(own)] = mem[CHIP(own)] & ~(mine | word) }
#endif
     :: else ->
        LOAD(me, GIVEN(me)) != 0;
        atomic {
          word = LOAD(me, GIVEN(me));
          has = word != NOTHING;
          if
          :: has -> BEGIN(word - 1)
          :: else
          fi
        };
#ifndef KEEP_GIVEN
        STORE(me, GIVEN(me), 0)
#endif
     fi;
     atomic { word = 0; unit = 0; end = 0 };
     if
     :: !has -> break
#ifndef INDEPENDENT
     :: has -> (takers[GROUP] + takers[GROUP + 1] + takers[GROUP + 2] == MEMBERS)
#else
     :: has
#endif
     fi
  od;
  atomic { /* take_rest() */
    RMW(me);
    if
    :: mem[FRONT] & OVER
    :: else -> mem[FRONT] = mem[FRONT] | OVER; BEGIN(LAST)
    fi
  };
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
