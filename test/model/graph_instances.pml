// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DKEEPS_BLINDLY
// RUN: %root/test/model/run_spin %s refuted -DCLAIMS_UNLOCKED
// RUN: %root/test/model/run_spin %s refuted -DNO_REFERENCE
// RUN: %root/test/model/run_spin %s refuted -DFREES_UNLOCKED
// REQUIRES: spin
/* Which tasks use an instance of a task graph (runtime/graphs/graph_table.cpp; runtime/graphs/README.md, "Why it works").
   Two tasks encounter the same construct without waiting. Each claims an instance that is free, or waits for a replay
   that it has begun itself and which has not ended: then it keeps that instance in use while it waits. Another thread
   ends the replays. Meanwhile a third task takes the graph out of the table (graph_reset). All hand-overs are under the
   lock or one read-modify-write, so no store buffers are needed.
   Holds: an instance has one replay at a time; the graph is freed once, when it is in the table no longer and nobody
   uses an instance of it; and nobody touches it or its instances afterwards.
   KEEPS_BLINDLY: a task that waits adds a use to an instance whose last use may just have ended, and gives it back a second
   time. CLAIMS_UNLOCKED: an instance that was seen free is claimed without the lock. NO_REFERENCE: a claim does not
   count as a reference to the graph. FREES_UNLOCKED: the last use of an instance drops its reference without the lock.
   Beside tools/explore it shows: an end between the look at an instance and its use. */

#define TASKS 2
#define INSTANCES 2
#define ENCOUNTERS 2
#define NOBODY 9

bool locked, in_table = true, freed;
byte references = 1, busy[INSTANCES], sinks[INSTANCES], parent[INSTANCES], replays[INSTANCES], ended;
chan begun = [TASKS * ENCOUNTERS] of { byte };

#define LOCK atomic { !locked -> locked = true }
#define UNLOCK locked = false
#define TOUCH assert(!freed)

inline DROP_REFERENCE() {
  TOUCH;
  dropped = references; /* an ordinary subtraction: the lock guards it */
  references = dropped - 1;
  if
  :: dropped == 1 -> assert(!freed && !in_table); freed = true
  :: else
  fi
}

inline RELEASE(i) { /* graph_instance_release() */
  atomic { TOUCH; assert(busy[i] > 0); busy[i]--; last = (busy[i] == 0) };
  if
  :: last ->
#ifndef FREES_UNLOCKED
     LOCK;
#endif
     DROP_REFERENCE();
#ifndef FREES_UNLOCKED
     UNLOCK;
#endif
     last = false
  :: else
  fi
}

proctype encounterer(byte me) {
  byte done = 0, i = 0, dropped = 0, count = 0;
  bool last, chosen, waits;
  do
  :: done == ENCOUNTERS -> break
  :: else ->
     chosen = false;
     waits = false;
     LOCK;
     if
     :: !in_table -> UNLOCK; break
     :: else
     fi;
     i = 0;
     do /* own_replay_locked() */
     :: i == INSTANCES -> break
     :: i < INSTANCES && parent[i] == me && busy[i] != 0 ->
        if
        :: sinks[i] != 0 ->
#ifdef KEEPS_BLINDLY
           busy[i]++;
           waits = true;
           break
#else
           atomic {
             if
             :: busy[i] != 0 -> busy[i]++; waits = true
             :: else
             fi
           };
           if
           :: waits -> break
           :: else -> i++
           fi
#endif
        :: else -> i++
        fi
     :: else -> i++
     od;
     if
     :: waits ->
        UNLOCK;
        sinks[i] == 0; /* wait_until_zero() */
        RELEASE(i)
     :: else ->
        i = 0;
        do
        :: i == INSTANCES -> break
        :: i < INSTANCES && busy[i] == 0 -> chosen = true; break
        :: else -> i++
        od;
#ifdef CLAIMS_UNLOCKED
        UNLOCK;
#endif
        if
        :: chosen ->
           busy[i] = 1;
           parent[i] = me;
#ifndef NO_REFERENCE
           count = references;
           references = count + 1;
#endif
           skip
        :: else
        fi;
#ifndef CLAIMS_UNLOCKED
        UNLOCK;
#endif
        if
        :: chosen -> /* graph_replay() */
           atomic { TOUCH; replays[i]++; assert(replays[i] == 1) };
           sinks[i] = 1;
           begun!i
        :: else /* it goes through the region */
        fi;
        done++
     fi
  od;
  ended++
}

proctype runner() {
  byte i, dropped = 0;
  bool last;
end:
  do
  :: begun?i ->
     TOUCH;
     atomic { assert(replays[i] == 1); replays[i]--; sinks[i] = 0 };
     RELEASE(i)
  od
}

proctype resetter() {
  byte dropped = 0;
  LOCK;
  in_table = false;
  DROP_REFERENCE();
  UNLOCK;
  ended++
}

init {
  atomic {
    parent[0] = NOBODY;
    parent[1] = NOBODY;
    run encounterer(0); run encounterer(1); run runner(); run resetter()
  };
  ended == TASKS + 1 && timeout;
  assert(freed && references == 0 && busy[0] == 0 && busy[1] == 0)
}
