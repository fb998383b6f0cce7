// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_LEFTOVERS
// RUN: %root/test/model/run_spin %s refuted -DYIELD_FORGETS
// RUN: %root/test/model/run_spin %s refuted -DCOUNTED_LATE
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_FIRST
// RUN: %root/test/model/run_spin %s refuted -DNO_ANNOUNCEMENT
// REQUIRES: spin
/* Termination of a taskgroup (runtime/tasks/taskgroup.cpp; runtime/tasks/README.md, "Taskgroups"). The owner makes P,
   in its private deque; a worker may steal it. P makes Y, in the private deque of the thread that runs P, which the
   other one may steal, and perhaps the detachable X, which a thread outside the team completes. A P that was stolen may
   yield: it leaves Y behind, and either thread runs its next part. Only what is exported is counted, in one word.
   Holds: taskgroup_end() returns when, and only when, all have finished; the owner does not sleep for ever.
   NO_LEFTOVERS: an exported task counts as finished while what it made is still in the private deque. YIELD_FORGETS: a
   task that yields does not make public what it leaves. COUNTED_LATE: a thief counts after the victim can see that the
   task is gone. COUNT_FIRST: the owner reads the count before it looks at its deque. NO_ANNOUNCEMENT: the owner parks
   without saying so in the word.
   Beside tools/explore it shows: all ways in which the last tasks of a group and its owner can end at once. */

#define OWNER 0
#define WORKER 1
#define K_WAITING 1
#define K_TASK 2
#define GONE 0 /* a task in a private deque: gone, or never there */
#define PRIVATE 1
#define RESERVED 2 /* a thief has it: the deque's owner can neither pop it nor see it gone (forced_steal.pml) */

/* Read-modify-writes and locked accesses only: no store buffers. */
byte pending; /* Taskgroup::pending */
byte p, y[2]; /* in the owner's deque; in the deque of the worker that ran P */
byte unfinished, ended;
bool left_public, part; /* in queues of all: what P has left, P's next part */
bool p_done, x_detached, asleep, group_gone;

inline COUNT() { atomic { assert(!group_gone); pending = pending + K_TASK } }
inline FINISHED() {
  atomic {
    assert(!group_gone);
    unfinished--;
    pending = pending - K_TASK;
    if
    :: pending == K_WAITING -> asleep = false
    :: else
    fi
  }
}

inline TAKE(queue) { atomic { queue -> queue = false } }

inline EXPORT(task) {
#ifdef COUNTED_LATE
  task = GONE;
  COUNT()
#else
  COUNT();
  task = GONE
#endif
}

/* P, run by `me`, makes perhaps X, which the outsider completes, and Y, which stays private. */
inline BODY_OF_P(me) {
  if
  :: atomic { unfinished++ }; COUNT(); x_detached = true
  :: true
  fi;
  atomic { unfinished++; y[me] = PRIVATE };
  p_done = true
}

proctype owner() {
  bool over, none;
  atomic { unfinished++; p = PRIVATE };
  do
  :: atomic { p == PRIVATE -> p = GONE }; BODY_OF_P(OWNER); atomic { unfinished-- }
  :: atomic { y[OWNER] == PRIVATE -> y[OWNER] = GONE; unfinished-- }
  :: atomic { y[WORKER] == PRIVATE -> y[WORKER] = RESERVED }; EXPORT(y[WORKER]); FINISHED()
  :: TAKE(left_public); FINISHED()
  :: TAKE(part); FINISHED()
  :: true ->
#ifdef COUNT_FIRST
     over = pending < K_TASK;
     none = p == GONE && y[OWNER] == GONE;
#else
     none = p == GONE && y[OWNER] == GONE;
     over = pending < K_TASK;
#endif
     if
     :: over && none -> break
     :: none && !over -> /* park() */
#ifndef NO_ANNOUNCEMENT
        atomic { pending = pending | K_WAITING };
#endif
        atomic {
          if
          :: pending >= K_TASK -> asleep = true
          :: else
          fi
        };
        !asleep;
        atomic { pending = pending & ~K_WAITING }
     :: else
     fi;
     over = false; none = false
  od;
  assert(unfinished == 0);
  group_gone = true;
  ended++
}

proctype worker() {
  if
  :: atomic { p == PRIVATE -> p = RESERVED };
     EXPORT(p);
     BODY_OF_P(WORKER);
     if
     :: true -> /* it yields */
#ifndef YIELD_FORGETS
        if
        :: atomic { y[WORKER] == PRIVATE -> y[WORKER] = RESERVED }; EXPORT(y[WORKER]); left_public = true
        :: y[WORKER] == GONE
        fi;
#endif
        part = true
     :: true -> /* it ends */
#ifndef NO_LEFTOVERS
        if
        :: atomic { y[WORKER] == PRIVATE -> y[WORKER] = GONE; unfinished-- }
        :: y[WORKER] == GONE
        fi;
#endif
        FINISHED()
     fi;
     do
     :: atomic { y[WORKER] == PRIVATE -> y[WORKER] = GONE; unfinished-- }
     :: TAKE(left_public); FINISHED()
     :: TAKE(part); FINISHED()
     :: y[WORKER] == GONE && !left_public && !part -> break
     od
  :: atomic { y[OWNER] == PRIVATE -> y[OWNER] = RESERVED }; EXPORT(y[OWNER]); FINISHED()
  :: p_done && p == GONE && y[OWNER] == GONE
  fi;
  ended++
}

proctype outsider() {
  if
  :: x_detached -> FINISHED()
  :: p_done && !x_detached
  fi;
  ended++
}

init {
  atomic { run owner(); run worker(); run outsider() };
  ended == 3
}
