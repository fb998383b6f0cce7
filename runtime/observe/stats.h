// CHOMP_STATS: what counters.h knows, told when the process ends. And the names of schedulers, for people.
#pragma once

namespace chomp {

/// Reads the setting. Called under the start-up lock, after config_read().
void stats_start();

/// The name, not the alias, of the scheduler in force.
const char* scheduler_in_force();

struct SchedulerName {
  const char* name;  // null: there is no such number
  const char* alias; // or null
};
/// The schedulers that CHOMP_SCHEDULER can choose, numbered from 0.
SchedulerName scheduler_by_number(int number);

} // namespace chomp
