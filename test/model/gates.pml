// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DPLAIN_CLOSE
// RUN: %root/test/model/run_spin %s refuted -DRELEASE_EARLY
// RUN: %root/test/model/run_spin %s refuted -DCOUNT_LATE
// RUN: %root/test/model/run_spin %s refuted -DDROP_EARLY
// REQUIRES: spin
/* Gates of transparent tasks (transparent_import(), transparent_export(), gate_open() in
   runtime/dependences/dependence_release.cpp; README.md there, "Transparent tasks"): a task makes P, then the
   transparent task T, then S, which depends on T. T makes a child C. So there are two gates, and a chain
   P -> G -> C -> T -> S: G is what T imports, and the node of T becomes the gate that S waits for. Thread 0 runs the
   parent, thread 1 P and then C, thread 2 T. Each may come to any point before the others go on.
   Holds: C becomes ready once, after P; S once, after T and C. The nodes of G, C and T are freed once, and touched by
   nobody afterwards.
   PLAIN_CLOSE: a gate closes its list by a plain store. RELEASE_EARLY: T releases what depends on it before it becomes
   a gate. COUNT_LATE: the number of predecessors is stored when the edges are linked. DROP_EARLY: the table of T drops
   a node without a look whether its list is closed. One edge per list; dependences.pml has more.
   Beside tools/explore it shows: all ways in which the two tables' workers and a finisher meet at a gate. */

#define THREADS 3
#define VARIABLES 9
#define BUFFER 3
#define LIST 0  /* + P, G, C, T: DependenceNode::successors */
#define COUNT 4 /* + G, C, T, S: DependenceNode::predecessors */
#include "store_buffer.inc"

#define P 0
#define G 1
#define C 2
#define T 3
#define S 4
#define SINK(n) ((n) + 1)
#define IS_GATE(n) ((n) == G || (n) == T)
#define FORGOTTEN 1 /* values of a list */
#define CLOSED 2
#define EDGE 4

bool done[4], freed[4], ready[5], spawned;
byte ended;

#define TOUCH(n) assert(!freed[n])
#define TOUCH_SINK(n) assert(!ready[n])

inline FREE(n) { atomic { assert(!freed[n]); freed[n] = true } }

/* The task goes to another thread, by something that releases what this one has stored. */
inline READY(me, n) {
  atomic {
    RMW(me) -> assert(!ready[n] && (n == C -> done[P] : done[T] && done[C]));
    ready[n] = true
  }
}

/* release() of a task, or gate_open(), and what opens thereby */
inline FINISH(me, first) {
  node = first;
  do
  :: true ->
    TOUCH(node);
#ifdef PLAIN_CLOSE
    if
    :: IS_GATE(node) && node != first -> word = LOAD(me, LIST + node); STORE(me, LIST + node, CLOSED)
    :: else -> atomic { RMW(me) -> word = mem[LIST + node]; mem[LIST + node] = CLOSED }
    fi;
#else
    atomic { RMW(me) -> word = mem[LIST + node]; mem[LIST + node] = CLOSED };
#endif
    if
    :: (word & FORGOTTEN) != 0 -> FREE(node)
    :: else
    fi;
    if
    :: word < EDGE -> break
    :: else -> COUNT_DOWN(me, SINK(node))
    fi;
    if
    :: count != 1 -> break
    :: count == 1 && IS_GATE(SINK(node)) -> node = SINK(node)
    :: count == 1 && !IS_GATE(SINK(node)) -> READY(me, SINK(node)); break
    fi
  od;
  node = 0; word = 0; count = 0
}

inline COUNT_DOWN(me, n) {
  atomic { RMW(me) -> TOUCH_SINK(n); count = mem[COUNT + n]; mem[COUNT + n] = count - 1 }
}

/* dependence_node_link() for the one edge to n, and the caller's answer if that has finished; `forgets` as in
   edge_link() */
inline LINK(me, n, forgets) {
#ifndef COUNT_LATE
  STORE(me, COUNT + SINK(n), 1);
#endif
  TOUCH(n);
  atomic {
    RMW(me) -> word = mem[LIST + n];
    if
    :: word != CLOSED -> mem[LIST + n] = word + EDGE + forgets
    :: else
    fi
  };
#ifdef COUNT_LATE
  STORE(me, COUNT + SINK(n), 1);
#endif
  if
  :: word == CLOSED ->
    if
    :: forgets != 0 -> FREE(n)
    :: else
    fi;
    COUNT_DOWN(me, SINK(n));
    if
    :: count == 1 && IS_GATE(SINK(n)) -> FINISH(me, SINK(n))
    :: count == 1 && !IS_GATE(SINK(n)) -> READY(me, SINK(n))
    :: else
    fi
  :: else
  fi;
  word = 0; count = 0
}

/* The table of T lets go of a node: dependence_node_drop_table_reference(). */
inline DROP(n) {
  TOUCH(n);
#ifdef DROP_EARLY
  atomic { RMW(2) -> word = mem[LIST + n]; mem[LIST + n] = (word == CLOSED -> CLOSED : word | FORGOTTEN) };
#else
  atomic { RMW(2) -> word = mem[LIST + n]; mem[LIST + n] = (word | FORGOTTEN) };
  if
  :: word == CLOSED -> FREE(n)
  :: else
  fi;
#endif
  word = 0
}

inline GATHER(me, n) { TOUCH(n); word = LOAD(me, LIST + n); unfinished = (word != CLOSED); word = 0 }

bool imports; /* T's table has the gate; written before T is spawned */

proctype parent() {
  byte node, word, count;
  bool unfinished;
  GATHER(0, P);
  imports = unfinished;
  if
  :: imports -> LINK(0, P, 0)
  :: else
  fi;
  atomic { RMW(0) -> spawned = true };
  GATHER(0, T);
  if
  :: unfinished -> LINK(0, T, FORGOTTEN)
  :: else -> FREE(T); READY(0, S)
  fi;
  ended++
}

proctype first_and_child() {
  byte node, word, count;
  done[P] = true;
  FINISH(1, P);
  ready[C];
  done[C] = true;
  FINISH(1, C);
  ended++
}

proctype transparent() {
  byte node, word, count;
  bool unfinished;
  spawned;
  if
  :: imports -> GATHER(2, G)
  :: else
  fi;
  if
  :: imports && unfinished -> LINK(2, G, 0)
  :: else -> READY(2, C)
  fi;
  done[T] = true;
#ifdef RELEASE_EARLY
  FINISH(2, T);
#endif
  GATHER(2, C);
#ifndef RELEASE_EARLY
  if
  :: unfinished -> LINK(2, C, 0)
  :: else -> FINISH(2, T)
  fi;
#endif
  if
  :: imports -> DROP(G)
  :: else
  fi;
  DROP(C);
  ended++
}

init {
  atomic {
    run drain(0); run drain(1); run drain(2);
    run parent(); run first_and_child(); run transparent()
  };
  ended == 3 && len(buffer[0]) == 0 && len(buffer[1]) == 0 && len(buffer[2]) == 0;
  assert(ready[C] && ready[S] && freed[T] && freed[C] && (freed[G] || !imports))
}
