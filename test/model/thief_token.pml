// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DCOUNTED_TWICE
// RUN: %root/test/model/run_spin %s refuted -DBIT_FIRST
// RUN: %root/test/model/run_spin %s refuted -DNO_SECOND_LOOK
// RUN: %root/test/model/run_spin %s refuted -DANNOUNCES_ONCE
// REQUIRES: spin
/* The thief token and requests across domains (schedulers/domains.cpp, park() in runtime/wait/idle.cpp;
   schedulers/protocols.md, "Requests across domains"). Domain A has two workers that wait for work; domain B has one that
   makes private tasks, looks at its request word after each, and then does nothing else until they have begun. Each task
   lasts, so each needs another worker of A. A worker of A looks into A's LIFO; if that is empty, and no other worker
   holds the token, or for long, it takes what B's LIFO has, or asks: it counts A among the domains that ask, for as long as a worker
   of A is requesting, and one worker at a time makes B's request word say whether that count is zero. A third domain asks
   for a while, too. Workers that find nothing become requesting, look again, and sleep (parking.pml has the details of
   that; here a wake is one step).
   Since a holder that was preempted loses the token, any worker may be a thief at any time here.
   Holds: every task begins; in the end, with no worker requesting, B's request word is zero, and no domain is counted. A
   sleeper's timeout, or that of its domain's sentinel, finds what nobody was woken for.
   COUNTED_TWICE: a thief that finds that another one of A has set the bit meanwhile leaves A counted twice.
   BIT_FIRST: a thief that asks sets the bit before it counts A. NO_SECOND_LOOK: a thief that has set the bit does not
   look whether a worker is still requesting. ANNOUNCES_ONCE: a worker that has changed B's word does not look whether the count has
   changed meanwhile.
   */

#define PRODUCER 2
#define OTHER 3
#define THREADS 4
#define BUFFER 2
#define TASKS 2

#define REQUESTING 0  /* of A: how many, and whether one has asked; one word */
#define ASKING 4
#define REQUESTS 1  /* of B */
#define PRIVATE 2 /* + 1: the producer's deque */
#define ASKS 4    /* the domains that ask; and whether B's word says so, or is being changed */
#define ANNOUNCING 4
#define ANNOUNCED 8
#define VARIABLES 5
#include "store_buffer.inc"

byte in_a, in_b; /* the LIFOs, under locks; what a thief carries is in neither */
byte started, ended;
bool sleeper[2];

#define OVER (started == TASKS)

inline WAKE_ONE() {
  atomic {
    if
    :: sleeper[0] -> sleeper[0] = false
    :: !sleeper[0] && sleeper[1] -> sleeper[1] = false
    :: else
    fi
  }
}

#define COUNTED(word) ((word) & 3)

inline ANNOUNCE() { /* announce_all() */
  do
  :: atomic {
       RMW(me);
       if
       :: (mem[ASKS] & ANNOUNCING) || (COUNTED(mem[ASKS]) > 0) == (mem[ASKS] >= ANNOUNCED) -> break
       :: else -> asked = COUNTED(mem[ASKS]) > 0; mem[ASKS] = COUNTED(mem[ASKS]) + ANNOUNCING
       fi
     };
     atomic { RMW(me) -> mem[REQUESTS] = 1 - mem[REQUESTS] };
     atomic { RMW(me) -> mem[ASKS] = COUNTED(mem[ASKS]) + (asked -> ANNOUNCED : 0); asked = false };
#ifdef ANNOUNCES_ONCE
     break
#endif
  od
}

inline COUNT_DOMAIN(by) { atomic { RMW(me) -> mem[ASKS] = mem[ASKS] + by }; ANNOUNCE() }

inline WITHDRAW() { /* ask no longer, if nobody is requesting: a compare-and-swap */
  atomic {
    RMW(me);
    if
    :: mem[REQUESTING] == ASKING -> mem[REQUESTING] = 0; was_set = true
    :: else
    fi
  };
  if
  :: was_set -> COUNT_DOMAIN(-1); was_set = false
  :: else
  fi
}

inline SET_BIT() {
  atomic { RMW(me) -> was_set = (mem[REQUESTING] & ASKING) != 0; none = (mem[REQUESTING] & 3) == 0; mem[REQUESTING] = mem[REQUESTING] | ASKING }
}

inline ASK() {
  if
  :: LOAD(me, REQUESTING) == 0 || LOAD(me, REQUESTING) >= ASKING
  :: else ->
#ifdef BIT_FIRST
     SET_BIT();
     if
     :: !was_set -> COUNT_DOMAIN(1)
     :: else
     fi;
#else
     COUNT_DOMAIN(1);
     SET_BIT();
#ifndef COUNTED_TWICE
     if /* another thief of A has asked */
     :: was_set -> COUNT_DOMAIN(-1)
     :: else
     fi;
#endif
#endif
     was_set = false;
#ifndef NO_SECOND_LOOK
     if
     :: none -> none = false; WITHDRAW()
     :: else
     fi;
#endif
     none = false
  fi
}

inline ACQUIRE() {
  if /* a look without the lock, then a removal under it */
  :: in_a > 0 -> atomic { RMW(me) -> found = in_a > 0; in_a = in_a - found }
  :: in_a == 0
  fi;
  if
  :: true /* has found something, backs off, which is a matter of time, or another worker has the token */
  :: !found ->
     atomic { RMW(me) -> carried = (in_b < 2 -> in_b : 1); in_b = in_b - carried };
     atomic { RMW(me) -> in_a = in_a + carried; carried = 0; found = in_a > 0; in_a = in_a - found };
     if
     :: !found -> ASK()
     :: found && in_a > 0 -> WAKE_ONE() /* handed on */
     :: found && in_a == 0
     fi
  fi
}

inline BE_CONTENT() {
  if
  :: requesting ->
     atomic { RMW(me) -> mem[REQUESTING] = mem[REQUESTING] - 1; none = mem[REQUESTING] == ASKING; requesting = false };
     if
     :: none -> none = false; WITHDRAW()
     :: else
     fi
  :: else
  fi
}

inline PARK() {
  atomic { RMW(me) -> sleeper[me] = true };
  ACQUIRE(); /* and sleeps, with a timeout */
  atomic { RMW(me) -> woken = !sleeper[me]; sleeper[me] = false };
  if /* pass_wake_on() */
  :: woken ->
     woken = false;
     if
     :: !found && !OVER -> ACQUIRE()
     :: else
     fi;
     if
     :: in_a > 0 || in_b > 0 -> WAKE_ONE()
     :: else
     fi
  :: else
  fi
}

/* PrivateDeque::steal_by_force(), which forced_steal.pml proves */
inline REVOKE(task) {
  atomic {
    if
    :: len(buffer[PRODUCER]) == 0 && RMW(me) && mem[task] -> mem[task] = 0; found = true
    :: else
    fi
  }
}

proctype worker(byte me) {
  bool requesting, found, was_set, none, asked, woken;
  byte carried;
  do
  :: OVER || found -> break
  :: !OVER && !found && LOAD(me, PRIVATE) -> REVOKE(PRIVATE)
  :: !OVER && !found && LOAD(me, PRIVATE + 1) -> REVOKE(PRIVATE + 1)
  :: !OVER && !found ->
     ACQUIRE();
     if
     :: !found && requesting -> PARK()
     :: !found && !requesting -> atomic { RMW(me) -> mem[REQUESTING] = mem[REQUESTING] + 1; requesting = true }
     :: true /* has found something, or only yields */
     fi
  od;
  BE_CONTENT();
  started = started + found;
  OVER;
  ended++
}

proctype producer() {
  byte made = 0;
  do
  :: made < TASKS ->
     STORE(PRODUCER, PRIVATE + made, 1);
     if
     :: LOAD(PRODUCER, REQUESTS) == 0
     :: else -> /* publish_oldest() */
        atomic {
          RMW(PRODUCER);
          if
          :: mem[PRIVATE] -> mem[PRIVATE] = 0; in_b++
          :: !mem[PRIVATE] && mem[PRIVATE + 1] -> mem[PRIVATE + 1] = 0; in_b++
          :: else
          fi
        };
        WAKE_ONE()
     fi;
     if /* a task that waits for it at once, or for all later */
     :: true
     :: started > made
     fi;
     made++
  :: else -> break
  od;
  OVER;
  ended++
}

/* A third domain asks at some time, and ceases to. */
proctype other() {
  byte me = OTHER;
  bool asked;
  COUNT_DOMAIN(1);
  COUNT_DOMAIN(-1);
  ended++
}

init {
  atomic { run drain(0); run drain(1); run drain(2); run producer(); run worker(0); run worker(1); run other() };
  ended == 4;
  assert(mem[REQUESTING] == 0 && mem[REQUESTS] == 0 && mem[ASKS] == 0)
}
