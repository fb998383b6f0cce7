// Start-up, the look for a second OpenMP runtime, and the handlers of fork(). See startup.h.
#include "runtime/startup.h"

#include <initializer_list>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#include "runtime/atomics/atomics.h"
#include "runtime/base/cpu_numbers.h"
#include "runtime/base/dynamic.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/memkind.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/version.h"
#include "runtime/config/config.h"
#include "runtime/config/settings_table.h"
#include "runtime/core/events.h"
#include "runtime/base/marked_blocks.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/foreign_binding.h"
#include "runtime/machine/topology.h"
#include "runtime/observe/record.h"
#include "runtime/observe/stats.h"
#include "runtime/observe/ompt_tool.h"
#include "runtime/threads/binding.h"
#include "runtime/tasks/task_reduction.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/stacks/stack.h"
#include "runtime/stall/watchdog.h"
#include "runtime/threads/threadprivate.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/wait/inlined.h"
#include "runtime/wait/work_loop.h"

static chomp::Task* pop_contended(chomp::PrivateDeque* deque, uint64_t index) { return deque->pop_contended(index); }
static constinit const chomp::atomic<bool> always{true};
constinit chomp::InlinedTable chomp_inline_abi_4 = {
    0, chomp::spawn_slow, chomp::spawn_published, chomp::wait_for_children, pop_contended, chomp::run_rest, &always};

namespace chomp {
namespace {

// The process to which all state of the runtime belongs; negative while a thread of it takes the state over; 0: none
// yet. If a child finds its parent's number here, or the negative of that, the handlers of fork() did not run for it.
constinit atomic<int> home{0};
constinit Lock start_lock;
constinit atomic<bool> started{false};
constinit bool domains_are_known = false; // under the lock

// Whether runtime_start_parallel() has done its work in this process. The kernel clears the word in a child, whoever
// forked it (MADV_WIPEONFORK): where our handlers do not run, or handlers of the program open regions before ours have
// run, the first region that follows finds out. Older kernels do not, and then the word is the first one for ever.
constinit atomic<bool> no_page{false};
constinit atomic<atomic<bool>*> parallel_started{&no_page};

// Once initialised, LLVM's and Intel's runtimes register themselves under a name made of process and user.
bool other_runtime_initialised() {
  char path[96];
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    snprintf(path, sizeof path, "%s/__KMP_REGISTERED_LIB_%d_%d", folder, static_cast<int>(getpid()),
             static_cast<int>(getuid()));
    if (access(path, F_OK) == 0) return true;
  }
  return false;
}

// Takes a lock of the loader, so the caller has none of ours. A process that was killed has left its name, and this one
// may have its number: the name comes last, so that runs in virtual time do the same whatever lies there.
void warn_of_other_runtime(void*) {
  LoadedLibrary other;
  if (config.duplicate_lib_ok || !find_other_library({"libomp.so", "libiomp5.so", "libomp-"}, &other)) return;
  if (!other_runtime_initialised()) return;
  warn(15,
       "chomp (libomp.so) found another OpenMP runtime already initialised in this process: %s. Two runtimes share the "
       "CPUs without knowing of each other. Set KMP_DUPLICATE_LIB_OK=TRUE to silence this warning.",
       other.path);
}

// The thread that is between its handlers of fork(). These may be registered twice (make_this_home()). relaxed, always:
// a thread looks only for its own number, which it stored itself.
constinit atomic<int> forking_thread{0};
constinit int handlers_running = 0; // under the lock

bool is_forking() { return forking_thread.load(std::memory_order_relaxed) == thread_id(); } // relaxed: as above

// A handler of the program may start the runtime while the handlers of its fork() have the lock.
class StartGuard {
public:
  StartGuard() : has_it_already_(is_forking()) {
    if (!has_it_already_) start_lock.lock();
  }
  ~StartGuard() {
    if (!has_it_already_) start_lock.unlock();
  }
  StartGuard(const StartGuard&) = delete;
  StartGuard& operator=(const StartGuard&) = delete;

private:
  bool has_it_already_;
};

void before_fork() {
  if (!is_forking()) {
    await_library_visits();
    start_lock.lock();
    forking_thread.store(thread_id(), std::memory_order_relaxed); // relaxed: as above
  }
  ++handlers_running;
}

void after_fork_parent() {
  if (!is_forking() || --handlers_running != 0) return; // they may have been registered between the two
  forking_thread.store(0, std::memory_order_relaxed);   // relaxed: as above
  start_lock.unlock();
}

// Only the calling thread lives on. Its teams of several threads are gone, and the locks that other threads held are
// free.
void become_child() {
  start_lock.reset_after_fork();
  forking_thread.store(0, std::memory_order_relaxed); // relaxed: one thread exists
  handlers_running = 0;
  memory_reset_after_fork();
  memory_kind_reset_after_fork();
  marked_blocks_reset_after_fork();
  atomics_reset_after_fork();
  cpu_numbers_reset_after_fork();
  task_reduction_reset_after_fork();
  graphs_reset_after_fork();
  membarrier_register(config.use_membarrier);
  threadprivate_reset_after_fork();
  binding_reset_after_fork(tls_worker);
  workers_reset_after_fork();
  counters_reset_after_fork(tls_worker);
  events_reset_after_fork();
  tool_reset_after_fork();
}

void after_fork_child() {
  // relaxed, both: one thread exists.
  if (home.load(std::memory_order_relaxed) == process_id()) return; // a handler of the program has used OpenMP
  become_child();
  libraries_may_be_locked(true);
  home.store(process_id(), std::memory_order_relaxed);
}

// Waits for most of the forks that had begun when our handlers were registered. A fork() holds the locks of malloc from
// soon after its handlers until it is done. Without this its child may find the loader's list locked by a thread that
// was starting the runtime. The runtime does not look at the list then, but the program may (to throw, where libc is
// old). Where there is one thread nobody else forks, and the process is spared its first malloc().
void wait_for_forks_under_way() {
#if __has_include(<sys/single_threaded.h>)
  if (__libc_single_threaded) return;
#endif
  constexpr size_t kNotCached = 64 * 1024; // beyond what a thread gets without a lock
  void* volatile memory = malloc(kNotCached);
  free(memory);
}

// Makes this process the owner of the state. The handlers of fork() are registered before any thread takes the start-up
// lock, so that a fork() waits until the start is complete. For two kinds of children the handlers do not run: that of
// a fork() which had begun when they were registered, and that of _Fork() or of a bare system call. If the parent was
// just registering the handlers, they may be registered twice. What a thread of the parent had half started is started
// again.
CHOMP_SLOW void make_this_home(int self) {
  int seen;
  for (;;) {
    seen = home.load(std::memory_order_acquire); // acquire: pairs with release below
    if (seen == self) return;
    if (seen == -self)
      cpu_yield();
    else if (home.compare_exchange_strong(seen, -self, std::memory_order_relaxed)) // relaxed: only who it is
      break;
  }
  if (seen != 0) {
    libraries_may_be_locked(handlers_running != 0);
    become_child();
  }
  if (!started.load(std::memory_order_relaxed)) events_forget_observers(); // relaxed: one thread comes here
  if (seen <= 0 && pthread_atfork(before_fork, after_fork_parent, after_fork_child) == 0) wait_for_forks_under_way();
  home.store(self, std::memory_order_release); // release: pairs with acquire above and in runtime_start()
}

} // namespace

// What the loader says of the process, asked before the start-up lock is taken.
struct Libraries {
  bool has_foreign_runtime;
  LoadedLibrary foreign_runtime;
};

// From now on programs that `chomp cc --inline` has compiled use the table. relaxed: a thread whose worker is null yet
// does not, and each gets its worker later.
static void inlined_start() {
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(CHOMP_CHECKS) && !defined(CHOMP_VIRTUAL) &&              \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  intptr_t thread_pointer = reinterpret_cast<intptr_t>(__builtin_thread_pointer());
  chomp_inline_abi_4.worker_offset.store(reinterpret_cast<intptr_t>(&tls_worker) - thread_pointer,
                                         std::memory_order_relaxed); // relaxed: as above
  if (!config.cancellation)
    chomp_inline_abi_4.calls.store(&announcing_, std::memory_order_relaxed); // relaxed: as above
#endif
}

static void start(const Libraries& libraries) {
  set_introduction("OMP: Info: these messages are those of chomp " CHOMP_VERSION
                   ", the OpenMP runtime in place here; see `man libchomp`.");
  cycle_counter_start();
  ForeignBinding foreign;
  if (libraries.has_foreign_runtime) foreign_binding_undo(libraries.foreign_runtime, &foreign);
  topology_count_cpus();
  config_read();
  foreign_binding_report(foreign);
  binding_start();
  membarrier_register(config.use_membarrier);
  inlined_start();
  record_start();
  stats_start();
  watchdog_start();
}

static atomic<bool>* flag_of_this_process() {
  auto* flag = static_cast<atomic<bool>*>(map_pages(sizeof(atomic<bool>)));
  return flag != nullptr && clear_in_children(flag, sizeof *flag) ? flag : &no_page;
}

static void start_parallel(void*) {
  topology_discover_domains();
  binding_find_domains();
}

// Whether this thread has started it. On a stack with room.
static void start_once(void* has_started) {
  Libraries libraries;
  thread_local_bytes_start();
  libraries.has_foreign_runtime = foreign_runtime_find(&libraries.foreign_runtime);
  StartGuard guard;
  if (started.load(std::memory_order_relaxed)) return; // relaxed: the lock orders it
  start(libraries);
  started.store(true, std::memory_order_release); // release: pairs with acquire in runtime_start(); publishes config
  *static_cast<bool*>(has_started) = true;
}

void runtime_start() {
  int self = process_id();
  if (home.load(std::memory_order_acquire) != self)
    make_this_home(self);                              // acquire: pairs with release in make_this_home()
  if (started.load(std::memory_order_acquire)) return; // acquire: pairs with release in start_once()
  Uncancelled whole;
  bool has_started = false;
  call_with_room(start_once, &has_started);
  if (has_started) watchdog_start_thread();
}

// In a child this is the first call: the state may still be its parent's.
CHOMP_SLOW static void start_parallel_slow() {
  runtime_start();
  Uncancelled whole;
  bool is_first = false;
  {
    StartGuard guard;
    atomic<bool>* flag = parallel_started.load(std::memory_order_relaxed); // relaxed: the lock orders it
    if (!domains_are_known) {
      call_with_room(start_parallel, nullptr);
      domains_are_known = is_first = true;
      flag = flag_of_this_process();
    }
    flag->store(true, std::memory_order_release); // release: pairs with acquire below; publishes topology
    parallel_started.store(flag, std::memory_order_release);
  }
  if (is_first) call_with_room(warn_of_other_runtime, nullptr);
}

bool runtime_has_started_parallel() {
  // acquire, both: pair with release above.
  return parallel_started.load(std::memory_order_acquire)->load(std::memory_order_acquire);
}

void runtime_start_parallel() {
  if (CHOMP_UNLIKELY(!runtime_has_started_parallel())) start_parallel_slow();
}

bool runtime_pause(Worker* worker, int kind) {
  if (kind < kPauseSoft || kind > kPauseStopTool || worker->member->team->level != 0) return false;
  if (kind == kPauseStopTool) tool_end();
  if (kind == kPauseHard && worker_is_outside(worker)) workers_end_pool(worker);
  return true;
}

} // namespace chomp
