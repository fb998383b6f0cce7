// Finds schedulers by name: those of list.def, and what a build adds (`chomp explore`: CHOMP_MORE_SCHEDULERS).
#include <cstring>

#include "schedulers/scheduler.h"

namespace chomp {

#define SCHEDULER(file, name, alias) extern const Scheduler file##_scheduler;
#include "schedulers/list.def"
#ifdef CHOMP_MORE_SCHEDULERS
#include CHOMP_MORE_SCHEDULERS
#endif
#undef SCHEDULER

namespace {

struct Entry {
  const Scheduler* scheduler;
  SchedulerName called;
};

constexpr Entry kAll[] = {
#define SCHEDULER(file, name, alias) {&file##_scheduler, {name, alias}},
#include "schedulers/list.def"
#ifdef CHOMP_MORE_SCHEDULERS
#include CHOMP_MORE_SCHEDULERS
#endif
#undef SCHEDULER
};
constexpr int kCount = sizeof kAll / sizeof kAll[0];

struct AllNames {
  const char* names[2 * kCount] = {};
  int count = 0;

  constexpr AllNames() {
    for (const Entry& each : kAll) names[count++] = each.called.name;
    for (const Entry& each : kAll)
      if (each.called.alias != nullptr) names[count++] = each.called.alias;
  }
};
constexpr AllNames kAllNames;

} // namespace

const Scheduler* scheduler_find(const char* name) {
  for (const Entry& each : kAll) {
    if (strcmp(each.called.name, name) == 0) return each.scheduler;
    if (each.called.alias != nullptr && strcmp(each.called.alias, name) == 0) return each.scheduler;
  }
  return nullptr;
}

SchedulerName scheduler_name(const Scheduler* scheduler) {
  for (const Entry& each : kAll)
    if (each.scheduler == scheduler) return each.called;
  return {};
}

SchedulerName scheduler_by_number(int number) {
  return number >= 0 && number < kCount ? kAll[number].called : SchedulerName{};
}

const char* const* scheduler_names(int* count) {
  *count = kAllNames.count;
  return kAllNames.names;
}

} // namespace chomp
