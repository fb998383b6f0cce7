// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DHEAD_LATE
// RUN: %root/test/model/run_spin %s refuted -DNO_RECHECK
// RUN: %root/test/model/run_spin %s refuted -DLINK_LATE
// RUN: %root/test/model/run_spin %s refuted -DNO_PUT_BACK
// REQUIRES: spin
/* The queue of the nemesis scheduler (schedulers/queues/nemesis_queue.h): two producers, one of them with two tasks,
   and the consumer.
   Holds: every task comes out once, in the order of its producer, with what its producer wrote; and once the producers
   are done, pop() returns null only when nothing is left.
   HEAD_LATE: the consumer empties head after it has emptied tail. NO_RECHECK: it takes a task without a successor
   without a look at tail. LINK_LATE: a producer clears the link of its task after the exchange. NO_PUT_BACK: a consumer
   that finds the successor not linked yet leaves head empty.
   Beside tools/explore it shows: all ways through the few words of the queue, with a producer that stops in the
   middle for any time. */

#define TASKS 3 /* 1 and 2 are the first producer's, 3 the other's */
#define CONSUMER 2
#define THREADS 3
#define BUFFER 3
#define HEAD 0
#define TAIL 1
#define LINK 2 /* + 1 … + TASKS */
#define DATA 5 /* + 1 … + TASKS */
#define VARIABLES 9
#include "store_buffer.inc"

byte pushed, popped;
bool out[TASKS + 1];

inline PUSH(me, task) {
  STORE(me, DATA + task, 1);
#if !defined(LINK_LATE)
  STORE(me, LINK + task, 0);
#endif
  atomic { RMW(me) -> before = mem[TAIL]; mem[TAIL] = task };
#if defined(LINK_LATE)
  STORE(me, LINK + task, 0);
#endif
  if
  :: before == 0 -> STORE(me, HEAD, task)
  :: else -> STORE(me, LINK + before, task)
  fi;
  before = 0
}

proctype producer(byte me) {
  byte before;
  if
  :: me == 0 -> PUSH(0, 1); PUSH(0, 2)
  :: else -> PUSH(1, 3)
  fi;
  atomic { FENCE(me) -> pushed++ } /* everybody can see its stores */
}

/* task: what pop() returns */
inline POP() {
  task = LOAD(CONSUMER, HEAD);
  if
  :: task == 0
  :: else ->
     next = LOAD(CONSUMER, LINK + task);
     if
     :: next != 0 -> STORE(CONSUMER, HEAD, next)
     :: else ->
#if !defined(HEAD_LATE)
        STORE(CONSUMER, HEAD, 0);
#endif
#if !defined(NO_RECHECK)
        atomic {
          RMW(CONSUMER);
          if
          :: mem[TAIL] == task -> mem[TAIL] = 0; last = true
          :: else -> last = false
          fi
        };
#if defined(HEAD_LATE)
        STORE(CONSUMER, HEAD, 0);
#endif
        if
        :: last
        :: else ->
           next = LOAD(CONSUMER, LINK + task);
           if
           :: next != 0 -> STORE(CONSUMER, HEAD, next)
           :: else ->
#if !defined(NO_PUT_BACK)
              STORE(CONSUMER, HEAD, task);
#endif
              task = 0
           fi
        fi
#endif
     fi
  fi;
  atomic { next = 0; last = false }
}

proctype consumer() {
  byte task, next;
  bool last, all;
  do
  :: popped == TASKS -> break
  :: else ->
     all = pushed == 2;
     POP();
     if
     :: task == 0 -> assert(!all)
     :: else ->
        assert(!out[task] && LOAD(CONSUMER, DATA + task) == 1 && (task != 2 || out[1]));
        atomic { out[task] = true; popped++ }
     fi;
     atomic { task = 0; all = false }
  od
}

init {
  atomic {
    byte t;
    for (t : 0 .. THREADS - 1) { run drain(t) };
    run producer(0); run producer(1); run consumer()
  }
}
