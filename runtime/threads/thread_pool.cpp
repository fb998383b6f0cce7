// Records of threads, registration of threads that chomp did not make, and the pool of those that it made. See
// thread_pool.h.
#include "runtime/threads/thread_pool.h"

#include <algorithm>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "runtime/base/backoff.h"
#include "runtime/base/cpu_numbers.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/threads/free_agents.h"
#include "runtime/threads/wake.h"
#include "runtime/machine/topology.h"
#include "runtime/observe/ompt_tool.h"
#include "runtime/threads/binding.h"
#include "runtime/stacks/stack.h"
#include "runtime/stacks/stack_overflow.h"
#include "runtime/sync/waiting.h"
#include "runtime/startup.h"
#include "runtime/teams/region.h"
#include "runtime/teams/team_cache.h"
#include "runtime/threads/running_threads.h"
#include "runtime/threads/thread_budget.h"
#include "runtime/threads/threadprivate.h"

namespace chomp {

namespace {

using policy::kPoolGraceNs;

struct Registry {
  Lock lock;
  int used = 0;                     // records made so far
  Worker* without_thread = nullptr; // records to adopt
  Worker* pool = nullptr;           // idle threads
  // Registered threads of the program, and when the last one ended. Written under the lock.
  // relaxed, all: the lock orders them, or the fences of parking.
  atomic<int> roots{0};
  atomic<int64_t> without_roots_since_ns{0};
  // The pool thread whose sleeps all have a limit, by which the pool ends; null: none does. Written under the lock.
  atomic<Worker*> timekeeper{nullptr};
  int told_to_end = 0; // pool threads that end, or have ended
  atomic<int> alive{0};
  int most = 0; // threads at once; 0: not known yet
  atomic<bool> warned{false};
  bool key_made = false;
  bool awaits_at_exit = false; // finish_initial_tasks_at_exit() is registered
  // In the child of fork(): the thread that called it, if tasks of its sequential part had not ended.
  const Worker* with_parents_tasks = nullptr;
  pthread_key_t exit_key = 0;
};
constinit Registry registry;

// Null when gtids are used up.
Worker* take_record_locked() {
  Worker* worker = registry.without_thread;
  if (worker != nullptr) {
    registry.without_thread = worker->thread.next_free;
    return worker;
  }
  return registry.used == kMostWorkers ? nullptr : worker_make(registry.used++);
}

void put_record_locked(Worker* worker) {
  worker->thread.next_free = registry.without_thread;
  registry.without_thread = worker;
}

// Values of assigned_member that are no member at all: a pool thread ends, or runs tasks outside of regions.
constinit char no_members[2];
Member* end_of_service() { return reinterpret_cast<Member*>(&no_members[0]); }
Member* lent_to_spawned() { return reinterpret_cast<Member*>(&no_members[1]); }

void assign(Worker* worker, Member* member) {
  worker->thread.assigned_member.store(member,
                                       std::memory_order_release); // release: pairs with acquire in serve_teams()
  thread_fence(std::memory_order_seq_cst);                         // pairs with the fence in serve_teams()
  worker_wake(worker);
}

// Threads of the pool that have ended, as far as others notice.
constinit atomic<int> pool_threads_ended{0};

// Ends the threads in the pool. If main() left by pthread_exit() the process lives as long as any thread does. It must
// not live for ours after the program's last thread that used OpenMP.
void end_pool_locked() {
  for (; Worker* worker = registry.pool; ++registry.told_to_end) {
    registry.pool = worker->thread.next_free;
    // relaxed, all: the lock orders them; readers estimate.
    registry.alive.fetch_sub(1, std::memory_order_relaxed);
    if (registry.timekeeper.load(std::memory_order_relaxed) == worker)
      registry.timekeeper.store(nullptr, std::memory_order_relaxed);
    assign(worker, end_of_service());
  }
}

// Waits for tasks of the thread's implicit parallel region that free agents have.
void finish_initial_tasks(Worker* worker) {
  const Team* team = worker->thread.initial_member->team;
  if (worker == registry.with_parents_tasks) return; // their events may be left to threads that do not exist here
  if (worker_is_outside(worker) && team->counts.has_exported()) team_finish_tasks(worker);
}

void finish_initial_tasks_at_exit() {
  if (tls_worker != nullptr && tls_worker->thread.is_root) finish_initial_tasks(tls_worker);
}

// Called when no thread of the program uses OpenMP, and no sleeper looks at the clock. Wakes a pool thread, which will.
void call_timekeeper() {
  thread_fence(std::memory_order_seq_cst); // pairs with the fence in serve_teams()
  do {
    std::lock_guard guard(registry.lock);
    if (registry.pool != nullptr) return worker_wake(registry.pool);
  } while (team_recall_kept(1));
}

// Called when a thread of the program ends: its team waits for the next thread, and so does its record.
void root_thread_exits(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  finish_initial_tasks(worker);
  Task* initial_task = &worker->thread.initial_member->implicit_task;
  if (announcing()) event_implicit_end(worker, initial_task);
  if (worker_is_outside(worker))
    team_leave_behind(worker->thread.initial_member);
  else
    team_release_cached(worker->thread.initial_member);
  if (announcing()) event_thread_end(worker);
  worker_release_memory(worker);
  cpu_number_rest();
  tls_worker = nullptr;
  {
    std::lock_guard guard(registry.lock);
    put_record_locked(worker);
    registry.alive.fetch_sub(1, std::memory_order_relaxed); // relaxed: the lock orders it; readers estimate
    // relaxed, all: the lock orders them, and for threads that go to sleep the fences of these and of
    // call_timekeeper().
    registry.without_roots_since_ns.store(monotonic_ns(), std::memory_order_relaxed);
    if (registry.roots.fetch_sub(1, std::memory_order_relaxed) != 1) return;
    if (registry.timekeeper.load(std::memory_order_relaxed) != nullptr) return;
  }
  call_timekeeper();
}

// How long the pool may still wait for the next thread of the program; kNoTimeout while there is one.
int64_t grace_left_locked() {
  // relaxed, both: ordered by the lock.
  if (registry.roots.load(std::memory_order_relaxed) != 0) return kNoTimeout;
  int64_t left = registry.without_roots_since_ns.load(std::memory_order_relaxed) + kPoolGraceNs - monotonic_ns();
  return std::max<int64_t>(left, 0);
}

// With more threads than CPUs each CPU has a thread anyway, and moving would take most of the time that 10,000 threads
// need to start.
void leave_wakers_cpu_unless_oversubscribed(Worker* worker) {
  if (workers_alive() <= topology.running_cpus) binding_leave_wakers_cpu(worker);
}

// Called by a new thread. If its team is being made, the thread is needed as soon as all have been made. If each parked
// until then, their maker would have to wake each.
void wait_for_first_team(Worker* worker) {
  if (workers_alive() > topology.running_cpus || spin_limit_ns() == 0) return;
  Waiting waiting(&worker->wait.cpu_offers);
  // relaxed: serve_teams() looks again.
  while (worker->thread.assigned_member.load(std::memory_order_relaxed) == nullptr && !agents_are_wanted() &&
         waiting.pause(CpuDemand::kUnknown)) {
  }
}

// The thread is in the pool and looks for a task of a team that it is not in. If there is one the thread leaves the
// pool, since regions take their threads there.
AgentTask become_free_agent(Worker* worker) {
  if (CHOMP_LIKELY(!agents_are_wanted())) return {};
  std::lock_guard guard(registry.lock);
  Worker** link = &registry.pool;
  while (*link != nullptr && *link != worker) link = &(*link)->thread.next_free;
  if (*link == nullptr) return {}; // a region has taken it, or it is to end
  AgentTask taken = agents_take();
  if (taken.task != nullptr) *link = worker->thread.next_free;
  return taken;
}

void serve_teams(Worker* worker) {
  wait_for_first_team(worker);
  for (;;) {
    // acquire: pairs with release in team_for_region() and end_pool_locked(); the member and its team are complete.
    Member* member = worker->thread.assigned_member.load(std::memory_order_acquire);
    if (member == end_of_service()) return;
    if (member != nullptr) {
      if (CHOMP_UNLIKELY(agents_are_wanted())) agents_call_if_missing(); // we may have been woken for it
      member == lent_to_spawned() ? serve_spawned_tasks(worker) : team_serve(worker, member);
      continue;
    }
    worker->wait.parked.store(kParked, std::memory_order_relaxed); // relaxed: ordered by the fence
    // Few threads wake those of the pool, and seldom (wake_new_members(), end_pool_locked(), call_timekeeper()). So the
    // wakers execute a fence too, and nobody is interrupted.
    thread_fence(std::memory_order_seq_cst); // pairs with those of wake_new_members() and others
    AgentTask task = become_free_agent(worker);
    // relaxed: only to decide whether to sleep.
    if (task.task == nullptr && worker->thread.assigned_member.load(std::memory_order_relaxed) == nullptr) {
      worker->observe.counters.parks.add();
      cpu_number_rest();
      if (!futex_wait(&worker->wait.parked, kParked, pool_sleep_limit_ns(worker))) pool_sleep_limit_reached(worker);
      leave_wakers_cpu_unless_oversubscribed(worker);
    }
    worker->wait.parked.store(kAwake, std::memory_order_relaxed); // relaxed: our own word
    if (CHOMP_UNLIKELY(task.task != nullptr)) team_serve_as_agent(worker, task);
  }
}

// A guess, for watermarks alone, a little less than what start_thread() has asked for: the frames above are libc's, and
// old ones have the guard inside. pthread_getattr_np() would know, but allocates: the thread's first malloc() maps an
// arena, in eight system calls.
StackBounds stack_of_new_thread(const Worker* worker) {
  uintptr_t page = page_size(), high = (stack_pointer() + page - 1) & ~(page - 1), bytes = worker->thread.stack_bytes;
  return {high - bytes + std::min(4 * page, bytes / 8), high};
}

void make_wanted(Worker* wanting, Worker* maker);

void* pool_thread_main(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr); // its teams would wait for it for ever
  tls_worker = worker;
  allow_cpu(worker->thread.makers_cpu, worker->thread.first_mask); // first: threads that it makes begin with its mask
  if (worker->thread.wanted_by != nullptr) make_wanted(worker->thread.wanted_by, worker);
  name_this_thread(worker->gtid);
  worker->wait.shown.thread_id.store(thread_id(), std::memory_order_relaxed); // relaxed: a number
  counters_use(worker);
  stack_init(worker, stack_of_new_thread(worker));
  overflow_watch(worker);
  worker_announce(worker, true);
  serve_teams(worker);
  worker_announce(worker, false);
  worker_release_memory(worker); // calls the program's destructors of threadprivate variables
  pool_threads_ended.fetch_add(1, std::memory_order_release); // release: pairs with acquire in workers_end_pool()
  cpu_number_rest();
  tls_worker = nullptr;
  std::lock_guard guard(registry.lock);
  put_record_locked(worker);
  return nullptr;
}

// `makers_cpu` is not in `mask`, where the thread begins; -1: it begins where its maker may run.
bool start_thread(Worker* worker, int makers_cpu, const CpuMask& mask) {
  if (!address_reserve_grow()) return false;
  worker->thread.stack_bytes = config.stack_size;
  size_t stack = worker->thread.stack_bytes + thread_local_bytes();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, (stack + page_size() - 1) & ~(page_size() - 1));
  bool elsewhere = makers_cpu >= 0 && begin_with_affinity(&attributes, mask);
  worker->thread.makers_cpu = elsewhere ? makers_cpu : -1;
  worker->thread.first_mask = elsewhere ? mask.hash() : 0;
  int error = pthread_create(&worker->thread.handle, &attributes, pool_thread_main, worker);
  pthread_attr_destroy(&attributes);
  return error == 0;
}

/// `allowed`: most_threads_locked() allows more, so the system has refused one.
void warn_few_threads(int wanted, int have, bool allowed) {
  if (!allowed)
    warn(96, "Cannot form a team with %d threads, using %d instead.", wanted, have);
  else if (config.stack_size > kLargestDefaultStack)
    warn(96,
         "Cannot form a team with %d threads, using %d instead. The system refuses more threads: each wants a stack "
         "of %zu MiB (OMP_STACKSIZE; ulimit -u, ulimit -v, memory).",
         wanted, have, config.stack_size >> 20);
  else
    warn(96,
         "Cannot form a team with %d threads, using %d instead. The system refuses more threads (ulimit -u, memory).",
         wanted, have);
}

// The kernel limits how many mappings a process has. A thread takes up to four: its stack, its signal stack, and their
// guards. The rest is for memory: where a mapping fails, the program ends.
int most_threads_locked() {
  if (registry.most != 0) return registry.most;
  constexpr int kMappingsPerThread = 5;
  char text[32];
  long mappings = read_small_file("/proc/sys/vm/max_map_count", text, sizeof text) > 0 ? strtol(text, nullptr, 10) : 0;
  long most = mappings > 0 ? mappings / kMappingsPerThread : kMostWorkers;
  return registry.most = static_cast<int>(std::min<long>({most, config.device_thread_limit, kMostWorkers}));
}

// No system is so small that the file would have to be read for a thread for each CPU.
bool allows_another_locked() {
  int alive = registry.alive.load(std::memory_order_relaxed); // relaxed: the lock orders it
  return alive < std::min(topology.allowed_cpus, config.device_thread_limit) || alive < most_threads_locked();
}

// A thread that has not been made: the next one may have its record.
void give_up_thread(Worker* worker) {
  std::lock_guard guard(registry.lock);
  put_record_locked(worker);
  registry.alive.fetch_sub(1, std::memory_order_relaxed); // relaxed: the lock orders it
}

// Takes records for new threads; fewer than `count` if the limit (then `*allowed` is false) or their number forbids.
int begin_threads(int count, Worker** records, bool* allowed) {
  std::lock_guard guard(registry.lock);
  for (int begun = 0; begun < count; ++begun) {
    *allowed = allows_another_locked();
    records[begun] = *allowed ? take_record_locked() : nullptr;
    if (records[begun] == nullptr) return begun;
    registry.alive.fetch_add(1, std::memory_order_relaxed); // relaxed: the lock orders it
  }
  return count;
}

// Makes the thread of a record; false: the system refuses, and the record is given back. Called without the lock, since
// libc takes locks of the loader to make a thread. `here` is not in `elsewhere`; -1: where its maker may run.
bool make_thread(Worker* worker, const Worker* maker, Worker* wanting, int here, const CpuMask& elsewhere) {
  worker->thread.is_root = false;
  worker->thread.wanted_by = wanting;
  worker->thread.bound_place = maker->thread.bound_place == kNotBound ? kNotBound : kMakersMask;
  // relaxed, both: the thread does not exist yet.
  worker->thread.assigned_member.store(nullptr, std::memory_order_relaxed);
  worker->wait.wakers_cpu.store(current_cpu(), std::memory_order_relaxed);
  // The second try: the system may have taken CPUs away since.
  if (start_thread(worker, here, elsewhere) || (here >= 0 && start_thread(worker, -1, elsewhere))) return true;
  give_up_thread(worker);
  return false;
}

// Makes threads that `wanting` wants until nobody has to make one. Called by `wanting`, and by each new thread: it may
// come so late that those are others, or none.
void make_wanted(Worker* wanting, Worker* maker) {
  Births& births = wanting->thread.births;
  CpuMask elsewhere;
  int here = -2; // not known yet
  for (;;) {
    Worker** record;
    {
      if (!births.some_left.load(std::memory_order_relaxed)) return; // relaxed: a hint
      std::lock_guard guard(births.lock);
      if (births.next == births.end) return;
      record = &births.records[births.next++];
      births.some_left.store(births.next != births.end, std::memory_order_relaxed); // relaxed, as below: a hint
    }
    Worker* worker = *record;
    bool oversubscribed = workers_alive() > topology.running_cpus;
    if (here == -2) here = oversubscribed ? -1 : binding_of_new_threads(maker, &elsewhere);
    int done = 1;
    if (!make_thread(worker, maker, oversubscribed ? nullptr : wanting, here, elsewhere)) {
      std::lock_guard guard(births.lock);
      *record = nullptr;
      done += births.end - births.next; // those would be refused, too
      births.end = births.next;
      births.some_left.store(false, std::memory_order_relaxed); // relaxed: a hint
    }
    births.awaited.fetch_sub(done, std::memory_order_release); // release: pairs with acquire in make_threads()
  }
}

// Makes the threads of these records, and leaves those that have been made in front; returns how many.
int make_threads(Worker* self, int count, Worker** records) {
  Births& births = self->thread.births;
  {
    std::lock_guard guard(births.lock);
    births.records = records;
    births.next = 0;
    births.end = count;
    births.awaited.store(count, std::memory_order_relaxed); // relaxed: the lock orders it
    births.some_left.store(true, std::memory_order_relaxed);
  }
  make_wanted(self, self);
  // acquire: pairs with release in make_wanted(): nobody writes `records` any more.
  for (Backoff backoff; births.awaited.load(std::memory_order_acquire) != 0;) backoff.pause_in_place();
  for (int i = births.end; i < count; ++i) give_up_thread(records[i]);
  return static_cast<int>(std::remove(records, records + births.end, nullptr) - records);
}

} // namespace

Worker* worker_take_record() {
  std::lock_guard guard(registry.lock);
  return take_record_locked();
}

void worker_put_record(Worker* worker) {
  std::lock_guard guard(registry.lock);
  put_record_locked(worker);
}

static void stand_outside(Worker* worker) {
  if (worker->thread.initial_member == nullptr)
    team_make_initial(worker);
  else
    team_renew_initial(worker);
  worker->thread.initial_member->placement = Placement();
  worker->member = worker->thread.initial_member;
  worker->current = &worker->thread.initial_member->implicit_task;
}

bool worker_is_outside(const Worker* worker) {
  return worker->member == worker->thread.initial_member &&
         worker->current == &worker->thread.initial_member->implicit_task;
}

void worker_announce(Worker* worker, bool begins) {
  if (CHOMP_LIKELY(!announcing())) return;
  stand_outside(worker);
  begins ? event_thread_begin(worker) : event_thread_end(worker);
}

void worker_release_memory(Worker* worker) {
  threadprivate_destroy(worker);
  stack_release_segments(worker);
  overflow_unwatch(worker);
  memory_release_lists(worker);
  worker->wait.shown.thread_id.store(0, std::memory_order_relaxed); // relaxed: the watchdog compares it only
}

Worker* worker_register_slow() {
  runtime_start();
  Worker* worker;
  {
    std::lock_guard guard(registry.lock);
    if (!registry.key_made) {
      registry.key_made = pthread_key_create(&registry.exit_key, root_thread_exits) == 0;
      if (!registry.key_made) fatal("pthread_key_create failed");
    }
    worker = take_record_locked();
    registry.roots.fetch_add(1, std::memory_order_relaxed); // relaxed, both: the lock orders it; readers estimate
    registry.alive.fetch_add(1, std::memory_order_relaxed); // relaxed: readers estimate
  }
  if (worker == nullptr) fatal("more than %d threads use OpenMP at once", kMostWorkers);
  tls_worker = worker;
  counters_use(worker);
  worker->thread.is_root = true;
  worker->thread.bound_place = kNotBound;
  worker->thread.handle = pthread_self();
  stack_init(worker);
  stand_outside(worker);
  pthread_setspecific(registry.exit_key, worker);
  tool_attach();
  if (announcing()) {
    event_thread_begin(worker);
    event_implicit_begin(worker, worker->current);
  }
  return worker;
}

// The timekeeper keeps its role while the program has threads that use OpenMP, until a whole sleep has passed in vain.
// So when short threads come one after the other, the last of them need not wake a pool thread each time.
int64_t pool_sleep_limit_ns(Worker* worker) {
  // relaxed, both: if the timekeeper is `worker`, we have stored that; the fences of the caller and of
  // call_timekeeper() do the rest.
  bool keeps_time = registry.timekeeper.load(std::memory_order_relaxed) == worker;
  if (registry.roots.load(std::memory_order_relaxed) != 0) return keeps_time ? kPoolGraceNs : kNoTimeout;
  std::lock_guard guard(registry.lock);
  int64_t left = grace_left_locked();
  if (left == kNoTimeout) return keeps_time ? kPoolGraceNs : kNoTimeout;
  // relaxed, all: the lock orders them.
  // A thread that ends takes no role: nobody would ever take it over.
  if (worker->thread.assigned_member.load(std::memory_order_relaxed) == end_of_service()) return 0;
  if (registry.timekeeper.load(std::memory_order_relaxed) == nullptr)
    registry.timekeeper.store(worker, std::memory_order_relaxed);
  bool in_time = left > 0 && registry.timekeeper.load(std::memory_order_relaxed) != worker;
  return in_time ? kNoTimeout : left;
}

void pool_sleep_limit_reached(Worker* worker) {
  {
    std::lock_guard guard(registry.lock);
    int64_t left = grace_left_locked();
    // relaxed, both: the lock orders them.
    if (left == kNoTimeout && registry.timekeeper.load(std::memory_order_relaxed) == worker)
      registry.timekeeper.store(nullptr, std::memory_order_relaxed);
    if (left != 0) return;
    end_pool_locked();
  }
  team_end_kept(); // each of their threads comes to the pool, finds that its sleep has no time left, and ends
}

static void take_idle_locked(int count, Worker** taken, int* have) {
  for (; *have < count && registry.pool != nullptr; ++*have) {
    taken[*have] = registry.pool;
    registry.pool = registry.pool->thread.next_free;
  }
}

// New threads are made only when none is idle, in the pool, in kept teams, or on the way from there.
int workers_take(int count, Worker** taken) {
  int have = 0;
  do {
    std::lock_guard guard(registry.lock);
    take_idle_locked(count, taken, &have);
  } while (have < count && team_recall_kept(count - have));
  {
    std::lock_guard guard(registry.lock); // those that the last recall has waited for
    take_idle_locked(count, taken, &have);
  }
  if (have == count) return have;
  bool allowed;
  int begun = begin_threads(count - have, taken + have, &allowed);
  int made = make_threads(tls_worker, begun, taken + have);
  have += made;
  if (made < begun) allowed = true; // the system has refused
  if (have == count) return have;
  {
    std::lock_guard guard(registry.lock); // some may have come back meanwhile
    take_idle_locked(count, taken, &have);
  }
  // relaxed: only who it is.
  if (have < count && !registry.warned.exchange(true, std::memory_order_relaxed))
    warn_few_threads(count + 1, have + 1, allowed);
  return have;
}

bool workers_call_idle(bool may_make) {
  {
    std::lock_guard guard(registry.lock);
    if (registry.pool != nullptr) {
      worker_wake(registry.pool);
      return true;
    }
  }
  if (!may_make) return true;
  runtime_start_parallel();
  bool allowed;
  Worker* worker;
  // If there is none, the team's own threads will run what is offered.
  if (begin_threads(1, &worker, &allowed) == 0 || !make_thread(worker, tls_worker, nullptr, -1, CpuMask()))
    return false;
  std::lock_guard guard(registry.lock);
  worker->thread.next_free = registry.pool;
  registry.pool = worker;
  worker_wake(worker); // if it has looked under the lock already, it has shown before that it sleeps
  return true;
}

void workers_await_initial_tasks() {
  std::lock_guard guard(registry.lock);
  if (!registry.awaits_at_exit) registry.awaits_at_exit = atexit(finish_initial_tasks_at_exit) == 0;
}

Worker* worker_take() {
  runtime_start_parallel();
  Worker* worker;
  return workers_take(1, &worker) == 1 ? worker : nullptr;
}

void worker_lend_to_spawned(Worker* worker) { assign(worker, lent_to_spawned()); }

void worker_return_to_pool(Worker* worker) {
  worker->thread.assigned_member.store(nullptr,
                                       std::memory_order_relaxed); // relaxed: the lock releases it to the next user
  std::lock_guard guard(registry.lock);
  worker->thread.next_free = registry.pool;
  registry.pool = worker;
}

void workers_end_pool(Worker* worker) {
  if (worker != nullptr) team_release_cached(worker->thread.initial_member);
  team_recall_kept(INT_MAX);
  int told;
  {
    std::lock_guard guard(registry.lock);
    end_pool_locked();
    told = registry.told_to_end;
  }
  // On a busy machine it takes a while until all of them have got a CPU. A thread that hangs in a tool is left behind.
  constexpr int kMostWaitsForOne = 5000;   // of a millisecond, or more
  static atomic<uint32_t> nobody_wakes{0}; // usleep() is a cancellation point
  for (int seen = 0, waits = 0; waits < kMostWaitsForOne; ++waits) {
    // acquire: pairs with release in pool_thread_main(); what the threads did last is seen.
    int ended = pool_threads_ended.load(std::memory_order_acquire);
    if (ended >= told) return;
    if (ended != seen) waits = 0;
    seen = ended;
    futex_wait(&nobody_wakes, 0, policy::kBusyPauseNs);
  }
}

int workers_alive() { return registry.alive.load(std::memory_order_relaxed); } // relaxed: an estimate

// A lock that the calling thread holds, or takes later, may have threads in its queue that do not exist here. The lock
// would be granted to one of them, and others would wait behind them. So these threads leave the queues.
static void leave_lock_queues_after_fork(const Worker* self) {
  for (int gtid = 0; gtid < registry.used; ++gtid) {
    Worker* worker = worker_by_gtid(gtid);
    if (worker == self) continue;
    ProgramLock* lock = worker->wait.lock_node.lock.load(std::memory_order_relaxed); // relaxed, both: one thread exists
    if (lock == nullptr) continue;
    lock->forget_queue_after_fork();
    worker->wait.lock_node.lock.store(nullptr, std::memory_order_relaxed);
  }
}

void workers_reset_after_fork() {
  registry.lock.reset_after_fork();
  overflow_reset_after_fork();
  Worker* self = tls_worker;
  if (self != nullptr) self->thread.births.lock.reset_after_fork(); // a thread that was late may have had it
  // The last record may not have been made yet. Others find all records by looking for the first number without one.
  if (registry.used > 0 && worker_by_gtid(registry.used - 1) == nullptr) --registry.used;
  leave_lock_queues_after_fork(self);
  registry.pool = nullptr;
  agents_reset_after_fork();
  spawned_tasks_reset_after_fork(self);
  registry.timekeeper.store(nullptr, std::memory_order_relaxed); // relaxed: one thread exists
  registry.told_to_end = 0;
  pool_threads_ended.store(0, std::memory_order_relaxed); // relaxed: one thread exists
  // The records of threads that no longer exist are not adopted: their memory may have been caught in the middle of a
  // change.
  registry.without_thread = nullptr;
  registry.roots.store(self != nullptr ? 1 : 0, std::memory_order_relaxed); // a pool thread, too, is now the program's
  registry.alive.store(self != nullptr ? 1 : 0, std::memory_order_relaxed); // relaxed: one thread exists
  team_cache_reset_after_fork();
  registry.with_parents_tasks = self != nullptr && team_reset_after_fork(self) ? self : nullptr;
  const Team* team = self != nullptr ? self->member->team : nullptr;
  budget_reset_after_fork(team);
  running_reset_after_fork(team);
}

} // namespace chomp
