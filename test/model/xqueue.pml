// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_GATE_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_TIMED_WAIT
// RUN: %root/test/model/run_spin %s refuted -DDATA_LATE
// RUN: %root/test/model/run_spin %s verified -DFENCE_MODE
// RUN: %root/test/model/run_spin %s refuted -DFENCE_MODE -DNO_OWNER_FENCE
// REQUIRES: spin
/* A ring of xqueue (schedulers/queues/spsc_ring.h) with all that goes on around it: a producer deals tasks and wakes
   the owner (runtime/stealing/publish.cpp, publish_dealt()); the owner takes them inside its gate
   (schedulers/queues/owner_gate.h), or parks (runtime/wait/idle.cpp); another thread empties the ring in its place
   (DealtTasks::rescue()). A task for which there is no room is run by the producer.
   Holds: every task is taken once, with what its producer wrote, and the owner does not sleep for ever while one waits.
   NO_FENCE: the owner parks without membarrier. NO_GATE_FENCE: the rescuer enters without it. NO_TIMED_WAIT: the owner
   sleeps without a timeout although something is queued: while it looked, the rescuer had the gate. DATA_LATE: the slot
   is stored before what the task holds. FENCE_MODE: membarrier is refused, and the light sides are real fences;
   NO_OWNER_FENCE: all of them but the owner's in its gate.
   Beside tools/explore it shows: all ways through a ring and its announcement, with store buffers as hardware has
   them. */

#define TASKS 3
#define CAPACITY 2
#define PRODUCER 0
#define OWNER 1
#define RESCUER 2
#define THREADS 3
#define BUFFER 3
#define SLOT 0 /* + 0, + 1 */
#define PARKED 2
#define INSIDE 3
#define CLOSED 4
#define PUSHED 5
#define POPPED 6
#define DATA 6 /* + 1 … + TASKS */
#define VARIABLES 10
#include "store_buffer.inc"

byte taken_count;
bool taken[TASKS + 1];
byte next_out; /* belongs to the thread inside the gate: a plain variable there, ordered by the gate */

#if defined(FENCE_MODE)
#define HEAVY(me) FENCE(me)
#define LIGHT(me) FENCE(me)
#else
#define HEAVY(me) MEMBARRIER(me)
#define LIGHT(me) skip
#endif
#if defined(NO_FENCE)
#define PARK_FENCE(me) skip
#else
#define PARK_FENCE(me) HEAVY(me)
#endif
#if defined(NO_GATE_FENCE)
#define GATE_FENCE(me) skip
#else
#define GATE_FENCE(me) HEAVY(me)
#endif
#if defined(NO_OWNER_FENCE)
#define OWNER_FENCE(me) skip
#else
#define OWNER_FENCE(me) LIGHT(me)
#endif

inline TAKE(task) { atomic { assert(!taken[task]); taken[task] = true; taken_count++ } }

/* task: what pop() returns */
inline POP(me) {
  task = LOAD(me, SLOT + next_out);
  if
  :: task == 0
  :: else ->
     assert(LOAD(me, DATA + task) == 1);
     STORE(me, SLOT + next_out, 0);
     next_out = (next_out + 1) % CAPACITY;
     STORE(me, POPPED, LOAD(me, POPPED) + 1);
     TAKE(task)
  fi
}

proctype producer() {
  byte task = 1, next_in;
  do
  :: task > TASKS -> break
  :: else ->
     if
     :: LOAD(PRODUCER, SLOT + next_in) != 0 -> TAKE(task)
     :: else ->
#if !defined(DATA_LATE)
        STORE(PRODUCER, DATA + task, 1);
#endif
        STORE(PRODUCER, PUSHED, LOAD(PRODUCER, PUSHED) + 1);
        STORE(PRODUCER, SLOT + next_in, task);
#if defined(DATA_LATE)
        STORE(PRODUCER, DATA + task, 1);
#endif
        next_in = (next_in + 1) % CAPACITY;
        LIGHT(PRODUCER);
        if
        :: LOAD(PRODUCER, PARKED) == 0
        :: else -> atomic { RMW(PRODUCER) -> mem[PARKED] = 0 }
        fi
     fi;
     task++
  od
}

inline LOOK() {
  STORE(OWNER, INSIDE, 1);
  OWNER_FENCE(OWNER);
  if
  :: LOAD(OWNER, CLOSED) == 0 -> POP(OWNER)
  :: else
  fi;
  STORE(OWNER, INSIDE, 0)
}

proctype owner() {
  byte task, gone;
  do
  :: taken_count == TASKS -> break
  :: else ->
     LOOK();
     if
     :: task != 0
     :: else ->
        STORE(OWNER, PARKED, 1);
        PARK_FENCE(OWNER);
        LOOK();
        if
        :: task != 0
        :: else ->
#if defined(NO_TIMED_WAIT)
           (LOAD(OWNER, PARKED) == 0 || taken_count == TASKS)
#else
           gone = LOAD(OWNER, POPPED);
           if
           :: LOAD(OWNER, PUSHED) != gone /* has_tasks(): it only sleeps with a timeout */
           :: else -> (LOAD(OWNER, PARKED) == 0 || taken_count == TASKS)
           fi;
           gone = 0
#endif
        fi;
        STORE(OWNER, PARKED, 0)
     fi;
     task = 0
  od
}

proctype rescuer() {
  byte task;
  atomic { RMW(RESCUER) -> mem[CLOSED] = 1 };
  GATE_FENCE(RESCUER);
  if
  :: LOAD(RESCUER, INSIDE) != 0
  :: else ->
     do
     :: POP(RESCUER);
        if
        :: task == 0 -> break
        :: else -> task = 0
        fi
     od
  fi;
  STORE(RESCUER, CLOSED, 0)
}

init {
  atomic {
    byte t;
    for (t : 0 .. THREADS - 1) { run drain(t) };
    run producer(); run owner(); run rescuer()
  }
}
