// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_FENCE
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_READ_LATE
// RUN: %root/test/model/run_spin %s refuted -DCLEARS_COUNT
// RUN: %root/test/model/run_spin %s refuted -DLOOKS_FIRST
// RUN: %root/test/model/run_spin %s refuted -DLEAVES_AT_ONCE
// RUN: %root/test/model/run_spin %s verified -DOVERSUBSCRIBED
// RUN: %root/test/model/run_spin %s refuted -DOVERSUBSCRIBED -DWAKER_LIGHT
// REQUIRES: spin
/* Start signals, along the tree of domains, and sleeping between regions (runtime/teams/start_signal.cpp,
   propagate_start(); runtime/wait/idle.cpp, sleep_between_regions() and wake_for_start(); runtime/wait/README.md,
   "Between regions"; runtime/teams/barriers.md, "Starts and barriers by domain"): a primary notifies domain 1, whose
   first member notifies domain 2. Signal 1 is for everybody, 2 for nobody but the primary, which does not wait then, 3
   for domain 1 only, 4 for everybody, 5 says leave.
   Holds: no member sleeps through a signal that it has a part in; when all have left, the last signal has reached all
   domains, so that the next team begins with the same word in each.
   NO_FENCE: the sleepers' membarrier is missing. COUNT_READ_LATE: a member reads the count of events after it looked at
   the signal. CLEARS_COUNT: the waker sets the number of sleepers to zero, as if they could not be back to sleep before
   they took themselves off. LOOKS_FIRST: the first member looks for sleepers before it stores the signal.
   LEAVES_AT_ONCE: it leaves without propagating that signal. OVERSUBSCRIBED: sleeper and waker each fence their own CPU;
   WAKER_LIGHT: only the sleeper does.
   Beside tools/explore it shows: all ways around the pair of fences along the tree, whose signals may arrive as late
   as one likes. */

#define THREADS 3 /* thread d is the primary, or the one member of domain d */
#define BUFFER 3
#define GO(domain) ((domain) * 3 - 3)
#define SLEEPING(domain) ((domain) * 3 - 2)
#define EVENTS(domain) ((domain) * 3 - 1)
#define VARIABLES 6
#define LEAVE 5
#define HAS_PART(domain, signal) ((signal) == 1 || (signal) == 4 || ((signal) == 3 && (domain) == 1))
#define MUST_KNOW(domain, signal, last) ((signal) == LEAVE || HAS_PART(domain, signal) || HAS_PART(domain, last))
#include "store_buffer.inc"

bool asleep[THREADS];
byte followed[THREADS];
byte attached = 2;

inline WAKE(waker, domain) {
#ifdef CLEARS_COUNT
  atomic { RMW(waker); mem[SLEEPING(domain)] = 0 };
#endif
  atomic {
    RMW(waker);
    mem[EVENTS(domain)] = mem[EVENTS(domain)] + 1
  };
  asleep[domain] = false /* futex_wake(all) */
}

inline NOTIFY(waker, domain, signal) {
  STORE(waker, GO(domain), signal);
#if defined(OVERSUBSCRIBED) && !defined(WAKER_LIGHT)
  FENCE(waker);
#endif
  if
  :: LOAD(waker, SLEEPING(domain)) == 0
  :: else -> WAKE(waker, domain)
  fi
}

proctype primary() {
  byte signal = 0, last = 0;
  do
  :: signal == LEAVE -> break
  :: else ->
     /* the region has ended */
     (!HAS_PART(1, signal) || followed[1] == signal) && (!HAS_PART(2, signal) || followed[2] == signal);
     signal++;
     if
     :: MUST_KNOW(1, signal, last) -> last = signal; NOTIFY(0, 1, signal)
     :: else
     fi
  od;
  attached == 0;
  assert(mem[GO(1)] == LEAVE && mem[GO(2)] == LEAVE)
}

inline PROPAGATE(signal) {
  if
#ifdef LEAVES_AT_ONCE
  :: signal == LEAVE
#endif
  :: else ->
     if
     :: MUST_KNOW(2, signal, last) ->
        last = signal;
#ifdef LOOKS_FIRST
        if
        :: LOAD(1, SLEEPING(2)) == 0 -> STORE(1, GO(2), signal)
        :: else -> STORE(1, GO(2), signal); WAKE(1, 2)
        fi
#else
        NOTIFY(1, 2, signal)
#endif
     :: else
     fi
  fi
}

proctype member(byte me) {
  byte events, seen = 0, last = 0;
  do
  :: seen == LEAVE -> break
  :: else ->
     if
     :: LOAD(me, GO(me)) != seen /* it spins */
     :: true ->
#ifndef COUNT_READ_LATE
        events = LOAD(me, EVENTS(me));
#endif
        atomic { RMW(me); mem[SLEEPING(me)] = mem[SLEEPING(me)] + 1 };
#if defined(OVERSUBSCRIBED) && !defined(NO_FENCE)
        FENCE(me);
#elif !defined(NO_FENCE)
        MEMBARRIER(me);
#endif
        do
        :: LOAD(me, GO(me)) != seen -> break
        :: LOAD(me, GO(me)) == seen ->
#ifdef COUNT_READ_LATE
           events = LOAD(me, EVENTS(me));
#endif
           atomic { /* futex_wait() */
             if
             :: mem[EVENTS(me)] == events -> asleep[me] = true
             :: else
             fi
           };
           !asleep[me];
#ifndef COUNT_READ_LATE
           events = LOAD(me, EVENTS(me)) /* this wake may have come late, for the signal before */
#endif
        od;
        atomic { RMW(me); mem[SLEEPING(me)] = mem[SLEEPING(me)] - 1 }
     fi;
     seen = LOAD(me, GO(me));
     if
     :: me == 1 -> PROPAGATE(seen)
     :: else
     fi;
     if
     :: HAS_PART(me, seen) -> followed[me] = seen
     :: else
     fi
  od;
  atomic { RMW(me); attached = attached - 1 }
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2);
    run primary(); run member(1); run member(2)
  }
}
