// Cancellation (OpenMP 5.2, chapter 16): a request is one word, of the team for a parallel region, loop or sections, of
// the group for a taskgroup.
//
// The word holds, beside the kind, the number of barriers that the requester had passed in the region. That number
// serves twice:
//
// A cancellation barrier must give all its members the same answer. But one of them may have passed it, gone on and
// requested a cancellation before another one looks. A member that passes barrier number n counts only requests with
// smaller numbers: those were made before their requester arrived at this barrier.
//
// A request for a loop or sections ends with the construct. No call says so (the barrier at the end of a cancelled loop
// may be a plain one), but there is always a barrier. So a request with another number than the member's own belongs to
// an earlier construct.
//
// A cancelled region has one more barrier, in which all its members meet: number n + 1, if the requester had passed n.
// A member that waits in a barrier of the program waits in this one, and leaves the region after it. The others come to
// it on their way out, if their code calls a barrier there (Clang's does, GCC's does not), or at the region's end:
// cancel_meet_at_end(). After it no barrier waits for the others, which may be in the join already.
//
// Members that have met no cancellation point may go on, and come to a single construct with copyprivate. They read
// what is on the stack of the member that has executed it, so they have to wait for one another. They do so in two
// barriers of those that are left, before and after they copy (barrier_wait_rest()). Nobody waits in vain, as each
// member comes to such a barrier or to the region's end.
//
#include "runtime/tasks/cancel.h"

#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/teams/barrier.h"

namespace chomp {

namespace {

CancelKind kind_in(uint32_t word) { return static_cast<CancelKind>(cancel_kind(word)); }

uint32_t word_of(const Member* member, CancelKind kind) {
  return cancel_word(static_cast<uint32_t>(kind), member->worksharing.barriers);
}

/// Whether the team's word says that the member has to leave its innermost region of that kind.
bool is_in_force(const Member* member, uint32_t word, CancelKind kind) {
  if (kind == CancelKind::kParallel) return kind_in(word) == kind;
  return word == word_of(member, kind);
}

bool request_in_team(Member* member, CancelKind kind) {
  uint32_t request = word_of(member, kind);
  atomic<uint32_t>& word = member->team->cancelled;
  // relaxed, all: the word carries no data; barriers order what members wrote before.
  uint32_t found = word.load(std::memory_order_relaxed);
  for (;;) {
    if (is_in_force(member, found, kind)) return true;
    if (kind_in(found) == CancelKind::kParallel) return false; // the whole region is being left
    // The word holds nothing, or a request for a loop. That loop is over, or our request is stronger: for the region.
    if (word.compare_exchange_weak(found, request, std::memory_order_relaxed)) return true;
  }
}

} // namespace

/// The innermost taskgroup region of the program around the current task, or null.
static Taskgroup* innermost_group(const Worker* worker) {
  Taskgroup* group = worker->current->taskgroup;
  while (group != nullptr && group->of_construct) group = group->parent;
  return group;
}

bool cancel_request(Worker* worker, CancelKind kind) {
  if (!config.cancellation) return false;
  if (kind != CancelKind::kTaskgroup) return request_in_team(worker->member, kind);
  Taskgroup* group = innermost_group(worker);
  if (group == nullptr) return false;
  if (CHOMP_UNLIKELY(worker->current->is(kRecords))) graph_give_up(worker); // the region is left early
  group->cancelled.store(1, std::memory_order_relaxed); // relaxed: as in request_in_team(); a task may miss it and run
  return true;
}

bool cancel_requested(const Worker* worker, CancelKind kind) {
  if (!config.cancellation) return false;
  // relaxed, both: as in cancel_request().
  if (kind != CancelKind::kTaskgroup)
    return is_in_force(worker->member, worker->member->team->cancelled.load(std::memory_order_relaxed), kind);
  const Taskgroup* group = innermost_group(worker);
  return group != nullptr && group->cancelled.load(std::memory_order_relaxed) != 0;
}

/// Whether the member has met the others in the barrier at which they leave the cancelled region.
static bool has_met(const Member* member) {
  if (!config.cancellation) return false;
  // relaxed: requests that count were made before the barrier, which orders them.
  uint32_t word = member->team->cancelled.load(std::memory_order_relaxed);
  return kind_in(word) == CancelKind::kParallel && cancel_was_before(word, member->worksharing.barriers);
}

/// Instead of a barrier after which the members have met.
CHOMP_SLOW static void skip_barrier(Worker* worker) {
  bool& copies = worker->member->worksharing.copies_in_rest;
  if (!copies) return;
  copies = false;
  barrier_wait_rest(worker);
}

static void pass_barrier(Worker* worker) {
  barrier_wait(worker);
  ++worker->member->worksharing.barriers;
}

void counted_barrier(Worker* worker) {
  if (has_met(worker->member)) return skip_barrier(worker);
  pass_barrier(worker);
}

CHOMP_SLOW static void cancellable_barrier_before_copies(Worker* worker) {
  counted_barrier(worker);
  if (!has_met(worker->member)) return;
  barrier_wait_rest(worker); // also if it has just met the others: they may have been in another barrier
  worker->member->worksharing.copies_in_rest = true;
}

void barrier_before_copies(Worker* worker) {
  if (CHOMP_UNLIKELY(config.cancellation)) return cancellable_barrier_before_copies(worker);
  pass_barrier(worker);
}

// True makes the compiled code leave the parallel region; a cancelled loop has been left before its barrier. The
// region's request stays until the next region begins, so that its tasks are discarded at the join.
bool cancel_barrier(Worker* worker) {
  counted_barrier(worker);
  return has_met(worker->member);
}

void cancel_meet_at_end(Worker* worker) {
  if (!config.cancellation) return;
  counted_barrier(worker);
  if (has_met(worker->member)) barrier_leave_rest(worker);
}

// Whether only the body of the task destroys the copies of its arguments: GCC made the task, and they are objects.
static bool destroys_in_body(Task* task) {
  return task->is(kDestructors) && task->payload()->data1.destructors == nullptr;
}

bool task_is_cancelled(Task* task, const Team* team) {
  if (team->served != nullptr) team = team->served;
  if (!config.cancellation || destroys_in_body(task)) return false;
  // relaxed, both: a task that starts although a request is on its way is allowed.
  if (kind_in(team->cancelled.load(std::memory_order_relaxed)) == CancelKind::kParallel) return true;
  for (const Taskgroup* group = task->taskgroup; group != nullptr; group = group->parent)
    if (group->cancelled.load(std::memory_order_relaxed) != 0) return true;
  return false;
}

void cancel_begin_region(Team* team) { store_if_new(team->cancelled, uint32_t{0}); }

} // namespace chomp
