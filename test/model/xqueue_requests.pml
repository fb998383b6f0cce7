// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DASKS_ONCE
// RUN: %root/test/model/run_spin %s refuted -DNO_NUMBER
// REQUIRES: spin
/* How a thief asks in xqueue-steal (schedulers/xqueue_steal.cpp): one request word at the victim, written by plain
   stores of two thieves, answered by the victim when it looks.
   Holds: no thief is given more than it has asked for, and both get something, although one request may overwrite the
   other, or bear the number of an answer given meanwhile.
   ASKS_ONCE: a thief asks once. NO_NUMBER: the victim answers whatever request stands, and so the same one again.
   Beside tools/explore it shows: all ways of requests that overwrite one another. */

#define VICTIM 0 /* thieves: 1 and 2 */
#define THREADS 3
#define BUFFER 2
#define REQUEST 0 /* answers * 4 + thief */
#define ANSWERS 1
#define GIVEN 1 /* + 1, + 2 */
#define VARIABLES 4
#include "store_buffer.inc"

byte asked[THREADS], answered[THREADS];
bool served[THREADS];

#if defined(NO_NUMBER)
#define STANDS(me) (LOAD(me, REQUEST) != 0)
#else
#define STANDS(me) (LOAD(me, REQUEST) != 0 && LOAD(me, REQUEST) / 4 == LOAD(me, ANSWERS))
#endif

proctype victim() {
  byte thief;
  do
  :: served[1] && served[2] -> break
  :: STANDS(VICTIM) ->
     thief = LOAD(VICTIM, REQUEST) % 4;
     answered[thief]++;
     assert(answered[thief] <= asked[thief]);
     STORE(VICTIM, GIVEN + thief, 1);
     STORE(VICTIM, ANSWERS, LOAD(VICTIM, ANSWERS) + 1);
     thief = 0
  od
}

proctype thief(byte me) {
  byte answers;
  do
  :: LOAD(me, GIVEN + me) -> break
#if defined(ASKS_ONCE)
  :: asked[me] == 0 ->
#else
  :: !LOAD(me, GIVEN + me) -> /* the spin limit is reached */
#endif
     answers = LOAD(me, ANSWERS);
     if
     :: LOAD(me, REQUEST) != 0 && LOAD(me, REQUEST) / 4 == answers /* a thief waits, perhaps we do */
     :: else -> asked[me]++; STORE(me, REQUEST, answers * 4 + me)
     fi;
     answers = 0
  od;
  served[me] = true
}

init {
  atomic {
    byte t;
    for (t : 0 .. THREADS - 1) { run drain(t) };
    run victim(); run thief(1); run thief(2)
  }
}
