// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DOPENED_FIRST
// RUN: %root/test/model/run_spin %s refuted -DLEAVES_UNCOUNTED
// REQUIRES: spin
/* copyprivate in a cancelled region whose members have met (runtime/teams/barrier.cpp, count_in_rest(); tasks/cancel.cpp;
   runtime/teams/barriers.md, "Barriers of a cancelled region"). Each member comes to two single regions, or goes to the
   region's end before either; so in each of two regions. The first to come to a single region executes it.
   Holds: nobody waits for ever; what is copied is the executor's of that single region, which is still in it.
   OPENED_FIRST: who comes last lets the others go on before it has taken their number back: the next count is lost.
   LEAVES_UNCOUNTED: who goes to the region's end is not counted there.
   All accesses are in order: who comes last acquires what the others released. */

#define MEMBERS 3
#define SINGLES 2
#define REGIONS 2

byte waiting, left_for_good, opened; /* the first two are one word */
byte executed, published, joined;    /* the first two are numbers of single regions */
bool inside[SINGLES + 1];            /* the executor of that one */

inline COUNT(counter) {
  d_step {
    counter++;
    last = waiting + left_for_good == MEMBERS;
    some = waiting > 0
  }
  if
  :: last && some ->
#ifdef OPENED_FIRST
     opened++;
     waiting = 0
#else
     waiting = 0;
     opened++
#endif
  :: last && !some -> left_for_good = 0
  :: else
  fi;
  last = false; some = false
}

inline REST() {
  epoch = opened + 1;
  COUNT(waiting);
  opened == epoch;
  epoch = 0
}

proctype member() {
  byte number, region, epoch;
  bool executes, last, some;
  do
  :: region < REGIONS ->
     number = 1;
     do
     :: number <= SINGLES ->
        atomic { executes = executed < number; if :: executes -> executed = number :: else fi }
        if
        :: executes -> inside[number] = true; published = number
        :: else
        fi;
        REST();
        if
        :: !executes -> assert(published == number); assert(inside[number])
        :: else
        fi;
        REST();
        if
        :: executes -> inside[number] = false
        :: else
        fi;
        number++
     :: true -> break /* a cancellation point, or the end */
     od;
#ifndef LEAVES_UNCOUNTED
     COUNT(left_for_good);
#endif
     region++;
     atomic { /* the join, after which the primary prepares the next region */
       joined++;
       if
       :: joined == region * MEMBERS -> executed = 0; published = 0
       :: else
       fi
     }
     joined >= region * MEMBERS
  :: else -> break
  od
}

init { atomic { run member(); run member(); run member() } }
