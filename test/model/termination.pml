// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DNO_RESUM
// RUN: %root/test/model/run_spin %s refuted -DEXPORTED_FIRST
// RUN: %root/test/model/run_spin %s refuted -DARRIVE_WITH_TASKS
// RUN: %root/test/model/run_spin %s refuted -DCOMPLETE_AT_ONCE
// RUN: %root/test/model/run_spin %s refuted -DSTOLEN_COUNTED_LATE
// RUN: %root/test/model/run_spin %s refuted -DNO_TOKEN
// RUN: %root/test/model/run_spin %s refuted -DDOMAINS_ONCE
// RUN: %root/test/model/run_spin %s refuted -DNOTED_LATE
// RUN: %root/test/model/run_spin %s refuted -DONLY_EXPORTERS
// RUN: %root/test/model/run_spin %s verified -DQUIET_START
// RUN: %root/test/model/run_spin %s refuted -DQUIET_START -DFLAG_LATE
// RUN: %root/test/model/run_spin %s refuted -DFORGOTTEN_LATE
// RUN: %root/test/model/run_spin %s verified -DJOIN
// RUN: %root/test/model/run_spin %s verified -DJOIN -DQUIET_START
// RUN: %root/test/model/run_spin %s refuted -DJOIN -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DJOIN -DEND_UNANNOUNCED
// REQUIRES: spin
/* Termination of a barrier (runtime/teams/barrier.cpp, idle.cpp; runtime/teams/barriers.md, "Termination"). Two members:
   the first publishes a detachable task, which a thread outside the team completes, the second makes a private one;
   tasks make tasks, which stay private, are published, or are stolen from the private deque. Members run what is
   private, arrive, run what they find, complete what is pending, sum `completed`, then `exported`, and park.
   Holds: the barrier opens when, and only when, every task has finished; no member sleeps for ever.
   NO_FENCE: the parker's membarrier is missing. NO_RESUM: the parker does not sum again after it. EXPORTED_FIRST: the
   sums are taken in the wrong order. ARRIVE_WITH_TASKS: members arrive while they have private tasks. COMPLETE_AT_ONCE:
   a task counts as completed when it finishes, not when the deque is empty. STOLEN_COUNTED_LATE: a thief counts after
   the victim can see that its tasks are gone. NO_TOKEN: nothing stands for what a detachable task left in the deque.
   QUIET_START: the first member makes nothing, so the first task that is exported is stolen. FLAG_LATE: a thief says
   that something was exported after the victim can see that its tasks are gone. FORGOTTEN_LATE: whoever opens the
   barrier forgets only then that something was exported, and with it what is exported before the next barrier.
   JOIN: the end of a region, at which member 0, the primary, arrives last of all, and the other one only says that it
   has come. END_UNANNOUNCED: it does not wake the primary then.
   Each member is in a domain of its own, and sums are over domains that have counted something. DOMAINS_ONCE: the second
   sum does not ask again which these are. NOTED_LATE: a member says after others have seen its task that its domain counts.
   ONLY_EXPORTERS: it does not say so when it counts completed tasks.
   Beside tools/explore it shows: all ways of counting while tasks move, with a member that is late by any time. */

#define MEMBERS 2
#ifndef MORE_TASKS
#define MORE_TASKS 1 /* made by tasks */
#endif
#define OUTSIDER 2
#define THREADS 3
#define BUFFER 4
#define EXPORTED 0 /* + member */
#define COMPLETED 2 /* + member */
#define OUTSIDE 4 /* TeamCounts::complete_outside() */
#define RELEASED 5
#define HAS_EXPORTED 6
#define GATHERED 7
#define OTHERS 8 /* ArrivalCount::ended */
#define COUNTS 9 /* + member: its domain has counted something */
#define VARIABLES 11
#include "store_buffer.inc"

byte published, published_detachable, more = MORE_TASKS, arrived, ended;
byte private[MEMBERS], stealing[MEMBERS]; /* stealing: taken from the victim, which cannot see it yet */
byte unfinished; /* what the counters stand for */
bool completed, detached_left;
bool sleeper[MEMBERS], asleep[MEMBERS]; /* the sleeper's bit, and its futex (parking.pml has the details) */

#define ADD(variable, n) STORE(me, variable, LOAD(me, variable) + (n))

inline SET_FLAG() {
  if
  :: LOAD(me, HAS_EXPORTED) == 0 -> STORE(me, HAS_EXPORTED, 1)
  :: else
  fi
}

inline NOTE() {
  if
  :: LOAD(me, COUNTS + me) == 0 -> STORE(me, COUNTS + me, 1)
  :: else
  fi
}

inline COUNT_EXPORTED() { /* member_count_exported() */
#ifndef FLAG_LATE
  SET_FLAG();
#endif
#ifndef NOTED_LATE
  NOTE();
#endif
  ADD(EXPORTED + me, 1)
}

inline NOTE_LATE() {
#ifdef NOTED_LATE
  NOTE()
#else
  skip
#endif
}

#define DRAINED (private[me] == 0 && stealing[me] == 0)

/* The sum, one load at a time. */
inline ADD_UP(sum, first) {
  if
  :: counts[0] -> sum = sum + LOAD(me, first)
  :: else
  fi;
  if
  :: counts[1] -> sum = sum + LOAD(me, first + 1)
  :: else
  fi
}
inline READ_DOMAINS() { atomic { counts[0] = LOAD(me, COUNTS); counts[1] = LOAD(me, COUNTS + 1) } } /* one word */
inline SUM_COMPLETED() { READ_DOMAINS(); ADD_UP(sum_completed, COMPLETED); sum_completed = sum_completed + LOAD(me, OUTSIDE) }
inline SUM_EXPORTED() {
#ifndef DOMAINS_ONCE
  READ_DOMAINS();
#endif
  ADD_UP(sum_exported, EXPORTED)
}

inline WAKE(whom) {
  atomic {
    if
    :: sleeper[whom] -> RMW(me); sleeper[whom] = false; asleep[whom] = false
    :: else
    fi
  }
}

inline COMPLETE_PENDING() {
  if
  :: completion_pending > 0 && DRAINED ->
#ifndef ONLY_EXPORTERS
     NOTE();
#endif
     ADD(COMPLETED + me, completion_pending);
     completion_pending = 0
  :: else
  fi
}

/* All have arrived, and nothing was exported. */
inline OPEN_AT_ONCE() {
  atomic { assert(!completed && unfinished == 0); completed = true };
  STORE(me, RELEASED, 1);
  WAKE(0);
  WAKE(1)
}

/* gather_join(): the primary, which has arrived, looks whether the other one has. */
inline GATHER_JOIN() {
#ifdef JOIN
  if
  :: me == 0 && !completed && LOAD(me, GATHERED) == 0 && LOAD(me, OTHERS) ->
     if
     :: LOAD(me, HAS_EXPORTED) -> STORE(me, GATHERED, 1)
     :: else -> OPEN_AT_ONCE()
     fi
  :: else
  fi
#else
  skip
#endif
}

/* The end of a region forgets nothing: the next region's begin does. */
inline OPEN() {
#ifdef FORGOTTEN_LATE
  STORE(me, RELEASED, 1);
  STORE(me, HAS_EXPORTED, 0)
#else
#ifndef JOIN
  STORE(me, HAS_EXPORTED, 0);
#endif
  STORE(me, RELEASED, 1)
#endif
}

inline TRY_COMPLETE() {
  GATHER_JOIN();
  if
  :: LOAD(me, GATHERED) && !completed ->
#ifdef EXPORTED_FIRST
     SUM_EXPORTED(); SUM_COMPLETED();
#else
     SUM_COMPLETED(); SUM_EXPORTED();
#endif
     if
     :: sum_exported == sum_completed ->
        atomic {
          RMW(me);
          if
          :: completed -> sum_exported = 99
          :: else -> completed = true; assert(unfinished == 0)
          fi
        };
        if
        :: sum_exported != 99 -> OPEN(); WAKE(0); WAKE(1)
        :: else
        fi
     :: else
     fi;
     sum_exported = 0; sum_completed = 0; counts[0] = false; counts[1] = false
  :: else
  fi
}

/* The body of a task, which may make another one. */
inline BODY() {
  if
  :: atomic { more > 0 -> more--; unfinished++; private[me]++ }
  :: true
  fi
}

inline FINISH_EXPORTED() {
#ifdef COMPLETE_AT_ONCE
  atomic { unfinished--; ADD(COMPLETED + me, 1) }
#else
  atomic { unfinished--; completion_pending++ }
#endif
}

inline RUN_PRIVATE() { BODY(); atomic { unfinished-- } }
inline RUN_EXPORTED() { BODY(); FINISH_EXPORTED() }
inline RUN_DETACHABLE() {
  BODY();
#ifndef NO_TOKEN
  COUNT_EXPORTED();
  completion_pending++;
#endif
  atomic { RMW(me) -> detached_left = true };
  NOTE_LATE()
}

/* The oldest private task is published: by the member itself, or stolen by the other one. */
inline EXPORT() {
  COUNT_EXPORTED();
  atomic { RMW(me) -> published++ };
  NOTE_LATE();
#ifdef FLAG_LATE
  SET_FLAG();
#endif
  WAKE(1 - me)
}

inline STEAL() {
#ifdef STOLEN_COUNTED_LATE
  atomic { RMW(me) -> stealing[1 - me]-- };
  COUNT_EXPORTED();
#else
  COUNT_EXPORTED();
  atomic { RMW(me) -> stealing[1 - me]-- };
#endif
#ifdef FLAG_LATE
  SET_FLAG();
#endif
  atomic { RMW(me) -> published++ };
  NOTE_LATE()
}

proctype member(byte me) {
  byte completion_pending = 0, sum_exported, sum_completed;
  bool counts[MEMBERS]; /* which domains' counters the sum reads */
#ifndef JOIN
  bool last;
#endif
#ifdef QUIET_START
  if
  :: me == 0
  :: me == 1 -> atomic { unfinished++; private[me]++ }
  fi;
#else
  atomic { unfinished++ };
  if
  :: me == 0 -> COUNT_EXPORTED(); atomic { RMW(me) -> published_detachable++ }; NOTE_LATE()
  :: me == 1 -> private[me]++
  fi;
#endif
#ifndef ARRIVE_WITH_TASKS
  do
  :: atomic { private[me] > 0 -> private[me]-- }; RUN_PRIVATE()
  :: atomic { private[me] > 0 -> private[me]-- }; EXPORT()
  :: DRAINED -> break
  od;
#endif
#ifdef JOIN
  if
  :: me == 1 ->
     STORE(me, OTHERS, 1);
#ifndef END_UNANNOUNCED
     WAKE(0)
#endif
  :: else
  fi;
#else
  atomic { RMW(me) -> arrived++; last = (arrived == MEMBERS) };
  if
  :: last && LOAD(me, HAS_EXPORTED) -> STORE(me, GATHERED, 1)
  :: last && LOAD(me, HAS_EXPORTED) == 0 -> OPEN_AT_ONCE()
  :: else
  fi;
  last = false;
#endif
  do
  :: LOAD(me, RELEASED) -> break
  :: atomic { private[me] > 0 -> private[me]-- }; RUN_PRIVATE()
  :: atomic { private[me] > 0 -> private[me]-- }; EXPORT()
  :: atomic { published > 0 && RMW(me) -> published-- }; RUN_EXPORTED()
  :: atomic { published_detachable > 0 && RMW(me) -> published_detachable-- }; RUN_DETACHABLE()
  :: atomic { private[me] == 0 && private[1 - me] > 0 -> private[1 - me]--; stealing[1 - me]++ }; STEAL()
  :: DRAINED && published == 0 ->
     COMPLETE_PENDING(); TRY_COMPLETE();
     if
     :: true -> skip /* looks again */
     :: true -> /* park() */
        sleeper[me] = true; /* a relaxed read-modify-write: no fence on other machines, so none here */
#ifndef NO_FENCE
        MEMBARRIER(me);
#endif
#ifndef NO_RESUM
        TRY_COMPLETE();
#endif
        if
        :: LOAD(me, RELEASED) || published > 0 || published_detachable > 0 || private[1 - me] > 0 || stealing[1 - me] > 0
        :: else ->
           atomic {
             if
             :: sleeper[me] -> asleep[me] = true
             :: else
             fi
           };
           !asleep[me]
        fi;
        sleeper[me] = false
     fi
  od;
#ifndef JOIN
  /* The next barrier, before which a member exports a task. */
  if
  :: me == 1 -> COUNT_EXPORTED()
  :: else
  fi;
  atomic { RMW(me) -> arrived++; last = (arrived == 2 * MEMBERS) };
  assert(!last || LOAD(me, HAS_EXPORTED));
#endif
  ended++
}

/* finish_task_outside(), by a thread of no team */
proctype outsider() {
  byte me = OUTSIDER;
  atomic { detached_left -> unfinished-- };
  atomic { RMW(me) -> mem[OUTSIDE] = mem[OUTSIDE] + 1 };
  if /* wake_one_sleeper() */
  :: sleeper[0] -> WAKE(0)
  :: !sleeper[0] && sleeper[1] -> WAKE(1)
  :: !sleeper[0] && !sleeper[1]
  fi;
  ended++
}

init {
#ifdef QUIET_START
  atomic { run drain(0); run drain(1); run drain(2); run member(0); run member(1) };
  ended == 2;
#else
  atomic { run drain(0); run drain(1); run drain(2); run member(0); run member(1); run outsider() };
  ended == 3;
#endif
  assert(unfinished == 0 && completed)
}
