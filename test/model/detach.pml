// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_HOLD
// RUN: %root/test/model/run_spin %s refuted -DTOUCH_AFTER
// RUN: %root/test/model/run_spin %s verified -DCANCELLED
// RUN: %root/test/model/run_spin %s refuted -DCANCELLED -DDISCARD_FREES
// REQUIRES: spin
/* A detachable task (runtime/tasks/task_detach.cpp, merge_counts_but_hold() in task_finish.cpp;
   runtime/tasks/README.md, "Counting children"): its body returns on one worker, its event is fulfilled by another
   thread, its child runs on a third. Every hand-over is one read-modify-write, so no store buffers are needed.
   Holds: the task finishes once; event and header are freed once and touched by no thread afterwards; the extra block
   is there for the thread that finishes the task.
   NO_HOLD: the runner merges the counts without a count for the task itself. TOUCH_AFTER: the fulfilling thread reads
   the event after its exchange, whatever it found. CANCELLED: the runner discards the task, which finishes at once, and
   leaves the event to the thread that fulfils it; DISCARD_FREES: the runner frees the event itself. */

#define PENDING 0
#define BODY_RETURNED 1
#define FULFILLED 2
#define DISCARDED 3

byte state = PENDING, finished, ended;
short count; /* Task::shared_children, without its bit `merged` */
bool merged, event_freed, header_freed, extra_freed, child_waits, child_decided;

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

inline FINISH() {
  TOUCH_HEADER; /* dependences, parent, group */
  atomic { assert(!extra_freed); extra_freed = true };
  atomic { finished++; assert(finished == 1) };
  TOUCH_HEADER; /* release_memory() */
#ifdef NO_HOLD
  skip
#else
  DROP()
#endif
}

proctype runner() {
  byte plain = 0, before;
  if
  :: plain++; child_waits = true
  :: true
  fi;
  child_decided = true;
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
  TOUCH_EVENT;
  atomic { before = state; state = BODY_RETURNED };
  if
  :: before == FULFILLED -> FREE_EVENT(); FINISH()
  :: else
  fi;
  ended++
}

/* run_task_slow(): detach_discard(), then finish_task() */
proctype discarder() {
  byte before;
  child_decided = true;
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

proctype fulfiller() {
  byte before;
  TOUCH_EVENT; /* task and team are read before the exchange */
  atomic { before = state; state = FULFILLED };
#ifdef TOUCH_AFTER
  TOUCH_EVENT;
#endif
  if
  :: before == BODY_RETURNED -> TOUCH_HEADER; FREE_EVENT(); FINISH()
  :: before == DISCARDED -> FREE_EVENT()
  :: else
  fi;
  ended++
}

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
    run fulfiller(); run child()
  };
  ended == 3;
  assert(finished == 1 && event_freed && header_freed && extra_freed)
}
