// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_COMPARE
// RUN: %root/test/model/run_spin %s refuted -DSTORED_TURN
// RUN: %root/test/model/run_spin %s refuted -DFORGETS_LAST
// RUN: %root/test/model/run_spin %s refuted -DFREED_WHILE_STARVING
// RUN: %root/test/model/run_spin %s refuted -DJOINS_UNSEEN
// REQUIRES: spin
/* The lock of programs (runtime/sync/program_lock.cpp; runtime/sync/README.md, "Locks of programs"): three threads take
   it twice. All hand-overs are read-modify-writes of one word, or a store that its reader polls, so no store buffers
   are needed.
   Holds: the lock has one holder at a time, its queue one first at a time, one thread at most takes the lock before its
   first once that starves, no thread waits for ever, the word is zero in the end.
   NO_COMPARE: sleeping on the word does not compare it. STORED_TURN: pass_on() looks whether the next one sleeps, then
   stores, instead of an exchange. FORGETS_LAST: the first in the queue, when it takes the lock, clears the end of the
   queue without looking whether it is the end. FREED_WHILE_STARVING: unlock() frees the lock while its first starves,
   instead of granting it. JOINS_UNSEEN: the first takes itself for the last although somebody is joining.
   Beside tools/explore it shows: all ways of three threads through one word, without a limit of runs. */

#define THREADS 3
#define WAITS 0
#define ASLEEP 1
#define FIRST 2

bool held, sleeps, starving, granted, joining;
byte last;                     /* the word's parts; its count of releases decides only who looks when */
bool starves;                  /* the first has said so, and has not got the lock since */
byte before_first;             /* how many others have taken it meanwhile */
bool word_sleeper[THREADS + 1], turn_sleeper[THREADS + 1];
byte next[THREADS + 1], turn[THREADS + 1];
byte holders, firsts;

inline WAKE_ON_WORD() { /* futex_wake(word, 1) */
  atomic {
    if
    :: word_sleeper[1] -> word_sleeper[1] = false
    :: word_sleeper[2] -> word_sleeper[2] = false
    :: word_sleeper[3] -> word_sleeper[3] = false
    :: else
    fi
  }
}

proctype thread(byte self) {
  byte round = 0, before, there;
  bool seen_starving, is_last, took, was_starving;
  do
  :: round == 2 -> break
  :: else ->
     round++;
     took = false;
     /* take(), by lock() and lock_slow(): takes a free lock; gives up looking at any time */
     if
     :: atomic {
          !held -> held = true; took = true;
          if
          :: starves -> before_first++; assert(before_first <= 1)
          :: else
          fi }
     :: true
     fi;
     if
     :: took
     :: else ->
        /* queue_up() */
        next[self] = 0;
        turn[self] = WAITS;
        atomic { !joining -> joining = true; before = last };
        atomic { last = self; joining = false };
        if
        :: before == 0
        :: else ->
           next[before] = self;
           /* wait_for_turn() */
           if
           :: turn[self] == FIRST
           :: atomic { turn[self] == WAITS -> turn[self] = ASLEEP };
              do
              :: turn[self] == FIRST -> break
              :: atomic { turn[self] == ASLEEP -> turn_sleeper[self] = true };
                 !turn_sleeper[self]
              od
           fi
        fi;
        firsts++;
        assert(firsts == 1);
        /* wait_as_first() */
        do
        :: atomic { !held || granted -> /* take_as_first() */
#ifdef FORGETS_LAST
             is_last = true;
#else
             is_last = (last == self);
#ifndef JOINS_UNSEEN
             is_last = is_last && !joining;
#endif
#endif
             held = true; granted = false; starving = false; sleeps = false; starves = false; before_first = 0;
             if
             :: is_last -> last = 0
             :: else
             fi;
             firsts-- };
           if
           :: is_last
           :: else -> /* pass_on() */
              next[self] != 0;
              there = next[self];
#ifdef STORED_TURN
              before = turn[there];
              turn[there] = FIRST;
#else
              atomic { before = turn[there]; turn[there] = FIRST };
#endif
              if
              :: before == ASLEEP -> turn_sleeper[there] = false
              :: else
              fi
           fi;
           break
        :: atomic { !starving -> starving = true; starves = true } /* the lock may just be free; and looks again */
        :: atomic { held -> /* to sleep; perhaps starving */
             sleeps = true;
             if
             :: starving = true; starves = true
             :: starving = false; starves = false; before_first = 0
             :: true
             fi;
             seen_starving = starving };
#ifdef NO_COMPARE
           atomic { word_sleeper[self] = true };
           !word_sleeper[self]
#else
           atomic {
             if
             :: held && !granted && sleeps && starving == seen_starving -> word_sleeper[self] = true
             :: else
             fi };
           !word_sleeper[self]
#endif
        od
     fi;
     holders++;
     assert(holders == 1);
     holders--;
     /* unlock(), unlock_slow() */
     atomic {
       before = sleeps; sleeps = false; was_starving = starving; starving = false;
#ifdef FREED_WHILE_STARVING
       was_starving = false;
#endif
       if
       :: was_starving -> granted = true
       :: else -> held = false
       fi };
     if
     :: before -> WAKE_ON_WORD()
     :: else
     fi;
     before = 0;
     there = 0;
     was_starving = false
  od
}

init {
  byte i;
  atomic {
    run thread(1);
    run thread(2);
    run thread(3)
  };
  _nr_pr == 1;
  assert(!held && !sleeps && !starving && !granted && !joining && last == 0)
}
