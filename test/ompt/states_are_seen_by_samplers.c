// A profiler that interrupts a thread by a signal reads what that thread does: ompt_get_state() says for which kind of
// thing it waits, and for which mutex (OpenMP 5.2, 19.4.4.2 and 19.4.4.21). The tool is in the program.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t && %chomp-run %t
// RUN: %chomp-run env KMP_BLOCKTIME=0 %t
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic %s -o %t.gcc && %chomp-run %t.gcc %}
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static ompt_get_state_t get_state;
static pthread_t other; // the member 1
static int state = -1;  // what the last signal has found, and for which mutex
static ompt_wait_id_t wait_id, critical_id;
static omp_lock_t lock;
static int in_reduction;
#ifdef __clang__
enum { END_OF_LOOP = ompt_state_wait_barrier_implicit_workshare };
#else // whose code calls the same function for both
enum { END_OF_LOOP = ompt_state_wait_barrier_explicit };
#endif

static void on_signal(int number) {
  ompt_wait_id_t id = 0;
  int found = get_state(&id);
  __atomic_store_n(&wait_id, id, __ATOMIC_RELAXED);
  __atomic_store_n(&state, found, __ATOMIC_RELEASE);
}

/// Interrupts the other thread until it is in that state. The test's time limit ends it if that is never.
static void expect(int wanted) {
  for (long tries = 0;; ++tries) {
    __atomic_store_n(&state, -1, __ATOMIC_RELAXED);
    pthread_kill(other, SIGUSR1);
    int found;
    while ((found = __atomic_load_n(&state, __ATOMIC_ACQUIRE)) == -1) usleep(10);
    if (found == wanted) return;
    if (tries % 10000 == 9999) fprintf(stderr, "waits for state 0x%x, is in 0x%x\n", wanted, found);
    usleep(100);
  }
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    const void* site) {}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) {
  if (kind == ompt_mutex_critical && omp_get_thread_num() == 0) critical_id = id;
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  set(ompt_callback_sync_region_wait, (ompt_callback_t)on_sync);
  set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {start, end, {0}};
  return &result;
}

static int add(int a, int b) {
  if (get_state(NULL) == ompt_state_work_reduction) __atomic_fetch_add(&in_reduction, 1, __ATOMIC_RELAXED);
  return a + b;
}
#pragma omp declare reduction(watched:int : omp_out = add(omp_out, omp_in)) initializer(omp_priv = 0)

static void wait_for(int* flag) {
  while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) usleep(10);
}
static void set(int* flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

static void mutexes(void) {
  int goes = 0, locked = 0;
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_thread_num();
    if (own == 1) wait_for(&locked);
    if (own == 0) omp_set_lock(&lock);
    set(&locked);
    if (own == 0) {
      expect(ompt_state_wait_lock);
      if (wait_id == 0) exit(2);
    } else {
      omp_set_lock(&lock);
    }
    omp_unset_lock(&lock);
#pragma omp barrier
    if (own == 1) wait_for(&goes);
#pragma omp critical(name)
    if (own == 0) {
      set(&goes);
      expect(ompt_state_wait_critical);
      if (wait_id != critical_id) exit(3);
    }
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
#pragma omp ordered
      if (i == 0) expect(ompt_state_wait_ordered);
    }
  }
}

int main(void) {
  int goes = 0, sum = 0;
  omp_event_handle_t event = (omp_event_handle_t)0;
  signal(SIGUSR1, on_signal);
  omp_init_lock(&lock);
  omp_get_max_threads(); // the runtime, and the tool, start
  if (get_state(NULL) != ompt_state_work_serial) return 4;
#pragma omp parallel num_threads(2)
  {
    int own = omp_get_thread_num();
    if (own == 1) other = pthread_self();
#pragma omp barrier
    if (own == 0) {
      expect(ompt_state_work_parallel);
      set(&goes);
    } else {
      wait_for(&goes);
    }
    if (own == 0) expect(ompt_state_wait_barrier_explicit);
#pragma omp barrier
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; ++i)
      if (i == 0) expect(END_OF_LOOP);
    goes = 0;
#pragma omp barrier
    if (own == 1) {
#pragma omp task detach(event)
      set(&goes);
#pragma omp taskwait
    } else {
      wait_for(&goes);
      expect(ompt_state_wait_taskwait);
      omp_fulfill_event(event);
    }
    goes = 0;
#pragma omp barrier
    if (own == 1) {
#pragma omp taskgroup
      {
#pragma omp task detach(event)
        set(&goes);
      }
    } else {
      wait_for(&goes);
      expect(ompt_state_wait_taskgroup);
      omp_fulfill_event(event);
    }
    if (own == 0) expect(ompt_state_wait_barrier_implicit_parallel);
  }
  expect(ompt_state_idle); // between the regions
  mutexes();
#pragma omp parallel num_threads(1) // which it takes no part in
  expect(ompt_state_idle);
#pragma omp parallel for num_threads(5) reduction(watched : sum) // along a tree, from five threads on
  for (int i = 0; i < 10; ++i) sum += i;
  omp_destroy_lock(&lock);
#ifdef __clang__ // GCC's code combines without the library
  if (in_reduction == 0) return 5;
#endif
  return sum != 45;
}
