// The implicit task of a member. See implicit_task.h.
#include "runtime/teams/implicit_task.h"

#include "runtime/core/counters.h"
#include "runtime/core/events.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/dependence_table.h"
#include "runtime/loops/worksharing.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/core/program_call.h"
#include "runtime/threads/affinity.h"
#include "runtime/threads/binding.h"
#include "runtime/tasks/cancel.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

void count_in_its_domain(Worker* worker, const Member* member) {
  if (CHOMP_UNLIKELY(member->physical_domain != worker->observe.counters.domain) && member->team->capacity > 1)
    counters_enter_domain(worker, member->physical_domain);
}

void implicit_task_begin(Worker* worker, Member* member, Task* encountering) {
  Task* task = &member->implicit_task;
  task->next = worker->current;
  if (CHOMP_UNLIKELY(task->taskgroup != nullptr)) taskgroups_drop(worker, task->taskgroup); // of a cancelled region
  task->taskgroup = nullptr;
  task->local_children = 0;
  task->flags = kTied | kImplicit | (member->team->size() == 1 ? encountering->flags & kFinal : 0);
  if (CHOMP_UNLIKELY(member->team->observed())) task->flags |= kObserved;
  task->extra = nullptr;
  // relaxed, all: no other thread knows the task in this incarnation.
  task->parent.store(encountering, std::memory_order_relaxed);
  uint64_t depth = encountering->identity_now() & ~uint64_t{0xffffffff};
  task->identity.store(depth + Task::kOneGeneration + (static_cast<uint64_t>(member->tid) << 16) + worker->id,
                       std::memory_order_relaxed);
  task->shared_children.store(0, std::memory_order_relaxed);
  if (member->worker != worker) member->worker = worker; // others may be reading it
  member->runs_anything = false;
  member->deque.raise_floor();
  member->deque.set_bound(spawn_bound(member->team));
  member->deals = spawn_deals(member->team);
  member->alone = member->team->serial();
  member->yields_in_vain = false;
  member->counts.reset();
  worksharing_begin_member(member);
  worker->member = member;
  worker->current = task;
  if (CHOMP_UNLIKELY(member->placement.place != worker->thread.bound_place))
    binding_follow(worker, member->placement.place);
  if (CHOMP_UNLIKELY(member->team->binding.show)) affinity_show(worker);
  count_in_its_domain(worker, member);
}

void implicit_task_announce(Worker* worker) {
  // A program may turn counting off in between: the task is observed all the same.
  if (announcing() || CHOMP_UNLIKELY(worker->current->is(kObserved))) event_implicit_begin(worker, worker->current);
}

void implicit_task_end(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  icvs_release(worker, task);
  if (announcing()) event_implicit_end(worker, task);
  if (task->extra == nullptr) return;
  if (task->extra->table != nullptr) dependence_table_free(worker, task);
  if (task->extra->event != nullptr) event_drop(worker, task);
  task_extra_free(worker, task);
}

void invoke_microtask(Worker* worker, Microtask microtask, int32_t* gtid, int32_t* tid, int argc, void** argv) {
  if (!announcing()) return chomp_invoke_microtask(microtask, gtid, tid, argc, argv);
  chomp_invoke_microtask_noted(microtask, gtid, tid, argc, argv, exit_frame_of(worker));
  if (announcing()) note_code_returned(worker);
}

void implicit_task_run(Worker* worker, Member* member) {
  Team* team = member->team;
  int32_t gtid = worker->gtid, tid = member->tid;
  if (tid == 0) {
    invoke_microtask(worker, team->call.microtask, &gtid, &tid, team->call.argc, team->call.argv);
  } else {
    StartPacket& packet = team->domain_lines[member->domain].packet;
    void** argv = packet.argc <= kStartArguments ? packet.arguments : static_cast<void**>(packet.arguments[0]);
    invoke_microtask(worker, packet.microtask, &gtid, &tid, packet.argc, argv);
  }
  cancel_meet_at_end(worker);
}

} // namespace chomp
