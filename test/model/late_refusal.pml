// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_VISITS
// RUN: %root/test/model/run_spin %s refuted -DVISITS_FIRST
// RUN: %root/test/model/run_spin %s refuted -DTRUSTS_OTHERS
// RUN: %root/test/model/run_spin %s refuted -DTOLD_EARLY
// REQUIRES: spin
/* The kernel takes membarrier(2) back (runtime/base/os_linux.cpp, do_without_membarrier(); runtime/base/README.md,
   "Asymmetric fences"). One frequent thread stores A, and looks at both B; two rare ones each store a B, fence, and look
   at A. From some moment on membarriers are refused. A visit to all CPUs fences each thread at some moment, as a
   membarrier does.
   Holds: of the frequent thread and each rare one, one sees the other's store. Nobody waits for anybody.
   NO_VISITS: whoever is refused goes on with fences of its own. VISITS_FIRST: the frequent side is told to fence after
   the visits. TRUSTS_OTHERS: a rare thread fences by itself as soon as the frequent side is told to. TOLD_EARLY: others
   may do so before the visits are over.
   Beside tools/explore it shows: store buffers as hardware has them, and a system that changes its mind. */

#define FREQUENT 0
#define THREADS 3
#define BUFFER 3
#define A 0
#define B 0 /* + rare thread, 1 or 2 */
#define AVAILABLE 3
#define FULL 4
#define VARIABLES 5
#include "store_buffer.inc"

bool refused, sees_a[3], sees_b[3];
byte ended;

#ifdef NO_VISITS
#define VISITS(me) FENCE(me)
#else
#define VISITS(me) MEMBARRIER(me)
#endif

proctype frequent() {
  STORE(FREQUENT, A, 1);
  if
  :: LOAD(FREQUENT, AVAILABLE) == 0 -> FENCE(FREQUENT)
  :: else
  fi;
  sees_b[1] = LOAD(FREQUENT, B + 1);
  sees_b[2] = LOAD(FREQUENT, B + 2);
  ended++
}

inline DO_WITHOUT() {
#ifdef VISITS_FIRST
  VISITS(me);
  STORE(me, AVAILABLE, 0);
#else
  STORE(me, AVAILABLE, 0);
  FENCE(me);
#ifdef TOLD_EARLY
  STORE(me, FULL, 1);
#endif
  VISITS(me);
#endif
  STORE(me, FULL, 1)
}

proctype rare(byte me) {
  STORE(me, B + me, 1);
  if
  :: LOAD(me, AVAILABLE) == 1 ->
     FENCE(me);
     if
     :: !refused -> MEMBARRIER(me)
     :: refused = true; DO_WITHOUT()
     fi
  :: else ->
#ifndef TRUSTS_OTHERS
     if
     :: LOAD(me, FULL) == 0 -> VISITS(me)
     :: else
     fi;
#endif
     FENCE(me)
  fi;
  sees_a[me] = LOAD(me, A);
  ended++
}

init {
  atomic {
    mem[AVAILABLE] = 1;
    run drain(0); run drain(1); run drain(2); run frequent(); run rare(1); run rare(2)
  };
  ended == 3;
  assert((sees_a[1] || sees_b[1]) && (sees_a[2] || sees_b[2]))
}
