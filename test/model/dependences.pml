// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_LATE
// RUN: %root/test/model/run_spin %s refuted -DNEXT_LATE
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_CLOSE
// RUN: %root/test/model/run_spin %s refuted -DFORGET_APART
// REQUIRES: spin
/* Dependences (runtime/dependences/dependence_node.cpp, predecessor_finished() in dependence_release.cpp;
   runtime/dependences/README.md, "Dependences"): the parent's worker creates S, which depends on A and B, then T, which
   depends on A, and forgets A and B; A finishes on another worker, B on a third one or on the parent's own, which then
   closes B's list without a read-modify-write.
   Holds: S and T become ready once, after everything that they depend on, and are touched by no worker afterwards; the
   nodes of A and B are freed once, and touched by no worker afterwards.
   COUNT_LATE: the number of predecessors is stored when the edges are linked. NEXT_LATE: the finisher reads on in its
   list after it has counted. PLAIN_CLOSE: another worker closes a list without a read-modify-write. FORGET_APART: the
   table first looks whether the list is closed, then sets its bit.
   Beside tools/explore it shows: all ways in which a predecessor can finish while successors are added. */

#define THREADS 3 /* the parent's worker, that of A, that of B */
#define VARIABLES 7
#define BUFFER 3
#define LIST 0        /* + A, B: DependenceNode::successors */
#define COUNT 2       /* + S, T: DependenceNode::predecessors */
#define NEXT 4        /* Edge::next of S after A, S after B, T after A */
#include "store_buffer.inc"

#define A 0
#define B 1
#define S 0
#define T 1
#define FORGOTTEN 1 /* values of a list */
#define CLOSED 2
#define EDGE_S 4
#define EDGE_T 8

#ifdef PLAIN_CLOSE
#define CLOSE_ELSEWHERE true
#else
#define CLOSE_ELSEWHERE false
#endif

bool done[2], freed[2], ready[2];
byte b_runs_on, b_moment, ended;

#define TOUCH(n) assert(!freed[n])
#define TOUCH_SINK(s) assert(!ready[s])

inline FREE(n) { atomic { assert(!freed[n]); freed[n] = true } }

inline READY(s) {
  atomic {
    assert(!ready[s] && done[A] && (s == T || done[B]));
    ready[s] = true /* and at once it has run, and is gone */
  }
}

#define NEXT_OF(e, n) (NEXT + ((e) == EDGE_T -> 2 : (n)))

/* release() in dependence_release.cpp, by thread `me`; `plain`: it is the parent's worker */
inline FINISH(me, n, plain) {
  done[n] = true;
  TOUCH(n);
  if
  :: plain -> word = LOAD(me, LIST + n); STORE(me, LIST + n, CLOSED)
  :: else -> atomic { RMW(me) -> word = mem[LIST + n]; mem[LIST + n] = CLOSED }
  fi;
  if
  :: (word & FORGOTTEN) != 0 -> FREE(n); word = word - FORGOTTEN
  :: else
  fi;
  do
  :: word == 0 -> break
  :: else ->
    sink = (word == EDGE_T -> T : S);
    TOUCH_SINK(sink);
#ifndef NEXT_LATE
    following = LOAD(me, NEXT_OF(word, n));
#endif
    count = LOAD(me, COUNT + sink);
    if
    :: count == 1
    :: else -> atomic { RMW(me) -> TOUCH_SINK(sink); count = mem[COUNT + sink]; mem[COUNT + sink] = count - 1 }
    fi;
    if
    :: count == 1 -> READY(sink)
    :: else
    fi;
#ifdef NEXT_LATE
    TOUCH_SINK(sink);
    following = LOAD(me, NEXT_OF(word, n));
#endif
    word = following
  od;
  word = 0; sink = 0; following = 0; count = 0
}

/* edge_link() */
inline LINK(n, edge) {
  references[n]--;
  forgets = (references[n] == 0 -> FORGOTTEN : 0);
  TOUCH(n);
  word = LOAD(0, LIST + n);
  do
  :: word == CLOSED ->
    if
    :: forgets != 0 -> FREE(n)
    :: else
    fi;
    too_late++;
    break
  :: else ->
    STORE(0, NEXT_OF(edge, n), word);
    atomic {
      RMW(0) -> TOUCH(n);
      if
      :: mem[LIST + n] == word -> mem[LIST + n] = edge + forgets; count = 1
      :: else -> word = mem[LIST + n]; count = 0
      fi
    };
    if
    :: count == 1 -> break
    :: else
    fi
  od;
  word = 0; count = 0; forgets = 0
}

/* The table lets go of a slot: dependence_node_drop_table_reference(). */
inline DROP(n) {
  references[n]--;
  if
  :: references[n] == 0 ->
    TOUCH(n);
#ifdef FORGET_APART
    word = LOAD(0, LIST + n);
    if
    :: word == CLOSED -> FREE(n)
    :: else -> STORE(0, LIST + n, (word | FORGOTTEN))
    fi;
#else
    atomic { RMW(0) -> word = mem[LIST + n]; mem[LIST + n] = (word | FORGOTTEN) };
    if
    :: word == CLOSED -> FREE(n)
    :: else
    fi;
#endif
    word = 0
  :: else
  fi
}

inline GATHERED(n) { word = LOAD(0, LIST + n); unfinished = (word != CLOSED); word = 0 }

#define HELP(moment)                                                                                                     \
  if                                                                                                                     \
  :: b_runs_on == 0 && b_moment == moment -> FINISH(0, B, true)                                                          \
  :: else                                                                                                                \
  fi

inline COUNTED(s, edges) { /* the end of dependence_node_link(), and of tasks that wait for nothing */
#ifdef COUNT_LATE
  STORE(0, COUNT + s, edges);
#endif
  if
  :: edges == 0 -> READY(s)
  :: edges != 0 && too_late != 0 ->
    atomic { RMW(0) -> TOUCH_SINK(s); count = mem[COUNT + s]; mem[COUNT + s] = count - too_late };
    if
    :: count == too_late -> READY(s)
    :: else
    fi
  :: else
  fi;
  too_late = 0; count = 0
}

proctype creator() {
  byte references[2] = 1, word, count, sink, following, forgets, too_late, edges;
  bool unfinished, after_a;
  HELP(0);
  /* S: it joins a generation, so that the slot of A stays; B's is handed over. */
  GATHERED(A);
  after_a = unfinished;
  if
  :: after_a -> references[A]++; edges++
  :: else -> DROP(A)
  fi;
  GATHERED(B);
  edges = edges + unfinished;
#ifndef COUNT_LATE
  STORE(0, COUNT + S, edges);
#endif
  if
  :: after_a -> LINK(A, EDGE_S)
  :: else
  fi;
  if
  :: unfinished -> LINK(B, EDGE_S)
  :: else -> DROP(B)
  fi;
  COUNTED(S, edges);
  edges = 0;
  HELP(1);
  /* T, or nothing: then the table forgets A while it runs, perhaps. */
  if
  :: references[A] == 0 -> READY(T)
  :: references[A] != 0 ->
    if
    :: GATHERED(A);
      if
      :: unfinished ->
        edges = 1;
#ifndef COUNT_LATE
        STORE(0, COUNT + T, 1);
#endif
        LINK(A, EDGE_T)
      :: else -> DROP(A)
      fi;
      COUNTED(T, edges)
    :: DROP(A); (done[A]); READY(T)
    fi
  fi;
  edges = 0;
  HELP(2);
  ended++
}

proctype finisher(byte me; byte n) {
  byte word, count, sink, following;
  FINISH(me, n, CLOSE_ELSEWHERE);
  ended++
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2);
    if
    :: b_runs_on = 0; ended = 1;
      if
      :: b_moment = 0
      :: b_moment = 1
      :: b_moment = 2
      fi
    :: b_runs_on = 2; run finisher(2, B)
    fi;
    run finisher(1, A);
    run creator()
  };
  ended == 3 && len(buffer[0]) == 0 && len(buffer[1]) == 0 && len(buffer[2]) == 0;
  assert(ready[S] && ready[T] && freed[A] && freed[B])
}
