// A deque for each member, for the schedulers that steal from one core to another: steal.cpp, depth.cpp. The member
// publishes and takes at the newest end; others take the oldest task, one at a time, going round from a different place
// each time. Hunger is one word for the team.
#pragma once

#include "schedulers/scheduler.h"

namespace chomp::member_deques {

size_t state_size(const TeamShape&);
void init(void* memory, const TeamShape&, const SchedulerSettings&);
void publish(void* state, int member, TaskBatch);
Acquired acquire(void* memory, int member, const Eligible&, SchedulerCounts&);
const std::atomic<uint32_t>* hunger_word(void* state, int member);
void set_hungry(void* state, int member, bool hungry);
unsigned wanted(void* state, int member);
bool has_tasks(void* memory);

} // namespace chomp::member_deques
