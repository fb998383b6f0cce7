// What one rank of uts-mpi does: search its share of the tree with OpenMP tasks, which the runtime balances between the
// rank's threads, and keep some nodes on offer for other ranks. Called by uts_mpi.c; calls rank_balance.c.
//
// Threads and MPI. The whole search is one parallel region. Its thread 0, which initialised MPI, is the only one that
// calls it (MPI_THREAD_FUNNELED): in the middle of the tasks that happen to run on it, every so many nodes, to
// serve other ranks; and when the rank has nothing to do, to ask for work. So no thread is lost to communication, and
// no lock of MPI's is on anybody's path.
//
// The window. Tasks that wait in the runtime's queues cannot be taken out again. So each thread has a window of up to
// 64 of the tasks that it made, with copies of their nodes: who wants to give a node away claims it there, and a
// task claims its own node before it searches it; whoever comes first has it, and a task that comes too late ends at
// once. A new task gets a place while there is one, so what lies in the window is old: the upper nodes of the tree,
// whose turn comes last because tasks are taken newest first. A full window costs one load a task.
//
// Invariant: each node is searched by exactly one rank. It is in a task that has no place in a window, or in a place
// that is claimed once, or in a message.
#ifndef UTS_RANK_SEARCH_H
#define UTS_RANK_SEARCH_H

#include "tree.h"

struct rank_statistics {
  struct totals counted; // by this rank
  uint64_t tasks;
};

/// Searches the tree together with the other ranks; `root` is null on all of them but one. Returns when all have ended.
struct rank_statistics rank_search(const struct node* root);

/// For balance_begin(); called on thread 0. Claims at most `most` nodes, half of those on offer (one of one), those
/// nearest to the root first. Returns how many.
int claim_nodes(struct node* nodes, int most);

#endif
