// Implementation of rank_balance.h.
//
// Messages: REQUEST (empty); NODES, the answer, with any number of nodes; TOKEN; FINISH (empty). A rank has one request
// on its way at most, and asks only while it is idle.
//
// Termination. Only NODES with nodes can make an idle rank active. Each rank has the number of those it sent minus
// those it received, and a colour, black once it has received some. A token goes round the ring 0, n-1, n-2 … 1, 0; an
// idle rank adds its number, makes the token black if it is black itself, becomes white, and passes it on. Rank 0
// begins the round. If the token comes back white to a white rank 0 and all numbers together are zero, there was,
// during the round, no message on its way that the sum missed, and nobody became active behind the token's back: all
// have ended. Else another round begins.
#define _POSIX_C_SOURCE 200809L

#include "rank_balance.h"

#include "common/report.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum tag { TAG_REQUEST = 1, TAG_NODES, TAG_TOKEN, TAG_FINISH };

enum { NODE_WORDS = SHA1_WORDS + 2 }; // state, depth, number of children

struct token {
  int64_t messages;
  int64_t black;
};

/// A message that MPI may still be reading.
struct sending {
  struct sending* next;
  MPI_Request request;
  _Alignas(8) char data[];
};

static MPI_Comm comm;
static claim_nodes_function* claim;
static int own_rank, rank_count;
static struct sending* sendings;
static struct balance_statistics statistics;
static uint64_t random_state;

static bool asked;    // a request is on its way, or its answer
static bool finished; // rank 0 has said so

static int64_t messages; // with nodes: sent - received
static bool black;       // has received some since the token was here
static bool has_token;
static struct token token;

static void send(const void* data, size_t bytes, int to, enum tag tag) {
  struct sending* const sending = allocate_or_exit(sizeof *sending + bytes);
  if (bytes > 0) memcpy(sending->data, data, bytes);
  sending->next = sendings;
  sendings = sending;
  MPI_Isend(sending->data, (int)bytes, MPI_BYTE, to, tag, comm, &sending->request);
}

static void free_sent(void) {
  for (struct sending** link = &sendings; *link != NULL;) {
    struct sending* const sending = *link;
    int done;
    MPI_Test(&sending->request, &done, MPI_STATUS_IGNORE);
    if (!done) {
      link = &sending->next;
      continue;
    }
    *link = sending->next;
    free(sending);
  }
}

static void pack(const struct node* node, uint32_t words[NODE_WORDS]) {
  memcpy(words, node->state, sizeof node->state);
  words[SHA1_WORDS] = (uint32_t)node->depth;
  words[SHA1_WORDS + 1] = (uint32_t)node->child_count;
}

static void unpack(const uint32_t words[NODE_WORDS], struct node* node) {
  memcpy(node->state, words, sizeof node->state);
  node->depth = (int)words[SHA1_WORDS];
  node->child_count = (int)words[SHA1_WORDS + 1];
}

static void answer_request(int from) {
  struct node nodes[MOST_NODES_IN_MESSAGE];
  uint32_t words[MOST_NODES_IN_MESSAGE * NODE_WORDS];
  MPI_Recv(NULL, 0, MPI_BYTE, from, TAG_REQUEST, comm, MPI_STATUS_IGNORE);
  const int count = claim(nodes, MOST_NODES_IN_MESSAGE);
  for (int i = 0; i < count; i++) pack(&nodes[i], &words[i * NODE_WORDS]);
  send(words, (size_t)count * NODE_WORDS * sizeof *words, from, TAG_NODES);
  if (count > 0) messages++;
  statistics.nodes_sent += (uint64_t)count;
}

/// The answer to our request.
static int receive_nodes(const MPI_Status* status, struct node* nodes) {
  uint32_t words[MOST_NODES_IN_MESSAGE * NODE_WORDS];
  int bytes;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  MPI_Recv(words, bytes, MPI_BYTE, status->MPI_SOURCE, TAG_NODES, comm, MPI_STATUS_IGNORE);
  asked = false;
  const int count = bytes / (int)(NODE_WORDS * sizeof *words);
  if (count == 0) return 0;
  for (int i = 0; i < count; i++) unpack(&words[i * NODE_WORDS], &nodes[i]);
  messages--;
  black = true;
  statistics.steals++;
  statistics.nodes_received += (uint64_t)count;
  return count;
}

/// Takes the messages that are there. Returns how many nodes have come; `*news` becomes true if anything has.
static int take_messages(struct node* nodes, bool* news) {
  int count = 0;
  for (int there = 1; there && count == 0;) {
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, &status);
    if (!there) break;
    *news = true;
    switch (status.MPI_TAG) {
    case TAG_REQUEST: answer_request(status.MPI_SOURCE); break;
    case TAG_NODES: count = receive_nodes(&status, nodes); break;
    case TAG_TOKEN:
      MPI_Recv(&token, sizeof token, MPI_BYTE, status.MPI_SOURCE, TAG_TOKEN, comm, MPI_STATUS_IGNORE);
      has_token = true;
      break;
    default: MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, TAG_FINISH, comm, MPI_STATUS_IGNORE); finished = true;
    }
  }
  free_sent();
  return count;
}

void balance_serve(void) {
  bool news = false;
  take_messages(NULL, &news); // an active rank has asked nobody, so no nodes come
}

/// The token is with an idle rank.
static void pass_token(void) {
  if (own_rank == 0 && !token.black && !black && token.messages + messages == 0) {
    for (int rank = 1; rank < rank_count; rank++) send(NULL, 0, rank, TAG_FINISH);
    finished = true;
    return;
  }
  if (own_rank == 0) {
    token = (struct token){0, false};
    statistics.probes++;
  } else {
    token.messages += messages;
    token.black |= black;
  }
  black = false;
  has_token = false;
  send(&token, sizeof token, (own_rank + rank_count - 1) % rank_count, TAG_TOKEN);
}

/// xorshift64* (Vigna 2014).
static uint64_t random_word(void) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return random_state * UINT64_C(2685821657736338717);
}

static void ask_someone(void) {
  const int other = (int)(random_word() % (uint64_t)(rank_count - 1));
  send(NULL, 0, other < own_rank ? other : other + 1, TAG_REQUEST);
  asked = true;
  statistics.requests++;
}

/// Nothing has come for `rounds` looks: ranks may share CPUs, and who has work needs them.
static void pause_for(int rounds) {
  if (rounds < 64) {
    sched_yield();
    return;
  }
  const struct timespec nap = {0, rounds < 1024 ? 20 * 1000 : 200 * 1000};
  nanosleep(&nap, NULL);
}

/// All ranks know that the search has ended. No request is left unanswered, and none is left behind: each rank comes
/// here when its own has been answered, and answers others until all have come.
static void leave_together(void) {
  MPI_Request all_here;
  int done = 0;
  MPI_Ibarrier(comm, &all_here);
  for (int rounds = 0; !done || sendings != NULL; rounds++) {
    bool news = false;
    take_messages(NULL, &news);
    if (!done) MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
    if (news) rounds = 0;
    pause_for(rounds);
  }
}

int balance_wait_for_nodes(struct node nodes[MOST_NODES_IN_MESSAGE]) {
  if (rank_count == 1) return 0;
  const double begin = seconds_now();
  int count = 0, rounds = 0, refused = 0;
  while (count == 0 && !(finished && !asked)) {
    // Having asked as many as there are in vain, it asks less often.
    if (!asked && !finished && (refused < rank_count || rounds >= 64)) {
      ask_someone();
      refused++;
      rounds = 0;
    }
    bool news = false;
    count = take_messages(nodes, &news);
    if (count == 0 && has_token && !finished) pass_token();
    rounds = news ? 0 : rounds + 1;
    if (count == 0) pause_for(rounds);
  }
  if (count == 0) leave_together();
  statistics.idle_seconds += seconds_now() - begin;
  return count;
}

void balance_begin(MPI_Comm world, claim_nodes_function* claim_nodes) {
  claim = claim_nodes;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_rank(comm, &own_rank);
  MPI_Comm_size(comm, &rank_count);
  random_state = 0x9e3779b97f4a7c15u * (uint64_t)(own_rank + 1);
  has_token = own_rank == 0;
  token = (struct token){0, true}; // nobody has looked yet
}

int balance_rank_count(void) { return rank_count; }

struct balance_statistics balance_end(void) {
  MPI_Comm_free(&comm);
  return statistics;
}
