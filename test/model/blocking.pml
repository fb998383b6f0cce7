// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DLOOK_FIRST
// RUN: %root/test/model/run_spin %s refuted -DTWO_STEPS
// RUN: %root/test/model/run_spin %s verified -DIN_PLACE
// RUN: %root/test/model/run_spin %s refuted -DIN_PLACE -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DIN_PLACE -DTOUCH_AFTER
// REQUIRES: spin
/* A task that blocks, and a thread that unblocks it (runtime/wait/block.cpp, fiber.cpp; runtime/wait/blocking.md). The
   task blocks ROUNDS times and ends. The other thread unblocks it as often, at most once ahead. While the task is away
   its worker looks whether it may go on, and parks. IN_PLACE: the task has no fiber, and waits for a word on its stack.
   Holds: the task ends, so no wake is lost and no call counts twice or not at all; a fiber is handed over only when
   its task is blocked; nobody touches the word, or the task, once it may have gone on.
   NO_FENCE: the parker's membarrier is missing. LOOK_FIRST: the parker looks at the list before it says that it sleeps,
   and not again. TWO_STEPS: the task looks whether it was unblocked, and then says that it is blocked, where one
   exchange does both. TOUCH_AFTER: the unblocking thread reads the task's fields for the wake after it has stored.
   Beside tools/explore it shows: all ways around the fence, with store buffers as hardware has them. */

#define WORKER 0
#define OTHER 1
#define THREADS 2
#define BUFFER 3
#define WORD 0 /* BlockState::word */
#define RESUMED 1 /* TasksState::resumed holds the fiber; IN_PLACE: the word on the stack */
#define PARKED 2
#define VARIABLES 3
#include "store_buffer.inc"

#define NONE 0
#define UNBLOCKED 1
#define BLOCKED 2
#define ROUNDS 2

#if defined(NO_FENCE)
#define HEAVY(me) skip
#else
#define HEAVY(me) MEMBARRIER(me)
#endif

byte matched; /* calls that have met their block */
bool asleep, away, ended;

/* Idler::park(), by the work loop below the fiber, or on top of the task */
inline PARK() {
#if defined(LOOK_FIRST)
  if
  :: LOAD(WORKER, RESUMED) -> skip
  :: else ->
#endif
  STORE(WORKER, PARKED, 1);
  HEAVY(WORKER);
#if !defined(LOOK_FIRST)
  if
  :: LOAD(WORKER, RESUMED) -> skip
  :: else ->
#endif
     atomic {
       RMW(WORKER);
       if
       :: mem[PARKED] -> asleep = true
       :: else
       fi
     };
     !asleep
  fi;
  atomic { RMW(WORKER); mem[PARKED] = 0 }
}

proctype worker() {
  byte round;
  do
  :: round < ROUNDS ->
#if defined(TWO_STEPS)
     if
     :: LOAD(WORKER, WORD) == UNBLOCKED -> goto goes_on
     :: else -> away = true; STORE(WORKER, WORD, BLOCKED)
     fi;
#else
     atomic {
       RMW(WORKER);
       if
       :: mem[WORD] == NONE -> mem[WORD] = BLOCKED; away = true
       :: else -> goto goes_on
       fi
     };
#endif
     do
     :: atomic { RMW(WORKER) && mem[RESUMED] -> mem[RESUMED] = 0; away = false; break }
     :: !LOAD(WORKER, RESUMED) -> PARK()
     od;
     goto next;
goes_on:
     atomic { RMW(WORKER); assert(mem[WORD] == UNBLOCKED); mem[WORD] = NONE; matched++ };
next:
     round++
  :: else -> break
  od;
  ended = true
}

proctype other() {
  byte call;
  bool was_blocked;
  do
  :: call < ROUNDS ->
     matched == call; /* at most one call is ahead */
     atomic {
       RMW(OTHER);
       if
       :: mem[WORD] == NONE -> mem[WORD] = UNBLOCKED
       :: else -> assert(mem[WORD] == BLOCKED && away); mem[WORD] = NONE; was_blocked = true; matched++
       fi
     };
     if
     :: was_blocked ->
        was_blocked = false;
        assert(away && !ended);
#if defined(IN_PLACE)
        STORE(OTHER, RESUMED, 1); /* afterwards the task goes on */
#if defined(TOUCH_AFTER)
        assert(away);
#endif
#else
        atomic { RMW(OTHER); assert(!mem[RESUMED]); mem[RESUMED] = 1 };
#endif
        if /* worker_wake() */
        :: LOAD(OTHER, PARKED) == 0
        :: else -> atomic { RMW(OTHER); mem[PARKED] = 0; asleep = false }
        fi
     :: else
     fi;
     call++
  :: else -> break
  od
}

init {
  atomic { run drain(WORKER); run drain(OTHER); run worker(); run other() }
}
