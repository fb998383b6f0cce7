// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DANY_ORDER
// RUN: %root/test/model/run_spin %s refuted -DLOOK_APART
// RUN: %root/test/model/run_spin %s refuted -DFREE_IN_BETWEEN
// RUN: %root/test/model/run_spin %s refuted -DTOUCH_AFTER
// RUN: %root/test/model/run_spin %s refuted -DDROP_FIRST
// REQUIRES: spin
/* Resources of mutexinoutset tasks (mutex_claim_acquire() and claim_hand_over() in dependence_release.cpp;
   runtime/dependences/README.md, "Dependences"): four tasks, of which two need both resources and two one each, become
   ready on four workers. A task that finds a resource taken waits in its line, and no worker blocks: the worker that
   gives the resource back goes on acquiring for the first in line. Everything is done under the locks of the resources,
   so no store buffers are needed.
   Holds: a resource has one holder; every task runs, once; no worker touches a claim or a resource that is gone.
   ANY_ORDER: the tasks acquire in different orders. LOOK_APART: looking and joining the line are not under one lock.
   FREE_IN_BETWEEN: a resource that is handed over is free for a moment. TOUCH_AFTER: a worker whose task has joined a
   line looks at its claim again. DROP_FIRST: a worker that gives a resource back drops its reference before it unlocks
   the resource.
   Beside tools/explore it shows: all ways in which claims and releases of two resources can meet. */

#define TASKS 4
#define RESOURCES 2

chan line[RESOURCES] = [TASKS] of { byte };
bool taken[RESOURCES], resource_gone[RESOURCES];
byte references[RESOURCES] = 1; /* the table's */
byte holders[RESOURCES];
byte acquired[TASKS];
bool ready[TASKS], ran[TASKS], claim_gone[TASKS];
byte ended;

#define COUNT(t) ((t) >= 2 -> 1 : 2)
#ifdef ANY_ORDER
#define NEEDS(t, i) ((t) >= 2 -> (t) - 2 : ((t) == 1 -> 1 - (i) : (i)))
#else
#define NEEDS(t, i) ((t) >= 2 -> (t) - 2 : (i))
#endif
#define TOUCH_CLAIM(t) assert(!claim_gone[t])
#define TOUCH_RESOURCE(r) assert(!resource_gone[r])

inline DROP(r) { atomic { references[r]--; resource_gone[r] = references[r] == 0 } }

/* claim_acquire(); then the task is ready */
inline ACQUIRE(t, wait) {
  do
  :: acquired[t] < COUNT(t) ->
     TOUCH_CLAIM(t);
     resource = NEEDS(t, acquired[t]);
     atomic { /* the lock */
       TOUCH_RESOURCE(resource);
       if
       :: taken[resource] -> joins = true
       :: else -> taken[resource] = true; acquired[t]++
       fi;
#ifdef LOOK_APART
     }
     atomic {
#endif
       if
       :: joins && wait -> line[resource]!t
       :: else
       fi
     };
     if
     :: joins ->
#ifdef TOUCH_AFTER
        TOUCH_CLAIM(t);
#endif
        break
     :: else
     fi
  :: acquired[t] == COUNT(t) ->
     assert(!ready[t]);
     ready[t] = true;
     break
  od;
  atomic { resource = 0; joins = false }
}

inline RELEASE(t) {
  do
  :: given < COUNT(t) ->
     released = NEEDS(t, given);
#ifdef DROP_FIRST
     DROP(released);
#endif
     atomic { /* the lock */
       TOUCH_RESOURCE(released);
       holders[released]--;
       if
       :: line[released]?next;
#ifdef FREE_IN_BETWEEN
          taken[released] = false
#endif
       :: empty(line[released]) -> next = TASKS; taken[released] = false
       fi
     };
#ifndef DROP_FIRST
     DROP(released);
#endif
     if
     :: next < TASKS ->
#ifdef FREE_IN_BETWEEN
        taken[released] = true;
#endif
        TOUCH_CLAIM(next);
        acquired[next]++;
        ACQUIRE(next, true)
     :: else
     fi;
     next = 0; given++
  :: else -> break
  od;
  released = 0; given = 0;
  TOUCH_CLAIM(t);
  claim_gone[t] = true
}

inline HOLD(t) {
  atomic {
    if
    :: t != 2 -> holders[1]++; assert(holders[1] == 1)
    :: else
    fi;
    if
    :: t != 3 -> holders[0]++; assert(holders[0] == 1)
    :: else
    fi
  }
}

proctype task(byte me) {
  byte resource, released, given, next;
  bool joins;
  if /* spawn_without_predecessors(): tries first */
  :: me == 0 -> ACQUIRE(me, false)
  :: true
  fi;
  if
  :: !ready[me] -> ACQUIRE(me, true)
  :: else
  fi;
  ready[me]; /* on whatever worker */
  assert(!ran[me]);
  HOLD(me);
  ran[me] = true;
  RELEASE(me);
  ended++
}

/* The table forgets the address. */
proctype table() {
  DROP(0);
  DROP(1);
  ended++
}

init {
  atomic {
    references[0] = references[0] + 3;
    references[1] = references[1] + 3;
    run task(0); run task(1); run task(2); run task(3); run table()
  };
  ended == 5;
  assert(ran[0] && ran[1] && ran[2] && ran[3] && resource_gone[0] && resource_gone[1])
}
