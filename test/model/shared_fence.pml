// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DJOINS_ONE_UNDER_WAY
// RUN: %root/test/model/run_spin %s refuted -DNO_OWN_FENCE
// RUN: %root/test/model/run_spin %s refuted -DENDS_EARLY
// REQUIRES: spin
/* One membarrier for several threads (runtime/base/os_linux.cpp, heavy_fence(); runtime/base/README.md, "Asymmetric
   fences"). One frequent thread stores A, and looks at both B; two rare ones each store a B, fence together, and look at
   A. Whoever executes a membarrier may be late by any time, and one that waits for it may give up and execute its own.
   Holds: of the frequent thread and each rare one, one sees the other's store; a membarrier is executed, or waited for,
   by both rare threads: nobody waits for ever.
   JOINS_ONE_UNDER_WAY: a thread that finds a membarrier under way waits for the end of that one. NO_OWN_FENCE: a thread
   looks which fence is the next before its own store is visible. ENDS_EARLY: the end is told before the membarrier.
   Beside tools/explore it shows: all ways around the three threads, with store buffers as hardware has them. */

#define FREQUENT 0 /* a membarrier looks at it first */
#define THREADS 3
#define BUFFER 2
#define A 0
#define B 0 /* + rare thread, 1 or 2 */
#define BEGUN 3
#define ENDED 4
#define VARIABLES 5
#include "store_buffer.inc"

bool sees_a[3], sees_b[3];
byte ended;

proctype frequent() {
  STORE(FREQUENT, A, 1);
  sees_b[1] = LOAD(FREQUENT, B + 1);
  sees_b[2] = LOAD(FREQUENT, B + 2);
  ended++
}

proctype rare(byte me) {
  byte next, seen;
  bool leads;
  STORE(me, B + me, 1);
#ifndef NO_OWN_FENCE
  FENCE(me);
#endif
#ifdef JOINS_ONE_UNDER_WAY
  next = LOAD(me, ENDED) + 1;
#else
  next = LOAD(me, BEGUN) + 1;
#endif
  do
  :: LOAD(me, ENDED) >= next -> break
  :: atomic { LOAD(me, ENDED) < next -> seen = LOAD(me, ENDED) };
     atomic { /* the exchange; on x86-64 a locked instruction */
       if
       :: RMW(me) && mem[BEGUN] == seen -> mem[BEGUN] = seen + 1; leads = true
       :: else
       fi
     };
     if
     :: leads ->
        leads = false;
#ifdef ENDS_EARLY
        STORE(me, ENDED, seen + 1);
#else
        MEMBARRIER(me);
        STORE(me, ENDED, seen + 1);
#endif
     :: else
     fi
  :: LOAD(me, ENDED) < next && LOAD(me, BEGUN) > LOAD(me, ENDED) -> /* gives up */
     MEMBARRIER(me);
     break
  od;
  sees_a[me] = LOAD(me, A);
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run frequent(); run rare(1); run rare(2) };
  ended == 3;
  assert((sees_a[1] || sees_b[1]) && (sees_a[2] || sees_b[2]))
}
