// The words of the stall report. See stall_report.h. No malloc, no stdio streams, no lock of libc's: a thread that
// hangs may hold any of them.
#include "runtime/stall/stall_report.h"

#include <algorithm>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/dynamic.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"
#include "runtime/core/wait.h"
#include "runtime/core/worker.h"
#include "runtime/stall/held_locks.h"
#include "runtime/stall/open_tasks.h"
#include "runtime/observe/source_line.h"

namespace chomp {
namespace {

constexpr int kMostTasks = 64;   // of the open ones
constexpr int kMostNesting = 16; // tasks of one thread, innermost first

/// One line of the report.
class Line {
public:
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(text_ + length_, sizeof text_ - length_, format, arguments);
    va_end(arguments);
    if (wanted > 0) length_ += static_cast<size_t>(wanted);
    if (length_ > sizeof text_ - 1) length_ = sizeof text_ - 1;
  }
  /// ", at work (file.c:12)", as much of it as is known.
  void add_place(const char* before, uintptr_t address, bool is_entry) {
    if (address == 0) return;
    SourceLine place = source_line(address, is_entry);
    add("%s", before);
    if (place.file[0] != 0)
      add("%s:%d%s%s%s", place.file, place.line, place.function[0] != 0 ? " (" : "", place.function,
          place.function[0] != 0 ? ")" : "");
    else if (place.module[0] != 0)
      add("%s%s%s+0x%llx", place.function, place.function[0] != 0 ? ", " : "", place.module,
          static_cast<unsigned long long>(place.offset));
    else
      add("0x%llx", static_cast<unsigned long long>(address));
  }
  void print() const { chomp::print("%s\n", text_); }

private:
  char text_[1024] = "";
  size_t length_ = 0;
};

// ---- Threads --------------------------------------------------------------------------------------------------------

// Called under the lock of the waiting worker.
uint64_t children_of(const Task* task) {
  // relaxed: the thread that counts sleeps, and children that finish only make it smaller.
  return task->local_children +
         static_cast<uint32_t>(Task::count_in(task->shared_children.load(std::memory_order_relaxed)));
}

/// Whether the worker waits in `team` at the barrier or the end of the region, as others do.
bool is_at_barrier(Worker* worker, const Team* team) {
  ShownWait& shown = worker->wait.shown;
  std::lock_guard guard(shown.lock);
  if (worker->member == nullptr || shown.sleep_for != SleepFor::kWorkLoop || worker->member->team != team) return false;
  return shown.wait_for == WaitFor::kBarrier || shown.wait_for == WaitFor::kJoin || shown.wait_for == WaitFor::kGo;
}

void add_absent(Line* line, const Worker* waiting, const Team* team) {
  const char* before = "; not there, or in a task meanwhile: ";
  for (int tid = 0; team != nullptr && tid < team->size(); ++tid) {
    Worker* other = team->members[tid].worker;
    if (other == waiting || other == nullptr || is_at_barrier(other, team)) continue;
    line->add("%schomp/%d", before, other->gtid);
    before = ", ";
  }
}

/// A copy of a wait, to use when its lock is no longer held. Teams and tasks' headers are never unmapped.
struct SeenWait {
  SleepFor sleep_for = SleepFor::kNothing;
  WaitFor wait_for{};
  uint64_t children = 0;
  const void* object = nullptr;
  int64_t since_ns = 0;
  uintptr_t site = 0;
  const Team* team = nullptr;
  uintptr_t region = 0;          // the function that the team executes
  uintptr_t tasks[kMostNesting]; // the code of the tasks that the thread has begun
  int task_count = 0;
};

SeenWait see(Worker* worker) {
  ShownWait& shown = worker->wait.shown;
  SeenWait seen;
  std::lock_guard guard(shown.lock);
  seen.sleep_for = shown.sleep_for;
  if (seen.sleep_for == SleepFor::kNothing) return seen;
  seen.wait_for = shown.wait_for;
  seen.object = shown.object;
  seen.since_ns = shown.since_ns;
  seen.site = shown.site;
  if (seen.sleep_for == SleepFor::kWorkLoop && seen.wait_for == WaitFor::kChildren)
    seen.children = children_of(shown.task);
  if (worker->member != nullptr) seen.team = worker->member->team;
  if (seen.team != nullptr) seen.region = code_of(seen.team);
  for (Task* task = worker->current; task != nullptr && !task->is(kImplicit) && seen.task_count < kMostNesting;
       task = task->below())
    seen.tasks[seen.task_count++] = code_of(task->payload());
  return seen;
}

void add_work_loop_wait(Line* line, const Worker* worker, const SeenWait& seen) {
  switch (seen.wait_for) {
  case WaitFor::kChildren:
    line->add("in taskwait, for %llu child task%s", static_cast<unsigned long long>(seen.children),
              seen.children == 1 ? "" : "s");
    break;
  case WaitFor::kTaskgroup: line->add("for the tasks of a taskgroup"); break;
  case WaitFor::kWord: line->add("for tasks that it depends on (taskwait or an undeferred task with depend)"); break;
  case WaitFor::kTime: line->add("for a moment (alpi_task_waitfor_ns)"); break;
  case WaitFor::kTeamTasks: line->add("for the tasks of a region of one thread"); break;
  case WaitFor::kBarrier:
    line->add("for a barrier");
    add_absent(line, worker, seen.team);
    break;
  case WaitFor::kJoin:
    line->add("for the end of a parallel region and its tasks");
    add_absent(line, worker, seen.team);
    break;
  case WaitFor::kSpawned: line->add("for tasks to be spawned (alpi_task_spawn)"); break;
  case WaitFor::kGo: line->add("for nothing: it is at the end of its region, or between regions"); break;
  }
}

void add_lock_wait(Line* line, const Worker* worker, const void* object) {
  HeldLock held;
  line->add("for the lock or critical section at %p", object);
  if (!held_lock_find(object, &held)) return;
  line->add(held.gtid == worker->gtid ? ", which it has already" : ", which chomp/%d has", held.gtid);
  line->add_place(", taken at ", held.site, false);
}

void print_wait(const Worker* worker, const SeenWait& seen, int64_t now_ns) {
  Line line;
  line.add("  chomp/%d waits ", worker->gtid);
  switch (seen.sleep_for) {
  case SleepFor::kNothing: return;
  case SleepFor::kWorkLoop: add_work_loop_wait(&line, worker, seen); break;
  case SleepFor::kLock: add_lock_wait(&line, worker, seen.object); break;
  case SleepFor::kOrderedTurn: line.add("for its turn in an ordered loop"); break;
  case SleepFor::kLoopRing: line.add("for threads that are many loops behind"); break;
  }
  bool idle = seen.sleep_for == SleepFor::kWorkLoop && seen.wait_for == WaitFor::kGo;
  if (!idle) {
    line.add("; for %lld s", static_cast<long long>((now_ns - seen.since_ns) / 1'000'000'000));
    if (seen.site != 0)
      line.add_place("; ", seen.site, false);
    else if (!is_of_this_library(seen.region))
      line.add_place("; in the region that begins at ", seen.region, true);
  }
  line.print();
  for (int i = 0; i < seen.task_count; ++i) {
    Line task;
    task.add_place("    in the task that begins at ", seen.tasks[i], true);
    task.print();
  }
}

const char* words_for(Blocked blocked) {
  switch (blocked) {
  case Blocked::kNot: return "running";
  case Blocked::kByClock: return "asleep for a time";
  case Blocked::kOnThread: return "asleep until another thread wakes it";
  case Blocked::kOutside: return "asleep in a system call";
  case Blocked::kEnded: return "ended";
  }
  __builtin_unreachable();
}

void print_threads(int64_t now_ns) {
  CHOMP_LARGE static ListedThreads threads;
  threads.read();
  int others = 0;
  for (int i = 0; i < threads.count; ++i) {
    ProcessThread thread;
    Worker* worker = threads.workers[i];
    SeenWait seen = worker != nullptr ? see(worker) : SeenWait();
    if (seen.sleep_for != SleepFor::kNothing)
      print_wait(worker, seen, now_ns);
    else if (worker == nullptr)
      ++others;
    else if (look_at_thread(threads.ids[i], &thread))
      chomp::print("  chomp/%d is in the program's own code, or between teams: %s\n", worker->gtid,
                   words_for(thread.blocked));
  }
  if (others > 0) chomp::print("  %d other threads, which OpenMP does not know\n", others);
}

// ---- Tasks ----------------------------------------------------------------------------------------------------------

void print_task(const OpenTask* tasks, int index) {
  const OpenTask& task = tasks[index];
  Line line;
  line.add("  task %llu", static_cast<unsigned long long>(task.order));
  line.add_place(" at ", task.code, true);
  if (task.state == OpenTask::kRuns) line.add(": has begun");
  if (task.state == OpenTask::kBodyReturned) line.add(": its body has ended; nobody has fulfilled its detach event");
  if (task.state == OpenTask::kWaits) {
    int waits = 0;
    for (int before = 0; before < index; ++before) {
      uintptr_t address = open_task_waits_for(task, tasks[before]);
      if (address == 0) continue;
      line.add(waits++ == 0 ? ": depends on task %llu, by 0x%llx" : "; on task %llu, by 0x%llx",
               static_cast<unsigned long long>(tasks[before].order), static_cast<unsigned long long>(address));
    }
    if (waits == 0) line.add(": has not begun");
  }
  line.print();
}

void print_tasks() {
  CHOMP_LARGE static OpenTask tasks[kMostTasks];
  int count = open_tasks_copy(tasks, kMostTasks);
  if (count == 0) return;
  chomp::print("Tasks with dependences or detach events that have not finished:\n");
  for (int i = 0; i < count && i < kMostTasks; ++i) print_task(tasks, i);
  if (count > kMostTasks) chomp::print("  and %d younger ones\n", count - kMostTasks);
}

} // namespace

bool ListedThreads::read() {
  count = list_threads(ids);
  if (count == 0) return false;
  std::sort(ids, ids + count);
  int* end = std::remove(ids, ids + count, thread_id());
  count = static_cast<int>(end - ids);
  std::fill(workers, workers + count, nullptr);
  Worker* worker;
  for (int gtid = 0; (worker = worker_by_gtid(gtid)) != nullptr; ++gtid) {
    int id = worker->wait.shown.thread_id.load(std::memory_order_relaxed); // relaxed: numbers are compared only
    int* at = std::lower_bound(ids, end, id);
    if (at != end && *at == id && workers[at - ids] == nullptr) workers[at - ids] = worker;
  }
  return true;
}

bool shows_a_wait(Worker* worker) {
  std::lock_guard guard(worker->wait.shown.lock);
  return worker->wait.shown.sleep_for != SleepFor::kNothing;
}

void stall_report(int seconds) {
  int process = static_cast<int>(getpid());
  if (seconds > 0)
    chomp::print("chomp: nothing has moved in process %d for %d s (CHOMP_WATCHDOG; said once). Its threads:\n", process,
                 seconds);
  else
    chomp::print("chomp: process %d, as CHOMP_WATCHDOG_SIGNAL asks. Its threads:\n", process);
  print_threads(monotonic_ns());
  print_tasks();
}

} // namespace chomp
