// A LIFO for each domain (chip), for the schedulers whose chips steal from one another: mts.cpp, sherwood.cpp.
// When the LIFO of a domain is empty, one of its members, the holder of the domain's thief token, steals the oldest
// tasks of other domains, nearest first. The stolen tasks go onto its domain's LIFO, in order. The other members of an
// empty domain do not look at remote domains. A thief that found all domains empty backs off.
//
// Hunger is as domains.h says.
#pragma once

#include "schedulers/scheduler.h"

namespace chomp::domain_lifos {

size_t state_size(const TeamShape&);
void init(void* memory, const TeamShape&, StealAmount);
void publish(void* state, int member, TaskBatch);
Acquired acquire(void* memory, int member, const Eligible&, SchedulerCounts&);
const atomic<uint32_t>* hunger_word(void* state, int member);
void set_hungry(void* state, int member, bool hungry);
unsigned wanted(void* state, int member);
bool has_tasks(void* memory);

/// The table of a scheduler that only chooses how much a steal takes: `init_with_amount` calls init().
constexpr Scheduler scheduler(void (*init_with_amount)(void* state, const TeamShape&, const SchedulerSettings&)) {
  return {
      .state_size = state_size,
      .init = init_with_amount,
      .publish = publish,
      .acquire = acquire,
      .hunger_word = hunger_word,
      .set_hungry = set_hungry,
      .wanted = wanted,
      .has_tasks = has_tasks,
  };
}

} // namespace chomp::domain_lifos
