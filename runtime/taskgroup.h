// Counting the tasks of a taskgroup: the inlined half of taskgroup.cpp, for the worker whose task opened the group.
#pragma once

#include "runtime/task_engine.h"
#include "runtime/team.h"

namespace chomp {

inline void taskgroup_count_created(Taskgroup* group, Worker* worker, Member* member) {
  if (CHOMP_LIKELY(group->owner_tid == member->tid))
    ++group->local_pending;
  else
    taskgroup_count_created_elsewhere(group, worker, member);
}

inline void taskgroup_count_finished(Taskgroup* group, Worker* worker, Member* member) {
  if (CHOMP_LIKELY(group->owner_tid == member->tid))
    --group->local_pending;
  else
    taskgroup_count_finished_elsewhere(group, worker, member);
}

} // namespace chomp
