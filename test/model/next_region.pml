// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DSTEALS_UNASKED
// RUN: %root/test/model/run_spin %s refuted -DASKS_FOR_ITS_SIGNAL
// RUN: %root/test/model/run_spin %s refuted -DASKS_BEFORE
// REQUIRES: spin
/* From one region to the next (runtime/wait/work_loop.cpp, private_deque.cpp, barrier.cpp; runtime/teams/README.md,
   "Teams and forks"): a primary and a member are in one domain, a second member is in another domain, which a start
   signal reaches later. The first two make a task in each region, keep it private, and run or publish it; all run and
   steal by force what they find after they have arrived. The second member may have no part in the second region. Each member
   that begins a region forgets what it counted in the last one.
   Holds: each region completes, with no task unfinished, and no member runs a task of a region that is not its own.
   STEALS_UNASKED: a thief does not ask whether its region has completed before it counts what it takes.
   ASKS_FOR_ITS_SIGNAL: a member that has got a task asks instead whether its start signal has come. ASKS_BEFORE: it
   asks only before it gets the task. Memory is sequentially consistent here: fences of revocations and of sums are in
   forced_steal.pml and termination.pml.
   Beside tools/explore it shows: a straggler that is late by any time. A run there needs luck for one: 22 runs with
   the bug that this model refutes. */

#define MEMBERS 3
#define REGIONS 2
#define DOMAIN(member) (member / 2)

byte go[2], completed, gathered, arrived, all_ended;
bool has_exported;
byte size[REGIONS + 2]; /* members that take part */
byte exported[MEMBERS], completed_tasks[MEMBERS], private[MEMBERS];
byte published, unfinished, ended;

#define GOES_ON (took_part && completed < region)
#define SUM(count) (count[0] + count[1] + (size[region] == MEMBERS -> count[2] : 0))

/* The part of a member in a region, until it has arrived */
inline TAKE_PART() {
  d_step { exported[me] = 0; completed_tasks[me] = 0 };
  if
  :: me == 2
  :: me != 2 -> atomic { unfinished++; private[me]++ }
  fi;
  do
  :: atomic { private[me] > 0 -> private[me]--; unfinished-- }
  :: atomic { private[me] > 0 -> private[me]--; has_exported = true; exported[me]++; published++ }
  :: private[me] == 0 -> break
  od;
  if /* the primary looks below, where it waits */
  :: me != 0 ->
     atomic {
       arrived++;
       if
       :: arrived == size[region] - 1 -> arrived = 0; all_ended = region
       :: else
       fi
     }
  :: else
  fi
}

inline REVOKE(victim) {
  atomic {
    if
#ifdef STEALS_UNASKED
    :: private[victim] > 0
#else
    :: private[victim] > 0 && GOES_ON
#endif
      -> private[victim]--; has_exported = true; exported[me]++; got = true
    :: else
    fi
  };
  if
  :: got -> atomic { published++; got = false }
  :: else
  fi
}

inline RUN_OR_HAND_BACK() {
  if
#if defined(ASKS_FOR_ITS_SIGNAL)
  :: me != 0 && go[DOMAIN(me)] != region -> published++
  :: !(me != 0 && go[DOMAIN(me)] != region) ->
#elif defined(ASKS_BEFORE)
  :: true ->
#else
  :: !GOES_ON -> published++
  :: GOES_ON ->
#endif
     assert(GOES_ON);
     atomic { unfinished--; completed_tasks[me]++ }
  fi
}

/* What a member does that has arrived: it looks, and acts on what it saw. */
#define HELP                                                                                                             \
  :: !possible && GOES_ON -> possible = true                                                                             \
  :: possible -> possible = false                                                                                        \
  :: atomic { possible && published > 0 -> published-- }; RUN_OR_HAND_BACK()                                             \
  :: possible && me != 0 && private[0] > 0 -> REVOKE(0)                                                                  \
  :: possible && me != 1 && private[1] > 0 -> REVOKE(1)                                                                  \
  :: atomic {                                                                                                            \
       GOES_ON && gathered == region && SUM(completed_tasks) == SUM(exported) -> assert(unfinished == 0);                        \
       completed = region                                                                                                \
     }

proctype primary() {
  byte me = 0, region = 0;
  bool took_part = true, possible, got;
  do
  :: region == REGIONS -> break
  :: else ->
     region++;
     has_exported = false;
     go[0] = region;
     go[1] = region;
     TAKE_PART();
     do
     :: completed == region -> break
     :: atomic { all_ended == region && completed < region && !has_exported -> /* gather_join() */
                 assert(unfinished == 0); completed = region }
     :: atomic { all_ended == region && gathered < region && has_exported -> gathered = region }
     HELP
     od;
     possible = false
  od;
  go[0] = REGIONS + 1;
  go[1] = REGIONS + 1;
  ended++
}

proctype member(byte me) {
  byte region = 0;
  bool took_part, possible, got;
  do
  :: go[DOMAIN(me)] != region ->
     region = go[DOMAIN(me)];
     took_part = me < size[region];
     possible = false;
     if
     :: region > REGIONS -> break
     :: region <= REGIONS && took_part -> TAKE_PART()
     :: region <= REGIONS && !took_part
     fi
  HELP
  od;
  ended++
}

init {
  atomic {
    size[1] = MEMBERS;
    if
    :: size[2] = MEMBERS
    :: size[2] = MEMBERS - 1
    fi;
    run primary(); run member(1); run member(2)
  };
  ended == MEMBERS;
  assert(unfinished == 0 && published == 0)
}
