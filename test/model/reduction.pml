// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DEXPECTS_LATE
// RUN: %root/test/model/run_spin %s refuted -DOPENS_UNCOMBINED
// RUN: %root/test/model/run_spin %s refuted -DCOMBINES_BEFORE
// RUN: %root/test/model/run_spin %s refuted -DREADY_LATE
// RUN: %root/test/model/run_spin %s verified -DNOWAIT
// RUN: %root/test/model/run_spin %s refuted -DNOWAIT -DREADY_LATE
// RUN: %root/test/model/run_spin %s refuted -DNOWAIT -DSMALLEST_GOES
// REQUIRES: spin
/* Reductions that combine along the tree of arrivals (runtime/teams/arrival.cpp, arrive_with(); barrier.cpp,
   barrier_combine(); runtime/teams/barriers.md, "Reductions"): two groups of two members, and the node above them. Two
   loops follow each other; each member brings its number + 1 to each. With NOWAIT no barrier ends them.
   Holds: each loop adds the sum of all members to the variable; where a barrier ends it, every member sees that.
   EXPECTS_LATE: the primary says that others are missing after it has arrived. OPENS_UNCOMBINED: the last to arrive
   opens the barrier, not the primary. COMBINES_BEFORE: a member combines what lies at the node before it counts.
   READY_LATE: the last at a node makes it ready for the next loop when it has gone on. SMALLEST_GOES: a member whose
   partial result is that of its group goes on when the group is combined.
   Beside tools/explore it shows: all orders of arrivals of four members over two loops. */

#define MEMBERS 4
#define LOOPS 2
#define ALL 10 /* 1 + 2 + 3 + 4 */

byte missing[3];       /* of groups 0 and 1, and of the node above */
byte reductions[3];    /* NOWAIT: how many have been combined there */
byte brought[6];       /* whose partial result came as which to which node, + 1 */
byte partial[MEMBERS]; /* each member's own */
bool others_missing;
#ifndef NOWAIT
bool open[LOOPS + 1];
#endif
byte sum; /* the program's variable */

#ifdef SMALLEST_GOES
#define COMBINES(member) ((member) == 0 -> 2 : (member) / 2)
#else
#define COMBINES(member) ((member) % 2 == 0 -> 2 : (member) / 2)
#endif

inline COMBINE(node) {
  partial[brought[node * 2] - 1] = partial[brought[node * 2] - 1] + partial[brought[node * 2 + 1] - 1]
}

inline BRING(node, which, whose) {
  brought[node * 2 + which] = whose + 1;
#ifdef COMBINES_BEFORE
  if
  :: brought[node * 2] != 0 && brought[node * 2 + 1] != 0 -> COMBINE(node)
  :: else
  fi;
#endif
  atomic {
    missing[node]--;
    last = missing[node] == 0
  };
  if
  :: last ->
#ifndef READY_LATE
     missing[node] = 2;
#endif
#ifndef COMBINES_BEFORE
     COMBINE(node);
#endif
     brought[node * 2 + 1] = 0;
     reductions[node] = reductions[node] + 1
  :: else
  fi
}

inline ARRIVE() {
  BRING(me / 2, me % 2, me);
  if
  :: last ->
     at = me / 2;
     BRING(2, at, at * 2);
#ifdef READY_LATE
     missing[at] = 2;
     if :: last -> missing[2] = 2 :: else fi
#endif
  :: else
  fi
}

proctype member(byte me) {
  byte loop = 1, at, before;
  bool last;
  do
  :: loop > LOOPS -> break
  :: else ->
     partial[me] = me + 1;
#ifdef NOWAIT
     before = reductions[COMBINES(me)];
     ARRIVE();
     reductions[COMBINES(me)] == before + 1;
     if
     :: me == 0 ->
        sum = sum + partial[0];
        assert(sum == loop * ALL)
     :: else
     fi;
     partial[me] = 0;
#else
#ifndef EXPECTS_LATE
     if :: me == 0 -> others_missing = true :: else fi;
#endif
     ARRIVE();
     if
     :: me == 0 ->
#ifdef EXPECTS_LATE
        others_missing = true;
#endif
        if
        :: last
        :: else -> !others_missing
        fi;
        sum = sum + partial[0];
        open[loop] = true
     :: else ->
        if
        :: last ->
           others_missing = false;
#ifdef OPENS_UNCOMBINED
           open[loop] = true
#endif
        :: else
        fi;
        open[loop]
     fi;
     assert(sum == loop * ALL);
#endif
     loop++
  od
}

init {
  atomic {
    missing[0] = 2; missing[1] = 2; missing[2] = 2;
    run member(0); run member(1); run member(2); run member(3)
  }
}
