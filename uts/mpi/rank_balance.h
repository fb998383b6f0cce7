// How the ranks of uts-mpi share a tree: a rank without work asks a rank chosen at random for some of its nodes
// (Blumofe, Leiserson: Scheduling multithreaded computations by work stealing, JACM 46(5), 1999; by messages: Dinan,
// Olivier, Sabin, Prins, Sadayappan, Tseng: Dynamic load balancing of unbalanced computations using message passing,
// IPDPS 2007); the answer may be that there are none. When all have ended is found by Safra's algorithm (Dijkstra:
// Shmuel Safra's version of termination detection, EWD 998, 1987).
//
// Every function but balance_rank_count() is called by the thread that initialised MPI, and by no other.
//
// Invariant: the nodes of the tree that are neither searched nor in a window are in messages, and each rank's
// difference of messages with nodes sent and received says so.
#ifndef UTS_RANK_BALANCE_H
#define UTS_RANK_BALANCE_H

#include "tree.h"

#include <mpi.h>

enum { MOST_NODES_IN_MESSAGE = 1024 };

struct balance_statistics {
  uint64_t requests; // made by this rank
  uint64_t steals;   // those that were answered with nodes
  uint64_t nodes_received, nodes_sent;
  uint64_t probes; // rounds of the token; rank 0 has them
  double idle_seconds;
};

/// Takes at most `most` nodes that this rank offers out of its search; returns how many. Called by the functions below.
typedef int claim_nodes_function(struct node* nodes, int most);

/// All ranks of `world`, before the search.
void balance_begin(MPI_Comm world, claim_nodes_function* claim_nodes);
int balance_rank_count(void);

/// In the middle of the search: answers what has come, and returns at once.
void balance_serve(void);

/// The rank has no work: waits for nodes of another rank. Returns how many; 0: the whole search has ended.
int balance_wait_for_nodes(struct node nodes[MOST_NODES_IN_MESSAGE]);

/// All ranks, behind the search.
struct balance_statistics balance_end(void);

#endif
