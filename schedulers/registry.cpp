// The only file that names all schedulers.
#include <cstring>

#include "schedulers/scheduler.h"

namespace chomp {

extern const Scheduler hierarchical_scheduler;
extern const Scheduler sherwood_scheduler;
extern const Scheduler steal_scheduler;
extern const Scheduler depth_scheduler;
extern const Scheduler central_scheduler;
extern const Scheduler lifo_scheduler;
extern const Scheduler fifo_scheduler;
extern const Scheduler nemesis_scheduler;
extern const Scheduler xqueue_scheduler;
extern const Scheduler xqueue_steal_scheduler;

namespace {

constexpr const Scheduler* kAll[] = {
    &hierarchical_scheduler, &sherwood_scheduler, &steal_scheduler,   &depth_scheduler,  &central_scheduler,
    &lifo_scheduler,         &fifo_scheduler,     &nemesis_scheduler, &xqueue_scheduler, &xqueue_steal_scheduler,
};
constexpr const char* kNames[] = {
    "hierarchical",
    "sherwood",
    "steal",
    "depth",
    "central",
    "lifo",
    "fifo",
    "nemesis",
    "xqueue",
    "xqueue-steal",
    // aliases
    "mts",
    "ws",
    "cq",
    "l",
    "q",
};

} // namespace

const Scheduler* scheduler_find(const char* name) {
  for (const Scheduler* scheduler : kAll) {
    if (strcmp(scheduler->name, name) == 0) return scheduler;
    if (scheduler->alias != nullptr && strcmp(scheduler->alias, name) == 0) return scheduler;
  }
  return nullptr;
}

const char* const* scheduler_names(int* count) {
  *count = sizeof kNames / sizeof kNames[0];
  return kNames;
}

} // namespace chomp
