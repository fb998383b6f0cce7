// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DCOUNTS_TOO
// RUN: %root/test/model/run_spin %s refuted -DLEAVES_BLINDLY
// RUN: %root/test/model/run_spin %s refuted -DENDS_BLINDLY
// RUN: %root/test/model/run_spin %s refuted -DSINKS_LATE
// RUN: %root/test/model/run_spin %s refuted -DNO_USE
// REQUIRES: spin
/* A task that is lent while its graph is replayed in order (lend() and go_parallel() in runtime/graphs/replay.cpp;
   runtime/graphs/README.md, "Short tasks"). The lent task has one successor; a third task depends on nothing and comes
   after both. The replaying task waits for the lent one and runs the others in their order, or goes on without it at
   any time: then whoever changes the word last makes the successor ready, and another member runs the third.
   Holds: each task runs once, the successor after what the lent task wrote; the replay ends once, when all have run; and
   nobody touches the instance after its last use.
   COUNTS_TOO: the replaying task makes the successor ready, whatever the word says. LEAVES_BLINDLY: it stores that it
   has gone on, without a comparison. ENDS_BLINDLY: the finisher of the lent task looks at the word and then clears it.
   SINKS_LATE: the number of tasks to come is set after the word. NO_USE: the replaying task does not count itself as a
   user of the instance while it makes the rest ready.
   Beside tools/explore it shows: a finisher that stands still between its task and the word. */

#define REPLAYER 0
#define FINISHER 1
#define OTHER 2
#define THREADS 3
#define BUFFER 4

#define WORD 0   /* GraphInstance::lent */
#define PUSHED 1 /* the lent task is visible */
#define DATA 2   /* what it writes */
#define COUNT 3  /* of the successor's predecessors */
#define SINKS 4
#define READY 5 /* the third task */
#define VARIABLES 6
#include "store_buffer.inc"

#define LENT 1
#define LEFT 2

byte busy = 1, ran_successor, ran_third, replays_ended, ended;
bool over; /* all has run in order */

#define TOUCH assert(busy > 0)

inline RELEASE(me) {
  atomic { RMW(me) -> TOUCH; busy-- }
}

inline SINK_FINISHED(me) {
  atomic { RMW(me) -> TOUCH; assert(mem[SINKS] > 0); mem[SINKS] = mem[SINKS] - 1; left = mem[SINKS] };
  if
  :: left == 0 -> replays_ended++; assert(ran_successor == 1 && ran_third == 1); RELEASE(me)
  :: else
  fi
}

/* release_successors() of the lent task, and the successor's run */
inline RELEASE_SUCCESSOR(me) {
  atomic { RMW(me) -> TOUCH; assert(mem[COUNT] == 1); mem[COUNT] = 0 };
  assert(LOAD(me, DATA) == 1);
  ran_successor++;
  assert(ran_successor == 1);
  SINK_FINISHED(me)
}

proctype replayer() {
  byte left;
  bool goes_on;
  STORE(REPLAYER, WORD, LENT);
  STORE(REPLAYER, PUSHED, 1);
  do
  :: LOAD(REPLAYER, WORD) == 0 -> break
  :: goes_on = true; break
  od;
  if
  :: !goes_on ->
     assert(LOAD(REPLAYER, DATA) == 1 && LOAD(REPLAYER, COUNT) == 1);
     ran_successor++;
     ran_third++;
     replays_ended++;
     over = true;
     RELEASE(REPLAYER)
  :: else ->
#ifndef NO_USE
     atomic { RMW(REPLAYER) -> busy++ };
#endif
#ifndef SINKS_LATE
     STORE(REPLAYER, SINKS, 2);
#endif
#ifdef LEAVES_BLINDLY
     if
     :: LOAD(REPLAYER, WORD) == LENT -> STORE(REPLAYER, WORD, LEFT)
     :: else -> RELEASE_SUCCESSOR(REPLAYER)
     fi;
#else
     goes_on = false; /* from here on: the lent task has finished */
     atomic {
       RMW(REPLAYER) -> TOUCH;
       if
       :: mem[WORD] == LENT -> mem[WORD] = LEFT
       :: else -> goes_on = true
       fi
     };
#ifdef SINKS_LATE
     STORE(REPLAYER, SINKS, 2);
#endif
     if
#ifdef COUNTS_TOO
     :: true -> RELEASE_SUCCESSOR(REPLAYER)
#else
     :: goes_on -> RELEASE_SUCCESSOR(REPLAYER)
     :: else
#endif
     fi;
#endif
     TOUCH;
     STORE(REPLAYER, READY, 1);
     TOUCH; /* the graph's number of tasks */
#ifndef NO_USE
     RELEASE(REPLAYER)
#endif
  fi;
  ended++
}

proctype finisher() {
  byte left, before;
  LOAD(FINISHER, PUSHED) == 1;
  STORE(FINISHER, DATA, 1);
#ifdef ENDS_BLINDLY
  before = LOAD(FINISHER, WORD);
  STORE(FINISHER, WORD, 0);
#else
  atomic { RMW(FINISHER) -> before = mem[WORD]; mem[WORD] = 0 };
#endif
  if
  :: before == LEFT -> RELEASE_SUCCESSOR(FINISHER)
  :: else
  fi;
  ended++
}

proctype other() {
  byte left;
  if
  :: LOAD(OTHER, READY) == 1 ->
     ran_third++;
     SINK_FINISHED(OTHER)
  :: over
  fi;
  ended++
}

init {
  atomic { mem[COUNT] = 1; run drain(0); run drain(1); run drain(2); run replayer(); run finisher(); run other() };
  ended == 3 && len(buffer[0]) == 0 && len(buffer[1]) == 0 && len(buffer[2]) == 0;
  assert(ran_successor == 1 && ran_third == 1 && replays_ended == 1 && busy == 0 && mem[WORD] == 0)
}
