// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_LATE
// RUN: %root/test/model/run_spin %s refuted -DSUM
// RUN: %root/test/model/run_spin %s verified -DPAIRS
// RUN: %root/test/model/run_spin %s refuted -DPAIRS -DCOUNT_LATE
// REQUIRES: spin
/* When a loop may be dealt, and when chips may hold units of it (runtime/loops/loop_front.cpp: note_piece(), remember();
   runtime/loops/README.md, "The front of a loop"): members take single units off the front, in run after run of a loop
   in which unit WAITS ends when unit WAITS + 1 has. PAIRS: each second unit does so, and rows of two units let chips hold.
   Holds: the loop is never dealt, no chip holds a unit, and each run ends.
   COUNT_LATE: a unit is proved though a later one had begun when it ended. SUM: rows are added up wherever they begin.
   Beside tools/explore it shows: all orders in which members take units, end them and tell of them. */

#define MEMBERS 3
#define UNITS 4 /* without the last one */
#define WAITS 1
#define RUNS 3
#ifdef PAIRS
#define WAITS_FOR_NEXT(unit) ((unit) % 2 == 0)
#else
#define WAITS_FOR_NEXT(unit) ((unit) == WAITS)
#endif

byte next;      /* SharedLoop::taken */
byte proved;    /* LoopMemory::proved */
bool ended[UNITS];
byte arrived, run_number;

/* remember(): one compare-exchange */
inline TELL() {
  atomic {
#ifdef PAIRS
    assert(row_end - row_first < 2) /* or a chip holds units */
#else
#ifdef SUM
    proved = proved + row_end - row_first;
    row_first = row_end;
#else
    if
    :: row_first <= proved && proved < row_end -> proved = row_end
    :: else
    fi;
#endif
    assert(proved < UNITS) /* or the loop is dealt */
#endif
  }
}

proctype member() {
  byte unit, row_first, row_end, run_seen;
  do
  :: run_seen < RUNS ->
     row_first = 0; row_end = 0;
     do
     :: atomic { next < UNITS -> /* take_batch() */
          unit = next;
          next++;
          if
          :: unit != row_end -> row_first = unit; row_end = unit
          :: else
          fi
        };
        if
        :: WAITS_FOR_NEXT(unit) -> ended[unit + 1]
        :: else
        fi;
        ended[unit] = true;
        if /* later_ones_begun() */
#ifndef COUNT_LATE
        :: next != unit + 1
#endif
        :: else -> row_end = unit + 1
        fi;
        if
        :: TELL()
        :: skip
        fi
     :: atomic { next >= UNITS -> break }
     od;
     TELL();
     atomic { /* the barrier; who comes last begins the next run */
       unit = 0; row_first = 0; row_end = 0;
       run_seen++;
       arrived++;
       if
       :: arrived == MEMBERS ->
          arrived = 0; next = 0; run_number++;
          ended[0] = false; ended[1] = false; ended[2] = false; ended[3] = false
       :: else
       fi
     };
     run_number == run_seen
  :: else -> break
  od
}

init {
  atomic { byte i; for (i : 1 .. MEMBERS) { run member() } }
}
