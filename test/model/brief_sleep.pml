// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DEVENTS_FIRST
// REQUIRES: spin
/* Sleeps of a domain's members on two words (runtime/threads/wake.cpp, wake_sleepers_of_domain(); runtime/wait/idle.cpp,
   park() and sleep_until_woken(); runtime/wait/README.md, "Brief sleeps"). Two members wait for barrier 1, for barrier 2
   and for a task. A thread opens the barriers and wakes all; another publishes the task, and claims and wakes one
   sleeper, which passes the wake on.
   Holds: no member sleeps for ever, though no sleep ends by itself here: whoever was swept is woken.
   EVENTS_FIRST: the word grows, and wakes, before the sleepers are swept: a member that this wakes, and that sleeps
   again, is swept and not woken.
   All accesses are in order: parking.pml has the fences.
   Beside tools/explore it shows: what the end of such a sleep after 10 ms hides. */

#define MEMBERS 2

byte barrier, events, parked[MEMBERS], bits, ended;
bool task, asleep[MEMBERS];

/* futex_wake(): who sleeps on the domain's word sleeps on its own, too */
inline WAKE_ALL() { atomic { events++; asleep[0] = false; asleep[1] = false } }

inline SWEEP() {
  atomic { swept = bits; bits = 0 };
  together = false;
  i = 0;
  do
  :: i < MEMBERS ->
     if
     :: swept & (1 << i) -> atomic { together = together || parked[i] != 0; parked[i] = 0 }
     :: else
     fi;
     i++
  :: else -> break
  od;
  swept = 0
}

inline OPEN(number) {
  barrier = number;
#ifdef EVENTS_FIRST
  WAKE_ALL();
  SWEEP();
#else
  SWEEP();
  if
  :: together -> WAKE_ALL()
  :: else
  fi;
#endif
  together = false
}

proctype opener() {
  byte i, swept;
  bool together;
  OPEN(1);
  OPEN(2);
  ended++
}

proctype publisher() {
  byte claimed;
  task = true;
  do
  :: bits == 0 -> break
  :: else ->
     atomic { /* fetch_and() of the lowest bit */
       if
       :: bits & 1 -> bits = bits & 2; claimed = 1
       :: !(bits & 1) && (bits & 2) -> bits = 0; claimed = 2
       :: else
       fi
     };
     if
     :: claimed > 0 ->
        atomic { /* worker_wake() */
          if
          :: parked[claimed - 1] != 0 -> parked[claimed - 1] = 0; asleep[claimed - 1] = false
          :: else
          fi
        };
        break
     :: else
     fi
  od;
  claimed = 0;
  ended++
}

proctype member(byte me) {
  byte waits_for = 1, seen;
  do
  :: barrier >= waits_for && waits_for <= 2 -> waits_for++ /* it arrives at the next one; 3: only the task is left */
  :: task && waits_for > 2 -> break
  :: !(barrier >= waits_for && waits_for <= 2) && !(task && waits_for > 2) ->
     seen = events;
     parked[me] = 1;
     atomic { bits = bits | (1 << me) };
     do
     :: (waits_for <= 2 && barrier >= waits_for) || (waits_for > 2 && task) || parked[me] == 0 -> break
     :: else ->
        atomic { /* futex_waitv */
          if
          :: parked[me] == 1 && events == seen -> asleep[me] = true
          :: else
          fi
        };
        !asleep[me];
        seen = events
     od;
     parked[me] = 0;
     atomic { bits = bits & ~(1 << me) };
     if /* pass_wake_on() */
     :: task -> atomic {
          if
          :: bits & 1 -> bits = bits & 2; parked[0] = 0; asleep[0] = false
          :: !(bits & 1) && (bits & 2) -> bits = 0; parked[1] = 0; asleep[1] = false
          :: else
          fi
        }
     :: else
     fi
  od;
  ended++
}

init {
  atomic { run opener(); run publisher(); run member(0); run member(1) };
  ended == MEMBERS + 2
}
