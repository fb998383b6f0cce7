// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_LOOK
// RUN: %root/test/model/run_spin %s refuted -DNO_CHAIN
// RUN: %root/test/model/run_spin %s refuted -DNO_PASS
// RUN: %root/test/model/run_spin %s refuted -DSTAYS_IN_POOL
// REQUIRES: spin
/* Free agents (runtime/threads/free_agents.cpp; serve_teams() and become_free_agent() in thread_pool.cpp;
   runtime/threads/free_agents.md): a creator offers two tasks, and a region wants a thread. Two threads of the pool
   look for tasks, leave the pool with one, or sleep. A task is long: it ends when the region is over and the pool has
   no thread, or no task is left.
   Holds: no task is left while a thread of the pool sleeps, and the region's thread comes.
   NO_FENCE: the creator looks who sleeps without a fence after it has listed its team. NO_LOOK: a thread sleeps without
   a look after it has said so. NO_CHAIN: an agent wakes no other one for the tasks that are left. NO_PASS: nor
   does a thread that was woken for a task when a region had just taken it. STAYS_IN_POOL: an
   agent is not taken out of the pool, so that the region takes it.
   Beside tools/explore it shows: all ways around the pair of fences, with store buffers as hardware has them. */

#define THREADS 4 /* 0 the creator, 1 and 2 of the pool, 3 the region */
#define BUFFER 2
#define LISTED 0
#define PARKED(thread) (thread)     /* 1, 2 */
#define ASSIGNED(thread) (2 + (thread)) /* 3, 4 */
#define VARIABLES 5
#include "store_buffer.inc"

bool asleep[THREADS], in_pool[THREADS];
byte tasks, taken, head; /* under locks; head: the thread that was put into the pool last */
bool region_over;

#define FIRST_IN_POOL (in_pool[head] -> head : (in_pool[3 - head] -> 3 - head : 0))

inline WAKE(me, whom) {
  if
  :: LOAD(me, PARKED(whom)) == 0
  :: else -> atomic { RMW(me); mem[PARKED(whom)] = 0; asleep[whom] = false }
  fi
}

inline CALL_AGENT(me, whom) {
#ifndef NO_FENCE
  FENCE(me);
#endif
  whom = FIRST_IN_POOL;
  if
  :: whom != 0 -> WAKE(me, whom)
  :: else
  fi;
  whom = 0
}

proctype creator() {
  byte whom = 0, left = 2;
  do
  :: left == 0 -> break
  :: else ->
     atomic { tasks++; left-- }
     STORE(0, LISTED, 1);
     CALL_AGENT(0, whom)
  od
}

proctype region() {
  byte whom = 0;
  atomic {
    RMW(3);
    whom = FIRST_IN_POOL;
    if
    :: whom != 0 -> in_pool[whom] = false
    :: whom = 0 /* it wants no thread */
    fi
  }
  if
  :: whom != 0 ->
     STORE(3, ASSIGNED(whom), 1);
     FENCE(3);
     WAKE(3, whom);
     region_over
  :: else -> region_over = true
  fi
}

proctype pool_thread(byte me) {
  byte whom = 0;
  bool has_task;
  do
  :: LOAD(me, ASSIGNED(me)) ->
#ifndef NO_PASS
     if
     :: LOAD(me, LISTED) && tasks > 0 -> CALL_AGENT(me, whom)
     :: else
     fi;
#endif
     region_over = true;
     break
  :: else ->
     STORE(me, PARKED(me), 1);
     FENCE(me);
     has_task = false;
#ifndef NO_LOOK
     if
     :: LOAD(me, LISTED) ->
        atomic {
          RMW(me);
          if
          :: in_pool[me] && tasks > 0 -> tasks--; taken++; has_task = true;
#ifndef STAYS_IN_POOL
             in_pool[me] = false
#endif
          :: else
          fi
        }
     :: else
     fi;
#endif
     if
     :: has_task ->
        STORE(me, PARKED(me), 0);
#ifndef NO_CHAIN
        if
        :: tasks > 0 -> CALL_AGENT(me, whom)
        :: else
        fi;
#endif
        region_over && (taken == 2 || !(in_pool[1] || in_pool[2])); /* then the creator runs what is left */
        break
     :: else ->
        if
        :: LOAD(me, ASSIGNED(me))
        :: else ->
           atomic { /* futex_wait() */
             if
             :: mem[PARKED(me)] == 1 -> asleep[me] = true
             :: else
             fi
           };
end_asleep:
           !asleep[me]
        fi;
        STORE(me, PARKED(me), 0)
     fi
  od
}

/* When nothing moves any more, no task is left behind a sleeper. */
proctype watch() {
end:
  timeout -> assert(!(tasks > 0 && ((in_pool[1] && asleep[1]) || (in_pool[2] && asleep[2]))) && region_over)
}

init {
  atomic {
    in_pool[1] = true; in_pool[2] = true; head = 1;
    run drain(0); run drain(1); run drain(2); run drain(3);
    run creator(); run pool_thread(1); run pool_thread(2); run region(); run watch()
  }
}
