// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_HOLD
// RUN: %root/test/model/run_spin %s refuted -DTOUCH_AFTER
// RUN: %root/test/model/run_spin %s verified -DCANCELLED
// RUN: %root/test/model/run_spin %s refuted -DCANCELLED -DDISCARD_FREES
// RUN: %root/test/model/run_spin %s verified -DOBSERVED
// RUN: %root/test/model/run_spin %s refuted -DOBSERVED -DNO_RETURNING
// RUN: %root/test/model/run_spin %s refuted -DOBSERVED -DNO_LOOK
// RUN: %root/test/model/run_spin %s verified -DOBSERVED -DCANCELLED
// RUN: %root/test/model/run_spin %s refuted -DOBSERVED -DCANCELLED -DNO_RETURNING
// RUN: %root/test/model/run_spin %s verified -DOTHERS
// RUN: %root/test/model/run_spin %s refuted -DOTHERS -DNO_BODY
// RUN: %root/test/model/run_spin %s refuted -DOTHERS -DNO_LAST_LOOK
// REQUIRES: spin
/* A detachable task (runtime/tasks/task_detach.cpp, merge_counts_but_hold() in task_finish.cpp;
   runtime/tasks/README.md, "Counting children"): its body returns on one worker, its event is fulfilled by another
   thread, its child runs on a third. Every hand-over is one read-modify-write, so no store buffers are needed.
   Holds: the task finishes once; event and header are freed once and touched by no thread afterwards; the extra block
   is there for the thread that finishes the task.
   NO_HOLD: the runner merges the counts without a count for the task itself. TOUCH_AFTER: the fulfilling thread reads
   the event after its exchange, whatever it found. CANCELLED: the runner discards the task, which finishes at once, and
   leaves the event to the thread that fulfils it; DISCARD_FREES: the runner frees the event itself.
   OBSERVED: a tool is told of the end of the body, or of the discarding, and of the fulfilment, each side by the thread
   that does it. Holds, too: it is told of one fulfilment, as early before that end and as late after it (a discarded
   task is told of at most an early one), and while the header is there. NO_RETURNING: the runner looks whether the event
   has come, and does not announce itself. NO_LOOK: it does not wait for a thread that is telling.
   OTHERS: the task has two other events as well, one after the other, which a third thread brings. Holds, too: the task
   finishes after all three. NO_BODY: the body owes nothing. NO_LAST_LOOK: the runner stores PENDING without waiting for
   the thread that has brought the event of the clause, and is about to say so.
   Beside tools/explore it shows: all ways in which the event, the body and the last child can end at once. */

#define PENDING 0
#define BODY_RETURNED 1
#define FULFILLED 2
#define DISCARDED 3
#define RETURNING 4
#define FULFILLING 5

byte state = PENDING, finished, ended;
short count; /* Task::shared_children, without its bit `merged` */
bool merged, event_freed, header_freed, extra_freed, child_waits, child_decided;
bool stays, end_told, early_told, late_told; /* OBSERVED; stays: the event had not come when the body returned */

#define TOUCH_HEADER assert(!header_freed)
#define TOUCH_EVENT assert(!event_freed)

inline DROP() { /* child_finished_elsewhere(): a child, or the hold */
  atomic {
    TOUCH_HEADER;
    count--;
    if
    :: count == 0 && merged -> header_freed = true
    :: else
    fi
  }
}

inline FREE_EVENT() { atomic { TOUCH_EVENT; event_freed = true } }

/* detach_stays_behind(), then what the tool is told */
inline TELL_END() {
#ifdef OBSERVED
  TOUCH_EVENT;
  atomic {
    if
    :: state == PENDING ->
      stays = true;
#ifndef NO_RETURNING
      state = RETURNING
#endif
    :: else
    fi
  };
#ifndef NO_LOOK
  stays || state != FULFILLING; /* let_fulfil() */
#endif
  atomic { TOUCH_HEADER; end_told = true; assert(early_told == !stays) }
#else
  skip
#endif
}

#define OF_CLAUSE 8
#define OF_BODY 4
byte owed = OF_CLAUSE, to_come, came;

/* One less is owed; whether that was the last. */
inline OWES_LESS(what) {
  atomic { TOUCH_EVENT; assert(owed >= what); owed = owed - what; was_last = owed == 0 }
}

/* events_increase() */
inline INCREASE() {
#ifdef OTHERS
  if
  :: !body_owed ->
    body_owed = true;
#ifndef NO_BODY
    atomic { before = owed; owed = owed + OF_BODY };
    if
    :: before == 0 ->
#ifndef NO_LAST_LOOK
      state == FULFILLED;
#endif
      state = PENDING
    :: else
    fi
#endif
  :: else
  fi;
  owed = owed + 1;
  to_come++
#else
  skip
#endif
}

/* body_owes_no_more() */
inline BODY_RETURNS() {
#if defined(OTHERS) && !defined(NO_BODY)
  OWES_LESS(OF_BODY);
  if
  :: was_last -> state = FULFILLED
  :: else
  fi
#else
  skip
#endif
}

inline TELL_LATE() {
#ifdef OBSERVED
  atomic { TOUCH_HEADER; assert(end_told && stays && !early_told && !late_told && !extra_freed); late_told = true }
#else
  skip
#endif
}

inline FINISH() {
  TOUCH_HEADER; /* dependences, parent, group */
  atomic { assert(!extra_freed); extra_freed = true };
  atomic { finished++; assert(finished == 1) };
#ifdef OTHERS
  assert(came == 3);
#endif
  TOUCH_HEADER; /* task_leave_header() */
#ifdef NO_HOLD
  skip
#else
  DROP()
#endif
}

proctype runner() {
  byte plain = 0, before;
  bool body_owed, was_last;
  INCREASE();
  INCREASE();
  if
  :: plain++; child_waits = true
  :: true
  fi;
  child_decided = true;
  TELL_END();
  atomic { /* merge_counts_but_hold() */
    TOUCH_HEADER;
#ifdef NO_HOLD
    count = count + plain;
#else
    count = count + plain + 1;
#endif
    merged = true;
    if
    :: count == 0 -> header_freed = true
    :: else
    fi
  };
  TOUCH_HEADER;
  assert(!extra_freed);
  BODY_RETURNS();
  TOUCH_EVENT;
  atomic { before = state; state = BODY_RETURNED };
  if
  :: before == FULFILLED ->
    FREE_EVENT();
    if
    :: stays -> TELL_LATE() /* it came in between */
    :: else
    fi;
    FINISH()
  :: else
  fi;
  ended++
}

/* run_task_slow(): detach_discard(), then finish_task() */
proctype discarder() {
  byte before;
  child_decided = true;
  TELL_END();
  TOUCH_EVENT;
  atomic { before = state; state = DISCARDED };
  if
#ifdef DISCARD_FREES
  :: true -> FREE_EVENT()
#else
  :: before == FULFILLED -> FREE_EVENT()
  :: else
#endif
  fi;
  TOUCH_HEADER;
  atomic { assert(!extra_freed); extra_freed = true; finished++; header_freed = true };
  ended++
}

/* Nothing is owed any more. */
inline FULFIL() {
#ifdef OBSERVED
  TOUCH_EVENT; /* fulfil_early() */
  atomic {
    if
    :: state == PENDING -> state = FULFILLING; early = true
    :: else
    fi
  };
  if
  :: early ->
    atomic { TOUCH_HEADER; assert(!end_told && !early_told && !extra_freed); early_told = true };
    TOUCH_EVENT;
    state = FULFILLED;
    goto done
  :: else
  fi;
#endif
  TOUCH_EVENT; /* task and team are read before the exchange */
  atomic { before = state; state = FULFILLED };
#ifdef TOUCH_AFTER
  TOUCH_EVENT;
#endif
  if
  :: before == BODY_RETURNED -> TOUCH_HEADER; FREE_EVENT(); TELL_LATE(); FINISH()
  :: before == DISCARDED -> FREE_EVENT()
  :: else
  fi;
}

proctype fulfiller() {
  byte before;
  bool early, was_last;
#ifdef OTHERS
  came++;
  OWES_LESS(OF_CLAUSE);
  if
  :: was_last
  :: else -> goto done
  fi;
#endif
  FULFIL();
done:
  ended++
}

#ifdef OTHERS
proctype others() {
  byte before, left = 2;
  bool was_last;
  do
  :: left > 0 ->
    to_come > 0;
    to_come--;
    left--;
    came++;
    OWES_LESS(1);
    if
    :: was_last -> FULFIL()
    :: else
    fi
  :: else -> break
  od;
  ended++
}
#endif

proctype child() {
  if
  :: child_waits -> DROP()
  :: child_decided && !child_waits
  fi;
  ended++
}

init {
  atomic {
#ifdef CANCELLED
    run discarder();
#else
    run runner();
#endif
    run fulfiller(); run child();
#ifdef OTHERS
    run others()
#endif
  };
#ifdef OTHERS
  ended == 4;
#else
  ended == 3;
#endif
  assert(finished == 1 && event_freed && header_freed && extra_freed);
#ifdef OBSERVED
#ifdef CANCELLED
  assert(!late_told)
#else
  assert(early_told + late_told == 1)
#endif
#endif
}
