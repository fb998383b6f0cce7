// RUN: %root/test/model/run_spin %s verified
// RUN: %root/test/model/run_spin %s refuted -DNO_REPAIR
// RUN: %root/test/model/run_spin %s refuted -DONLY_CLEARED
// RUN: %root/test/model/run_spin %s refuted -DLEAVES_FIRST
// RUN: %root/test/model/run_spin %s refuted -DPUBLISHED_EARLY
// REQUIRES: spin
/* A fork() while another thread changes the table of marked blocks (runtime/base/marked_blocks.cpp;
   runtime/base/README.md, "What the child of a fork() finds"). A thread marks four blocks, whose homes are any; the
   third mark makes the table grow. Then it removes marks in any order. The child gets the memory as it is between any
   two stores, repairs it, and looks.
   Holds: the child finds each block that is marked and none that is not, the one that was just changing either way; and
   when it removes a mark, no second one is left.
   NO_REPAIR: the child takes the table as it is. ONLY_CLEARED: the child clears the second copy, and moves nothing into
   the gap. LEAVES_FIRST: an entry leaves its old slot before it stands in the new one. PUBLISHED_EARLY: a larger table
   is published before it is full.
   Beside the tests it shows: each pair of stores, and all homes. */

#define BLOCKS 4
#define SMALL 1 /* 4 slots, at slot[0] */
#define LARGE 2 /* 8 slots, at slot[4] */
#define SLOTS 12
#define MASK(table) (table == SMALL -> 3 : 7)
#define PARENT 0
#define CHILD SLOTS /* where the child's copy is */
#define AT(whose, table, i) (whose + (table == SMALL -> 0 : 4) + (i))
#define HOME(table, block) (home[block] & MASK(table))
#define NEXT(table, i) ((i + 1) & MASK(table))

byte home[BLOCKS + 1]; /* in the large table */
byte slot[2 * SLOTS];
byte table = SMALL;

mtype = { absent, changes, present };
mtype known[BLOCKS + 1] = absent; /* what the program knows of its marks */

inline FIND(whose, which, block, i) {
  i = HOME(which, block);
  do
  :: slot[AT(whose, which, i)] == 0 || slot[AT(whose, which, i)] == block -> break
  :: else -> i = NEXT(which, i)
  od
}

inline REMOVE(whose, which, i, from) { /* remove_locked() */
  from = NEXT(which, i);
  do
  :: slot[AT(whose, which, from)] == 0 -> break
  :: else ->
     if
     :: ((from - HOME(which, slot[AT(whose, which, from)])) & MASK(which)) < ((from - i) & MASK(which))
     :: else ->
#ifdef LEAVES_FIRST
        moved = slot[AT(whose, which, from)];
        slot[AT(whose, which, from)] = 0;
        slot[AT(whose, which, i)] = moved;
#else
        slot[AT(whose, which, i)] = slot[AT(whose, which, from)];
#endif
        i = from
     fi;
     from = NEXT(which, from)
  od;
  slot[AT(whose, which, i)] = 0
}

active proctype marks() {
  byte block, i, from, moved, removed;
  atomic {
    home[1] = 7; /* what counts is where the others are from there */
    block = 2;
    do
    :: block > BLOCKS -> break
    :: else -> select(i : 0 .. 7); home[block] = i; block++
    od;
    block = 1
  };
  do
  :: block > BLOCKS -> break
  :: else ->
     if
     :: block == 3 -> /* grow_locked() */
#ifdef PUBLISHED_EARLY
        table = LARGE;
#endif
        from = 0;
        do
        :: from == 4 -> break
        :: else ->
           if
           :: slot[AT(PARENT, SMALL, from)] != 0 ->
              d_step { FIND(PARENT, LARGE, slot[AT(PARENT, SMALL, from)], i) };
              slot[AT(PARENT, LARGE, i)] = slot[AT(PARENT, SMALL, from)]
           :: else
           fi;
           from++
        od;
        table = LARGE;
        slot[0] = 0; slot[1] = 0; slot[2] = 0; slot[3] = 0 /* free() */
     :: else
     fi;
     d_step { FIND(PARENT, table, block, i); known[block] = changes };
     slot[AT(PARENT, table, i)] = block;
     known[block] = present;
     block++
  od;
  do
  :: removed == BLOCKS -> break
  :: else ->
     select(block : 1 .. BLOCKS);
     if
     :: known[block] == present ->
        d_step { FIND(PARENT, table, block, i); known[block] = changes };
        REMOVE(PARENT, table, i, from);
        known[block] = absent;
        removed++
     :: else
     fi
  od
}

active proctype forks() {
  byte in, i, j, from, moved;
  d_step { /* the child, alone with its copy */
    in = table;
    i = 0;
    do
    :: i == SLOTS -> break
    :: else -> slot[CHILD + i] = slot[i]; i++
    od;
#ifndef NO_REPAIR
    j = 0;
    do /* marked_blocks_reset_after_fork() */
    :: j > MASK(in) -> break
    :: else ->
       if
       :: slot[AT(CHILD, in, j)] != 0 ->
          FIND(CHILD, in, slot[AT(CHILD, in, j)], i);
          if
          :: i != j ->
#ifdef ONLY_CLEARED
             slot[AT(CHILD, in, j)] = 0;
#else
             REMOVE(CHILD, in, j, from);
#endif
             break
          :: else
          fi
       :: else
       fi;
       j++
    od;
#endif
    j = 1;
    do
    :: j > BLOCKS -> break
    :: else ->
       FIND(CHILD, in, j, i);
       assert(known[j] != present || slot[AT(CHILD, in, i)] == j);
       assert(known[j] != absent || slot[AT(CHILD, in, i)] == 0);
       if
       :: slot[AT(CHILD, in, i)] == j ->
          REMOVE(CHILD, in, i, from);
          FIND(CHILD, in, j, i);
          assert(slot[AT(CHILD, in, i)] == 0)
       :: else
       fi;
       j++
    od
  }
}
