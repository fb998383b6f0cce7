// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DSHARDS_FIRST
// RUN: %root/test/model/run_spin %s refuted -DCREATED_FIRST
// REQUIRES: spin
/* Termination of a taskgroup (runtime/taskgroup.cpp; runtime/README.md, "Termination"): the owner counts plainly, another worker in
   shards that the first use makes, a thread outside the team in one shared word. The owner makes P, which a worker runs; P
   makes Y, which anybody runs, and the detachable X, which the outsider completes. Holds: taskgroup_end() returns when, and
   only when, all have finished; the owner does not sleep for ever.
   NO_FENCE: the owner parks without membarrier. SHARDS_FIRST: the shards are looked for before `finished_outside` is read.
   CREATED_FIRST: `created` is read before `finished`. */

#define OWNER 0
#define WORKER 1
#define OUTSIDER 2
#define THREADS 3
#define BUFFER 3
#define SHARDS 0 /* Taskgroup::shards is set */
#define CREATED 1
#define FINISHED 2
#define OUTSIDE 3
#define WAITING 4
#define PARKED 5
#define VARIABLES 6
#include "store_buffer.inc"

byte unfinished, ended;
bool p_waits, y_waits, x_detached, x_decided, y_decided, asleep;

inline WORKER_WAKE(me) { /* after the count: the light side of the fence costs nothing */
  if
  :: LOAD(me, WAITING) == 0
  :: else ->
     if
     :: LOAD(me, PARKED) == 0
     :: else ->
        atomic {
          RMW(me);
          if
          :: mem[PARKED] -> mem[PARKED] = 0; asleep = false
          :: else
          fi
        }
     fi
  fi
}

inline IS_FINISHED() {
#ifdef SHARDS_FIRST
  shards = LOAD(OWNER, SHARDS);
  finished = LOAD(OWNER, OUTSIDE);
#else
  finished = LOAD(OWNER, OUTSIDE);
  shards = LOAD(OWNER, SHARDS);
#endif
  created = 0;
  if
  :: shards ->
#ifdef CREATED_FIRST
     created = LOAD(OWNER, CREATED);
     finished = finished + LOAD(OWNER, FINISHED)
#else
     finished = finished + LOAD(OWNER, FINISHED);
     created = LOAD(OWNER, CREATED)
#endif
  :: else
  fi;
  over = pending + created == finished;
  finished = 0; created = 0; shards = false
}

proctype owner() {
  short pending = 0, finished, created; /* Taskgroup::local_pending */
  bool shards, over;
  atomic { RMW(OWNER) -> pending++; unfinished++; p_waits = true };
  do
  :: IS_FINISHED();
     if
     :: over -> break
     :: else
     fi;
     if
     :: atomic { RMW(OWNER) && y_waits -> y_waits = false }; atomic { unfinished--; pending-- }
     :: true
     :: true -> /* park() */
        STORE(OWNER, WAITING, 1);
        STORE(OWNER, PARKED, 1);
#ifndef NO_FENCE
        MEMBARRIER(OWNER);
#endif
        IS_FINISHED();
        if
        :: over || y_waits
        :: else ->
           atomic {
             if
             :: LOAD(OWNER, PARKED) == 1 -> asleep = true
             :: else
             fi
           };
           !asleep
        fi;
        STORE(OWNER, PARKED, 0);
        STORE(OWNER, WAITING, 0)
     fi
  od;
  assert(unfinished == 0);
  ended++
}

inline MAKE() {
  if
  :: !LOAD(WORKER, SHARDS) -> atomic { RMW(WORKER) -> mem[SHARDS] = 1 } /* make_shards() */
  :: else
  fi;
  atomic { unfinished++; STORE(WORKER, CREATED, LOAD(WORKER, CREATED) + 1) }
}

proctype worker() {
  atomic { p_waits -> p_waits = false };
  if
  :: MAKE(); atomic { RMW(WORKER) -> x_detached = true; x_decided = true }
  :: x_decided = true
  fi;
  if
  :: MAKE(); atomic { RMW(WORKER) -> y_waits = true }; y_decided = true
  :: y_decided = true
  fi;
  /* P finishes: the worker's shard is there, for it runs a task of the group that it did not make */
  if
  :: !LOAD(WORKER, SHARDS) -> atomic { RMW(WORKER) -> mem[SHARDS] = 1 }
  :: else
  fi;
  atomic { unfinished--; STORE(WORKER, FINISHED, LOAD(WORKER, FINISHED) + 1) };
  WORKER_WAKE(WORKER);
  if
  :: atomic { RMW(WORKER) && y_waits -> y_waits = false };
     atomic { unfinished--; STORE(WORKER, FINISHED, LOAD(WORKER, FINISHED) + 1) };
     WORKER_WAKE(WORKER)
  :: !y_waits
  fi;
  ended++
}

proctype outsider() {
  if
  :: atomic { x_detached -> unfinished-- };
     atomic { RMW(OUTSIDER) -> mem[OUTSIDE] = mem[OUTSIDE] + 1 };
     WORKER_WAKE(OUTSIDER)
  :: x_decided && !x_detached
  fi;
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run owner(); run worker(); run outsider() };
  ended == 3
}
