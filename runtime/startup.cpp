// Start-up, the look for a second OpenMP runtime, and the handlers of fork(). See startup.h.
#include "runtime/startup.h"

#include <initializer_list>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/base/dynamic.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/memkind.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/config/settings_table.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/foreign_binding.h"
#include "runtime/machine/topology.h"
#include "runtime/observe/record.h"
#include "runtime/observe/stats.h"
#include "runtime/observe/watchdog.h"
#include "runtime/places/binding.h"
#include "runtime/reductions/block_reduction.h"
#include "runtime/reductions/task_reduction.h"
#include "runtime/stacks/stack.h"
#include "runtime/sync/sync.h"
#include "runtime/teams/threadprivate.h"

namespace chomp {
namespace {

constinit Lock start_lock;
constinit atomic<bool> started{false};
constinit atomic<bool> parallel_started{false};

// LLVM's and Intel's runtimes register themselves, once initialised, under a name made of process and user.
bool other_runtime_initialised() {
  char path[96];
  for (const char* folder : {"/dev/shm", "/tmp"}) {
    snprintf(path, sizeof path, "%s/__KMP_REGISTERED_LIB_%d_%d", folder, static_cast<int>(getpid()),
             static_cast<int>(getuid()));
    if (access(path, F_OK) == 0) return true;
  }
  return false;
}

void warn_of_other_runtime() {
  if (config.duplicate_lib_ok || !other_runtime_initialised()) return;
  LoadedLibrary other;
  if (!find_other_library({"libomp.so", "libiomp5.so", "libomp-"}, &other)) return;
  warn(15,
       "chomp (libomp.so) found another OpenMP runtime already initialised in this process: %s. Two runtimes share the "
       "CPUs without knowing of each other. Set KMP_DUPLICATE_LIB_OK=TRUE to silence this warning.",
       other.path);
}

void before_fork() { start_lock.lock(); }
void after_fork_parent() { start_lock.unlock(); }

// Only the calling thread lives on. Its teams of several threads are gone, and the locks that other threads held are
// free.
void after_fork_child() {
  start_lock.reset_after_fork();
  memory_reset_after_fork();
  memory_kind_reset_after_fork();
  sync_reset_after_fork();
  task_reduction_reset_after_fork();
  block_reduction_reset_after_fork();
  membarrier_register(config.use_membarrier);
  threadprivate_reset_after_fork();
  binding_reset_after_fork(tls_worker);
  workers_reset_after_fork();
  counters_reset_after_fork(tls_worker);
  events_reset_after_fork();
}

} // namespace

static void start(void*) {
  set_introduction("OMP: Info: these messages are those of chomp " CHOMP_VERSION
                   ", the OpenMP runtime in place here; see `man libchomp`.");
  cycle_counter_start();
  ForeignBinding foreign;
  foreign_binding_undo(&foreign);
  topology_count_cpus();
  config_read();
  foreign_binding_report(foreign);
  binding_start();
  membarrier_register(config.use_membarrier);
  record_start();
  stats_start();
  watchdog_start();
  pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

static void start_parallel(void*) {
  topology_discover_domains();
  binding_find_domains();
  warn_of_other_runtime();
}

void runtime_start() {
  if (started.load(std::memory_order_acquire)) return; // acquire: pairs with release below
  LockGuard guard(start_lock);
  if (started.load(std::memory_order_relaxed)) return; // relaxed: the lock orders it
  call_with_room(start, nullptr);
  started.store(true, std::memory_order_release); // release: pairs with acquire above; publishes config
}

void runtime_start_parallel() {
  if (parallel_started.load(std::memory_order_acquire)) return; // acquire: pairs with release below
  LockGuard guard(start_lock);
  if (parallel_started.load(std::memory_order_relaxed)) return; // relaxed: the lock orders it
  call_with_room(start_parallel, nullptr);
  parallel_started.store(true, std::memory_order_release); // release: pairs with acquire above; publishes topology
}

bool runtime_has_started_parallel() {
  return parallel_started.load(std::memory_order_acquire); // acquire: pairs with release above
}

} // namespace chomp
