// Implementation of rank_search.h.
#include "rank_search.h"

#include "common/report.h"
#include "rank_balance.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { PLACES = 64, NO_PLACE = -1, NODES_BETWEEN_POLLS = 256 };

/// Two threads may claim an offered node; the last of them to touch its place makes the place free again:
///
///   the task      exchanges BEGUN into it. It found OFFERED: the node is its own. GONE: it is not. In both cases the
///                 task is the last. BEING_COPIED: the node is not its own, and thread 0 is the last.
///   thread 0      changes OFFERED to BEING_COPIED: the node is the other rank's. It copies the node, then exchanges
///                 GONE into the place. It found BEING_COPIED: the task will be the last. BEGUN: thread 0 is.
enum place_state { PLACE_BEGUN, PLACE_OFFERED, PLACE_BEING_COPIED, PLACE_GONE };

struct place {
  _Atomic int state;
  _Atomic int depth; // of the node: to choose by, before the place is claimed
  struct node node;
};

/// What one thread counts and offers.
struct thread_state {
  _Alignas(128) struct totals counted; // written by the thread itself
  uint64_t tasks;
  int nodes_until_poll; // of thread 0
  /// A bit each. Taken by the thread itself, given back by the last to touch the place.
  _Alignas(128) _Atomic uint64_t free_places;
  struct place window[PLACES];
};

static struct thread_state* threads;
static int thread_count;

static void free_place(int number) {
  // release: pairs with the acquire in offer(): the task or thread that used the place is done with it.
  atomic_fetch_or_explicit(&threads[number / PLACES].free_places, UINT64_C(1) << number % PLACES, memory_order_release);
}

static struct place* place_of(int number) { return &threads[number / PLACES].window[number % PLACES]; }

/// Puts a copy of the node into the window of this thread if there is room. Returns the number of its place.
static int offer(struct thread_state* own, const struct node* node) {
  // relaxed: only this thread takes places.
  const uint64_t free_places = atomic_load_explicit(&own->free_places, memory_order_relaxed);
  if (free_places == 0) return NO_PLACE;
  const int index = __builtin_ctzll(free_places);
  // acquire: pairs with the release in free_place().
  atomic_fetch_and_explicit(&own->free_places, ~(UINT64_C(1) << index), memory_order_acquire);
  struct place* const place = &own->window[index];
  place->node = *node;
  atomic_store_explicit(&place->depth, node->depth, memory_order_relaxed); // relaxed: a hint
  // release: pairs with the acquire of the compare-exchange in claim_for_another(); the node is complete.
  atomic_store_explicit(&place->state, PLACE_OFFERED, memory_order_release);
  return (int)(own - threads) * PLACES + index;
}

/// Called by the task whose node is there: whether the node is still the task's to search.
static bool claim_own(int number) {
  // acq_rel: pairs with the exchange in claim_for_another(); the last of the two knows that the other is done.
  const int state = atomic_exchange_explicit(&place_of(number)->state, PLACE_BEGUN, memory_order_acq_rel);
  if (state != PLACE_BEING_COPIED) free_place(number);
  return state == PLACE_OFFERED;
}

/// Called by thread 0: takes the node that is on offer there, if there is one.
static bool claim_for_another(int number, struct node* node) {
  struct place* const place = place_of(number);
  int state = PLACE_OFFERED;
  // acquire: pairs with the release in offer(). relaxed on failure: the task has it.
  if (!atomic_compare_exchange_strong_explicit(&place->state, &state, PLACE_BEING_COPIED, memory_order_acquire,
                                               memory_order_relaxed))
    return false;
  *node = place->node;
  // acq_rel: pairs with the exchange in claim_own(); the node has been read.
  if (atomic_exchange_explicit(&place->state, PLACE_GONE, memory_order_acq_rel) == PLACE_BEGUN) free_place(number);
  return true;
}

struct candidate {
  int depth;
  int number;
};

static int compare_depths(const void* left, const void* right) {
  const struct candidate *a = left, *b = right;
  return a->depth != b->depth ? (a->depth > b->depth) - (a->depth < b->depth) : a->number - b->number;
}

int claim_nodes(struct node* nodes, int most) {
  struct candidate* const candidates = allocate_or_exit((uint64_t)thread_count * PLACES * sizeof *candidates);
  int offered = 0;
  for (int number = 0; number < thread_count * PLACES; number++) {
    const struct place* const place = place_of(number);
    // relaxed, both: what is decided here is checked when the place is claimed.
    if (atomic_load_explicit(&place->state, memory_order_relaxed) != PLACE_OFFERED) continue;
    candidates[offered++] = (struct candidate){atomic_load_explicit(&place->depth, memory_order_relaxed), number};
  }
  qsort(candidates, (size_t)offered, sizeof *candidates, compare_depths);
  int wanted = (offered + 1) / 2, claimed = 0;
  if (wanted > most) wanted = most;
  for (int i = 0; i < offered && claimed < wanted; i++)
    if (claim_for_another(candidates[i].number, &nodes[claimed])) claimed++;
  free(candidates);
  return claimed;
}

/// Counts `node`, which has children, and those of them that have none; makes a task for each of the others. Nothing
/// waits for these but the taskgroup around the whole search.
static void search(const struct node* node) {
  struct thread_state* const own = &threads[omp_get_thread_num()]; // a tied task stays there
  const struct totals self = count_node(node);
  add_totals(&own->counted, &self);
  own->tasks++;
  if (own == threads && (own->nodes_until_poll -= 1 + node->child_count) <= 0) {
    own->nodes_until_poll = NODES_BETWEEN_POLLS;
    balance_serve();
  }
  for (int i = 0; i < node->child_count; i++) {
    struct node child;
    make_child(node, i, &child);
    if (child.child_count == 0) {
      const struct totals leaf = count_node(&child);
      add_totals(&own->counted, &leaf);
      continue;
    }
    const int place = offer(own, &child);
#pragma omp task firstprivate(child, place)
    if (place == NO_PLACE || claim_own(place)) search(&child);
  }
}

/// Run by thread 0 of the region for the whole search. The other threads are in the barrier at its end, where they run
/// tasks.
static void search_until_all_have_ended(const struct node* root) {
  struct node nodes[MOST_NODES_IN_MESSAGE];
  int count = root != NULL;
  if (root != NULL) nodes[0] = *root;
  while (count > 0 || (count = balance_wait_for_nodes(nodes)) > 0) {
#pragma omp taskgroup
    for (; count > 0; count--) {
      const struct node node = nodes[count - 1];
#pragma omp task firstprivate(node)
      search(&node);
    }
  }
}

static void make_thread_states(bool alone) {
  thread_count = omp_get_max_threads();
  threads = aligned_alloc(128, (size_t)thread_count * sizeof *threads);
  if (threads == NULL) exit(EXIT_FAILURE);
  for (int thread = 0; thread < thread_count; thread++) {
    threads[thread] = (struct thread_state){.nodes_until_poll = NODES_BETWEEN_POLLS};
    atomic_init(&threads[thread].free_places, alone ? 0 : UINT64_MAX); // alone: no other rank would take any
  }
}

struct rank_statistics rank_search(const struct node* root) {
  make_thread_states(balance_rank_count() == 1);
#pragma omp parallel
  if (omp_get_thread_num() == 0) search_until_all_have_ended(root);

  struct rank_statistics sum = {{0, 0, 0}, 0};
  for (int thread = 0; thread < thread_count; thread++) {
    add_totals(&sum.counted, &threads[thread].counted);
    sum.tasks += threads[thread].tasks;
  }
  free(threads);
  return sum;
}
