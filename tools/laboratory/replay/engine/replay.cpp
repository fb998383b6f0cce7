// chomp-replay: performs a graph as an OpenMP program, on the virtual machine (tools/laboratory/virtual, "Scaling").
// Each task of the graph is a task of the real runtime, which computes for as long as it did when it was recorded.
// Regions, waits, taskgroups, barriers, dependences, priorities and events are what the recorded program asked for.
//
//   chomp-replay [--overheads FILE] [--cores N] SOURCE…     several recordings of one program: the shortest times count
//
// tools/scale replay runs it, and reads the line of JSON that it prints. It calls the entry points that Clang's code
// calls for tasks, since no pragma takes a clause that is known at run time only. Nothing of it is instrumented:
// reading the graph takes no virtual time.
//
// The threads are fibers of one thread of the kernel, and change only inside the runtime: plain counters do.
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <omp.h>

#include "abi/chomp.h"
#include "graph.h"
#include "sources.h"

using namespace chomp::simulate;

extern "C" {
// The machine's: the thread works for so many picoseconds; the program writes or reads 8 bytes.
void chomp_virtual_work(uint64_t ps);
void __tsan_write8(void* at);
void __tsan_read8(void* at);

// Clang's entry points. The library knows the thread without being told its number.
struct Location {
  int32_t reserved, flags, more[2];
  const char* source;
};
struct DependInfo {
  uint64_t address;
  size_t bytes;
  uint8_t flags;
};
void* __kmpc_omp_task_alloc(Location*, int32_t, int32_t flags, size_t bytes, size_t shareds,
                            int32_t (*entry)(int32_t, void*));
int32_t __kmpc_omp_task(Location*, int32_t, void* task);
int32_t __kmpc_omp_task_with_deps(Location*, int32_t, void* task, int32_t, DependInfo*, int32_t, DependInfo*);
void __kmpc_omp_wait_deps(Location*, int32_t, int32_t, DependInfo*, int32_t, DependInfo*);
void __kmpc_omp_task_begin_if0(Location*, int32_t, void* task);
void __kmpc_omp_task_complete_if0(Location*, int32_t, void* task);
void __kmpc_taskgroup(Location*, int32_t);
void __kmpc_end_taskgroup(Location*, int32_t);
void* __kmpc_task_allow_completion_event(Location*, int32_t, void* task);
}

namespace {

constexpr int32_t kTied = 1, kHasPriority = 0x20, kDetachable = 0x40;

struct ReplayedTask {
  // As Clang's code lays a task out.
  void* shareds;
  int32_t (*entry)(int32_t, void*);
  int32_t part;
  void* destructors;
  int32_t priority;
  // The task's own data.
  TaskId id;
  uint32_t next; // operation
  int made_on;   // chip
};

struct Event {
  omp_event_handle_t handle{};
  bool made = false, fulfilled = false;
};

Location location{0, 2, {0, 0}, ";chomp-replay;;0;0;;"};
Graph graph;
std::unordered_map<TaskId, Event> events; // of detached tasks
uint64_t created = 0, ran = 0, ran_elsewhere = 0;
Time computed = 0;
int cores_of_chip = 1 << 16;

int chip() { return sched_getcpu() / cores_of_chip; }

enum class Stop { kEnd, kBarrier, kPart };
Stop perform(TaskId task, uint32_t& next);

void work(Time time) {
  if (time == 0) return;
  computed += time;
  chomp_virtual_work(static_cast<uint64_t>(time) * 1000 / kPerNs);
}

uint8_t flags_of(Access access) {
  switch (access) {
  case Access::kIn: return 1;
  case Access::kOut: return 3;
  case Access::kMutexInOutSet: return 4;
  case Access::kInOutSet: return 8;
  case Access::kAll: return 0x80;
  }
  return 3;
}

std::vector<DependInfo> depend_infos(const std::vector<Dependence>& accesses) {
  std::vector<DependInfo> infos;
  for (const Dependence& each : accesses) infos.push_back({each.address, 1, flags_of(each.access)});
  return infos;
}

// As Clang's code for an untied task: after each part it hands itself over again.
int32_t enter(int32_t, void* memory) {
  auto* task = static_cast<ReplayedTask*>(memory);
  __tsan_read8(&task->id);
  if (task->next == graph.tasks[task->id].first_operation) {
    ++ran;
    ran_elsewhere += task->made_on != chip();
  }
  if (perform(task->id, task->next) == Stop::kPart) {
    __tsan_write8(&task->id);
    __kmpc_omp_task(&location, 0, task);
  }
  return 0;
}

ReplayedTask* make(TaskId id) {
  ++created;
  uint8_t properties = graph.properties[id];
  int32_t flags = (properties & kUntied ? 0 : kTied) | (properties & kPrioritised ? kHasPriority : 0) |
                  (properties & kDetached ? kDetachable : 0);
  auto* task = static_cast<ReplayedTask*>(__kmpc_omp_task_alloc(&location, 0, flags, sizeof(ReplayedTask), 0, enter));
  task->id = id;
  task->next = graph.tasks[id].first_operation;
  task->made_on = chip();
  if (properties & kPrioritised) task->priority = graph.priorities.at(id);
  if (properties & kDetached) {
    Event& event = events[id];
    event.handle = static_cast<omp_event_handle_t>(
        reinterpret_cast<uintptr_t>(__kmpc_task_allow_completion_event(&location, 0, task)));
    event.made = true;
  }
  __tsan_write8(&task->id);
  return task;
}

void create(TaskId id) {
  ReplayedTask* task = make(id);
  auto found = graph.accesses.find(id);
  if (found == graph.accesses.end()) {
    __kmpc_omp_task(&location, 0, task);
  } else {
    std::vector<DependInfo> infos = depend_infos(found->second);
    __kmpc_omp_task_with_deps(&location, 0, task, static_cast<int32_t>(infos.size()), infos.data(), 0, nullptr);
  }
  // Whoever fulfils the event came first, since here nothing but the graph's own waits holds it up.
  if ((graph.properties[id] & kDetached) && events[id].fulfilled) omp_fulfill_event(events[id].handle);
}

void wait_for(const std::vector<Dependence>& accesses) {
  std::vector<DependInfo> infos = depend_infos(accesses);
  __kmpc_omp_wait_deps(&location, 0, static_cast<int32_t>(infos.size()), infos.data(), 0, nullptr);
}

void call(TaskId id, bool has_waited) {
  auto found = graph.accesses.find(id);
  if (found != graph.accesses.end() && !has_waited) wait_for(found->second);
  ReplayedTask* task = make(id);
  __kmpc_omp_task_begin_if0(&location, 0, task);
  enter(0, task);
  __kmpc_omp_task_complete_if0(&location, 0, task);
}

void fulfil(TaskId id) {
  Event& event = events[id];
  event.fulfilled = true;
  if (event.made) omp_fulfill_event(event.handle);
}

// From the operation `next` on, which is counted up: to the end, to a barrier, or in an untied task to the end of what
// Clang makes one part of it.
Stop perform(TaskId task, uint32_t& next) {
  bool untied = (graph.properties[task] & kUntied) != 0;
  for (bool has_waited = false;;) {
    Operation operation = graph.operations[next++];
    work(operation.before);
    bool ends_part = false, waits = false;
    switch (operation.op()) {
    case Op::kNothing: waits = has_waited && operation.before == 0; break;
    case Op::kCreate:
      create(operation.argument());
      ends_part = untied;
      break;
    case Op::kCall: call(operation.argument(), has_waited); break;
    case Op::kWait: {
#pragma omp taskwait
      ends_part = untied;
      break;
    }
    case Op::kWaitTasks:
      wait_for(graph.awaited[operation.argument()].accesses);
      waits = true;
      break;
    case Op::kGroupBegin: __kmpc_taskgroup(&location, 0); break;
    case Op::kGroupEnd: __kmpc_end_taskgroup(&location, 0); break;
    case Op::kBarrier: return Stop::kBarrier;
    case Op::kFulfil: fulfil(operation.argument()); break;
    case Op::kEnd: return Stop::kEnd;
    }
    if (ends_part) return Stop::kPart;
    has_waited = waits;
  }
}

// ---- Regions --------------------------------------------------------------------------------------------------------

struct Implicit {
  TaskId task;
  uint32_t next;
  bool ended;
};

void perform_implicit(Implicit& implicit) {
  if (!implicit.ended) implicit.ended = perform(implicit.task, implicit.next) == Stop::kEnd;
}

size_t barriers_of(TaskId task) {
  size_t count = 0;
  for (uint32_t at = graph.tasks[task].first_operation; graph.operations[at].op() != Op::kEnd; ++at)
    count += graph.operations[at].op() == Op::kBarrier;
  return count;
}

// A team that is larger than the recorded one has members who only wait. A member of a smaller one performs several
// recorded ones between two barriers, one after the other, each as an undeferred task with children of its own.
void perform_member(std::vector<Implicit>& implicit, size_t barriers) {
  auto member = static_cast<size_t>(omp_get_thread_num()), size = static_cast<size_t>(omp_get_num_threads());
  for (size_t phase = 0;; ++phase) {
    for (size_t i = member; i < implicit.size(); i += size) {
      if (implicit.size() <= size) {
        perform_implicit(implicit[i]);
      } else {
#pragma omp task if (0) firstprivate(i) shared(implicit)
        perform_implicit(implicit[i]);
      }
    }
    if (phase == barriers) return;
#pragma omp barrier
  }
}

int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int64_t perform_region(const Region& region) {
  std::vector<Implicit> implicit;
  size_t barriers = 0;
  for (TaskId task : region.implicit) {
    implicit.push_back({task, graph.tasks[task].first_operation, false});
    barriers = std::max(barriers, barriers_of(task));
  }
  int64_t began = now_ns();
#pragma omp parallel shared(implicit) firstprivate(barriers)
  perform_member(implicit, barriers);
  return now_ns() - began;
}

// Single tasks are counted here, since counting them there takes time.
void print(int64_t regions_ns) {
  chomp_counters_t counters{};
  counters.size = sizeof counters;
  chomp_read_total(&counters);
  auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("{\"time_ns\": %lld, \"computed_ns\": %.1f, \"created\": %llu, \"run\": %llu, "
              "\"run_on_other_domain\": %llu, \"published\": %llu, \"acquired_local\": %llu, "
              "\"stolen_operations\": %llu, \"stolen_tasks\": %llu, \"failed_steals\": %llu, "
              "\"revocations\": %llu, \"revoked_tasks\": %llu, \"parks\": %llu, \"wakes\": %llu, "
              "\"probes\": %llu, \"idle_ns\": %llu}\n",
              static_cast<long long>(regions_ns), to_ns(computed), number(created), number(ran), number(ran_elsewhere),
              number(counters.published), number(counters.acquired_local), number(counters.stolen_operations),
              number(counters.stolen_tasks), number(counters.failed_steals), number(counters.revocations),
              number(counters.revoked_tasks), number(counters.parks), number(counters.wakes), number(counters.probes),
              number(counters.idle_ns));
}

void replay(int count, char** words) {
  RecordingCosts overheads;
  std::vector<std::string> sources;
  for (int i = 1; i < count; ++i) {
    if (std::string(words[i]) == "--overheads" && i + 1 < count)
      overheads = read_overheads(words[++i]);
    else if (std::string(words[i]) == "--cores" && i + 1 < count)
      cores_of_chip = std::max(1, std::atoi(words[++i]));
    else
      sources.emplace_back(words[i]);
  }
  graph = load(sources, overheads);
  for (TaskId task = 0; task < graph.size(); ++task)
    if (graph.properties[task] & kDetached) events[task] = {};
  // Threads are made once in a program's life; no region's time holds that.
#pragma omp parallel
  {
  }
  chomp_reset_counters();
  int64_t regions_ns = 0;
  for (const Region& region : graph.regions) regions_ns += perform_region(region);
  print(regions_ns);
}

} // namespace

int main(int count, char** words) {
  try {
    replay(count, words);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "chomp-replay: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "chomp-replay: out of memory\n");
  }
  return 1;
}
