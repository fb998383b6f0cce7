// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DOWNER_READ_LATE
// RUN: %root/test/model/run_spin %s refuted -DNO_MERGE
// REQUIRES: spin
/* Counting children (runtime/tasks/task_finish.cpp, wait_announce() and wait_withdraw() in work_loop.cpp;
   runtime/tasks/README.md, "Counting children"): a parent on worker 0 makes children, waits for them or not, makes
   more, finishes; they run on worker 0 and on two others.
   Holds: the header is freed exactly once and touched by no worker afterwards; the waiter always wakes.
   NO_FENCE: the parker looks at the word before others can see that it is parked. OWNER_READ_LATE: the last child reads
   the owner's id after its decrement. NO_MERGE: a parent that finishes first does not add its local count to the shared
   word.
   Beside tools/explore it shows: all ways in which the last children and their parent can end at once, where a run is
   one. */

#define CHILDREN 3
#define THREADS 3
#define BUFFER 3
#define OWNER 0 /* Task::owner: 1 worker 0 runs it, 2 finished */
#define PARKED 1 /* WaitState::parked of worker 0 */
#define VARIABLES 2
#include "store_buffer.inc"

short count;          /* Task::shared_children: the count … */
bool waiting, merged; /* … and its two bits: one word, changed in one step */
bool freed, asleep;
byte available;       /* children that wait in some queue */
bool made_all;
byte ran, ended;

#define TOUCH assert(!freed)

inline FREE() { assert(!freed); freed = true }

/* child_finished_elsewhere() */
inline FINISH_ELSEWHERE(me) {
#ifndef OWNER_READ_LATE
  TOUCH; seen_owner = LOAD(me, OWNER);
#endif
  atomic {
    RMW(me) -> TOUCH;
    last = count == 1; was_waiting = waiting; was_merged = merged;
    count--
  };
#ifdef OWNER_READ_LATE
  atomic { TOUCH; seen_owner = LOAD(me, OWNER) };
#endif
  if
  :: last && was_merged -> FREE()
  :: last && was_waiting && !was_merged ->
     assert(seen_owner == 1);
     if /* worker_wake() */
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
  :: !last || (!was_waiting && !was_merged)
  fi;
  atomic { ran++; last = false; was_waiting = false; was_merged = false; seen_owner = 0 }
}

inline PARK() {
  atomic { RMW(0) -> TOUCH; count = count + plain; waiting = true; plain = 0 }; /* wait_announce() */
  STORE(0, PARKED, 1);
#ifndef NO_FENCE
  MEMBARRIER(0);
#endif
  if
  :: plain + count == 0
  :: else ->
     atomic { /* futex_wait */
       if
       :: LOAD(0, PARKED) == 1 -> asleep = true
       :: else
       fi
     };
     !asleep
  fi;
  STORE(0, PARKED, 0);
  atomic { RMW(0) -> TOUCH; plain = count; count = 0; waiting = false } /* wait_withdraw() */
}

proctype parent() {
  byte made = 0, seen_owner;
  short plain = 0;
  bool last, was_waiting, was_merged;
  STORE(0, OWNER, 1);
  do
  :: made < CHILDREN -> /* spawn: counted before it is visible */
     atomic { RMW(0) -> plain++; made++; available++ }
  :: made > 0 -> /* taskwait */
     do
     :: plain + count == 0 -> break
     :: atomic { available > 0 -> available-- }; atomic { TOUCH; plain--; ran++ }
     :: atomic { plain + count != 0 -> skip }; PARK()
     od;
     /* forget_counts() */
     if
     :: count != 0 -> atomic { count = 0; plain = 0 }
     :: else
     fi
  :: break
  od;
  made_all = true;
  /* task_leave_header() */
  TOUCH;
  if
  :: plain + count == 0 -> FREE()
  :: else -> /* keep_header() */
     STORE(0, OWNER, 2);
     atomic {
       RMW(0) -> TOUCH;
#ifdef NO_MERGE
       merged = true;
#else
       count = count + plain; merged = true;
#endif
       last = count == 0
     };
     if
     :: last -> FREE()
     :: else
     fi;
     last = false
  fi;
  plain = 0;
  do /* from here on worker 0 is like any other */
  :: atomic { available > 0 -> available-- }; FINISH_ELSEWHERE(0)
  :: available == 0 -> break
  od;
  atomic { ended++; made = 0 }
}

proctype other(byte me) {
  byte seen_owner;
  bool last, was_waiting, was_merged;
  do
  :: atomic { available > 0 -> available-- }; FINISH_ELSEWHERE(me)
  :: atomic { made_all && available == 0 -> break }
  od;
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run parent(); run other(1); run other(2) };
  ended == 3;
  assert(freed)
}
