// A LIFO for each domain (chip), for the schedulers whose chips steal from one another: mts.cpp, sherwood.cpp.
// When the LIFO of a domain is empty, one of its members, the holder of the domain's thief token, steals the oldest
// tasks of other domains, nearest first. The stolen tasks go onto its domain's LIFO, in order. The other members of an
// empty domain do not look at remote domains. A thief that found all domains empty backs off.
//
// The request word is as domains.h says.
#pragma once

#include "schedulers/scheduler.h"

namespace chomp::domain_lifos {

SchedulerState* make(const TeamShape&, StealAmount, StateMemory);
bool publish(SchedulerState*, int member, TaskBatch);
Acquired acquire(SchedulerState*, int member, const Eligible&, SchedulerCounts&);
bool set_request(SchedulerState*, int member, StealRequest);
unsigned wanted(SchedulerState*, int member);
bool has_tasks(SchedulerState*);

/// The table of a scheduler that only chooses how much a steal takes: `make_with_amount` calls make().
constexpr Scheduler scheduler(SchedulerState* (*make_with_amount)(const TeamShape&, const SchedulerSettings&,
                                                                  StateMemory)) {
  return {
      .make = make_with_amount,
      .publish = publish,
      .acquire = acquire,
      .set_request = set_request,
      .wanted = wanted,
      .has_tasks = has_tasks,
  };
}

} // namespace chomp::domain_lifos
