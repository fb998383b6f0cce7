// What a tool is told of each construct: how often, of which kind, with which flags and numbers. The tool is in the
// program; two threads execute each construct. GCC's code does not call the library for all of it (tools.md); Clang's
// does not pass on that a task is mergeable, or a taskloop untied.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -fopenmp-version=52 -rdynamic %s -o %t && %chomp-run env OMP_CANCELLATION=true %t
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic %s -o %t.gcc && %chomp-run env OMP_CANCELLATION=true %t.gcc %}
#include <omp-tools.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#ifdef __clang__
enum { CLANG = 1 };
#else
enum { CLANG = 0 };
#endif

enum { KINDS = 32 };
static struct {
  int work[KINDS], work_end[KINDS], chunks[KINDS], sync[KINDS], sync_end[KINDS], wait[KINDS], wait_end[KINDS];
  int acquire[KINDS], acquired[KINDS], released[KINDS], lock_init[KINDS], lock_destroy[KINDS];
  int nested, nested_end, masked, masked_end, reduced, reduced_end, flushes, errors, cancels, discarded;
  int created, flags, status[KINDS], dependences, sources, sinks;
  long iterations, counted;
} seen;
static int wrong;

#define ADD(counter) __atomic_fetch_add(&seen.counter, 1, __ATOMIC_RELAXED)
#define ADD_SCOPE(name, endpoint) ((endpoint) == ompt_scope_begin ? ADD(name) : ADD(name##_end))
#define ADD_KIND(name, kind, endpoint) ((endpoint) == ompt_scope_begin ? ADD(name[kind]) : ADD(name##_end[kind]))
/// That `counter` has this value.
#define IS(counter, value)                                                                                             \
  do                                                                                                                   \
    if (seen.counter != (value)) wrong++, printf("line %d: %s is %d\n", __LINE__, #counter, (int)seen.counter);        \
  while (0)
#define CLEAR memset(&seen, 0, sizeof seen)

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    uint64_t count, const void* site) {
  ADD_KIND(work, kind, endpoint);
  if (endpoint == ompt_scope_begin) __atomic_fetch_add(&seen.counted, (long)count, __ATOMIC_RELAXED);
}
static void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind, ompt_data_t instance) {
  ADD(chunks[kind]);
  if (kind == ompt_dispatch_section) return;
  const ompt_dispatch_chunk_t* chunk = instance.ptr;
  __atomic_fetch_add(&seen.iterations, (long)chunk->iterations, __ATOMIC_RELAXED);
}
static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, const void* site) {
  ADD_SCOPE(masked, endpoint);
}
static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    const void* site) {
  ADD_KIND(sync, kind, endpoint);
}
static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    const void* site) {
  ADD_KIND(wait, kind, endpoint);
}
static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                         ompt_data_t* task, const void* site) {
  ADD_SCOPE(reduced, endpoint);
}
static void on_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id, const void* site) {
  ADD(acquire[kind]);
}
static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) { ADD(acquired[kind]); }
static void on_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) { ADD(released[kind]); }
static void on_init(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id, const void* site) {
  ADD(lock_init[kind]);
}
static void on_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) { ADD(lock_destroy[kind]); }
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void* site) {
  ADD_SCOPE(nested, endpoint);
}
static void on_flush(ompt_data_t* thread, const void* site) { ADD(flushes); }
static void on_error(ompt_severity_t severity, const char* message, size_t length, const void* site) {
  if (severity == ompt_warning && strncmp(message, "take care", 9) == 0 && length >= 9) ADD(errors);
}
static void on_cancel(ompt_data_t* task, int flags, const void* site) {
  if (flags & ompt_cancel_activated) ADD(cancels);
  if (flags & ompt_cancel_discarded_task) ADD(discarded);
}
static void on_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags, int dependences,
                      const void* site) {
  ADD(created);
  __atomic_fetch_or(&seen.flags, flags, __ATOMIC_RELAXED);
}
static void on_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) { ADD(status[status]); }
static void on_dependences(ompt_data_t* task, const ompt_dependence_t* list, int count) {
  ADD(dependences);
  for (int i = 0; i < count; ++i) {
    if (list[i].dependence_type == ompt_dependence_type_source) ADD(sources);
    if (list[i].dependence_type == ompt_dependence_type_sink) ADD(sinks);
  }
}

static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
  const struct {
    ompt_callbacks_t event;
    ompt_callback_t function;
  } all[] = {
      {ompt_callback_work, (ompt_callback_t)on_work},
      {ompt_callback_dispatch, (ompt_callback_t)on_dispatch},
      {ompt_callback_masked, (ompt_callback_t)on_masked},
      {ompt_callback_sync_region, (ompt_callback_t)on_sync},
      {ompt_callback_sync_region_wait, (ompt_callback_t)on_wait},
      {ompt_callback_reduction, (ompt_callback_t)on_reduction},
      {ompt_callback_mutex_acquire, (ompt_callback_t)on_acquire},
      {ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired},
      {ompt_callback_mutex_released, (ompt_callback_t)on_released},
      {ompt_callback_lock_init, (ompt_callback_t)on_init},
      {ompt_callback_lock_destroy, (ompt_callback_t)on_destroy},
      {ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock},
      {ompt_callback_flush, (ompt_callback_t)on_flush},
      {ompt_callback_error, (ompt_callback_t)on_error},
      {ompt_callback_cancel, (ompt_callback_t)on_cancel},
      {ompt_callback_task_create, (ompt_callback_t)on_create},
      {ompt_callback_task_schedule, (ompt_callback_t)on_schedule},
      {ompt_callback_dependences, (ompt_callback_t)on_dependences},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (set(all[i].event, all[i].function) != ompt_set_always) wrong++;
  return 1;
}
static void end(ompt_data_t* data) {}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {begin, end, {0}};
  return &result;
}

static int sum;
static void use(int value) { __atomic_fetch_add(&sum, value, __ATOMIC_RELAXED); }

// Between the constructs of one region stands a barrier that is not counted: the counters are looked at, and cleared,
// by one thread, outside regions.
static void loops(void) {
  CLEAR;
#pragma omp parallel for num_threads(2) schedule(dynamic, 6)
  for (int i = 0; i < 20; ++i) use(i);
  IS(work[ompt_work_loop_dynamic], 2);
  IS(work_end[ompt_work_loop_dynamic], 2);
  IS(counted, 40);
  IS(iterations, 20);
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(monotonic : guided, 2)
  for (int i = 0; i < 50; ++i) use(i);
  IS(work[ompt_work_loop_guided], 2);
  IS(work_end[ompt_work_loop_guided], 2);
  IS(sync[ompt_sync_region_barrier_implicit_workshare], 2);
  IS(wait_end[ompt_sync_region_barrier_implicit_workshare], 2);
  IS(iterations, 50);
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp for schedule(static)
  for (int i = 0; i < 50; ++i) use(i);
  IS(work[ompt_work_loop_static], 2 * CLANG);
  IS(work_end[ompt_work_loop_static], 2 * CLANG);
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(1) schedule(dynamic)
  for (int i = 0; i < 10; ++i) {
#pragma omp ordered depend(sink : i - 1)
    use(1);
#pragma omp ordered depend(source)
  }
  IS(sources, 10);
  if (CLANG) IS(sinks, 9); // GCC's code asks for the one before the first, too
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < 10; ++i) {
#pragma omp ordered
    use(1);
  }
  IS(acquire[ompt_mutex_ordered], 10);
  IS(acquired[ompt_mutex_ordered], 10);
  IS(released[ompt_mutex_ordered], 10);
}

static void others(void) {
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp sections
  {
#pragma omp section
    use(1);
#pragma omp section
    use(2);
#pragma omp section
    use(3);
  }
  IS(work[ompt_work_sections], 2);
  IS(work_end[ompt_work_sections], 2);
  IS(counted, 6);
  IS(chunks[ompt_dispatch_section], 3);
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp single
  use(1);
  IS(work[ompt_work_single_executor], 1);
  IS(work[ompt_work_single_other], 1);
  IS(work_end[ompt_work_single_other], 1);
  if (CLANG) IS(work_end[ompt_work_single_executor], 1);
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp master
  use(1);
  IS(masked, CLANG);
  IS(masked_end, CLANG);
#ifdef __clang__
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp masked filter(1)
  use(1);
  IS(masked, 1);
  IS(masked_end, 1);
  CLEAR;
#pragma omp parallel num_threads(2)
  {
#pragma omp error at(execution) severity(warning) message("take care")
  }
  IS(errors, 2);
#endif
  CLEAR;
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
  }
  IS(sync[ompt_sync_region_barrier_explicit], 2);
  IS(sync_end[ompt_sync_region_barrier_explicit], 2);
  IS(wait[ompt_sync_region_barrier_explicit], 2);
  IS(wait_end[ompt_sync_region_barrier_explicit], 2);
  CLEAR;
  int total = 0;
#pragma omp parallel num_threads(2)
#pragma omp for reduction(+ : total)
  for (int i = 0; i < 10; ++i) total += i;
  if (CLANG && seen.reduced == 0) wrong++, printf("no reduction\n");
  IS(reduced_end, seen.reduced);
  CLEAR;
#pragma omp parallel num_threads(2)
  {
#pragma omp flush
  }
  IS(flushes, 2 * CLANG); // of which GCC makes an instruction
}

static void mutexes(void) {
  CLEAR;
#pragma omp parallel num_threads(2)
#pragma omp critical
  use(1);
  IS(acquire[ompt_mutex_critical], 2);
  IS(acquired[ompt_mutex_critical], 2);
  IS(released[ompt_mutex_critical], 2);
  CLEAR;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    for (int i = 0; i < 3; ++i) omp_unset_nest_lock(&nest);
  }
  if (omp_test_lock(&lock)) {
    use(omp_test_lock(&lock)); // fails
    omp_unset_lock(&lock);
  }
  for (int i = omp_test_nest_lock(&nest) + (omp_test_nest_lock(&nest) > 0); i > 0; --i) omp_unset_nest_lock(&nest);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  IS(lock_init[ompt_mutex_lock], 1);
  IS(lock_destroy[ompt_mutex_lock], 1);
  IS(lock_init[ompt_mutex_nest_lock], 1);
  IS(lock_destroy[ompt_mutex_nest_lock], 1);
  IS(acquire[ompt_mutex_lock], 2);
  IS(acquired[ompt_mutex_lock], 2);
  IS(acquire[ompt_mutex_test_lock], 2);
  IS(acquired[ompt_mutex_test_lock], 1);
  IS(released[ompt_mutex_lock], 3);
  IS(acquired[ompt_mutex_nest_lock], 2);
  IS(acquired[ompt_mutex_test_nest_lock], 1);
  IS(released[ompt_mutex_nest_lock], 3);
  IS(nested, 5);
  IS(nested_end, 5);
}

#define ONE_MAKES _Pragma("omp parallel num_threads(2)") _Pragma("omp single")

static void tasks(void) {
  static int cells[2];
  CLEAR;
  ONE_MAKES
  for (int i = 0; i < 10; ++i) {
#pragma omp task
    use(1);
  }
  IS(created, 10);
  IS(flags, ompt_task_explicit);
  IS(status[ompt_task_switch], 10);
  IS(status[ompt_task_complete], 10);
  CLEAR;
  ONE_MAKES {
#pragma omp task untied
    use(1);
#pragma omp taskwait
  }
  IS(flags, ompt_task_explicit | ompt_task_untied);
  IS(sync[ompt_sync_region_taskwait], 1);
  IS(wait_end[ompt_sync_region_taskwait], 1);
  CLEAR;
  ONE_MAKES {
#pragma omp task if (0)
    use(1);
  }
  IS(flags, ompt_task_explicit | ompt_task_undeferred);
  IS(status[ompt_task_complete], 1);
  CLEAR;
  ONE_MAKES {
#pragma omp task final(1)
    {
#pragma omp task // undeferred, since it is included
      use(1);
    }
  }
  IS(created, 2);
  IS(flags, ompt_task_explicit | ompt_task_final | ompt_task_undeferred);
  IS(status[ompt_task_complete], 2);
  CLEAR;
  ONE_MAKES {
#pragma omp task mergeable if (0)
    use(1);
  }
  IS(created, 1);
  IS(flags, ompt_task_explicit | ompt_task_undeferred | (CLANG ? 0 : ompt_task_mergeable));
  IS(status[ompt_task_complete], 1);
  CLEAR;
  omp_event_handle_t late = (omp_event_handle_t)0, early = late;
  ONE_MAKES {
#pragma omp task detach(early)
    omp_fulfill_event(early);
#pragma omp taskwait
#pragma omp taskgroup
    {
      int returned = 0;
#pragma omp task detach(late) shared(returned)
      __atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
      while (!__atomic_load_n(&returned, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
      }
      while (__atomic_load_n(&seen.status[ompt_task_detach], __ATOMIC_RELAXED) == 0) {
#pragma omp taskyield
      }
      omp_fulfill_event(late);
    }
  }
  IS(status[ompt_task_early_fulfill], 1);
  IS(status[ompt_task_complete], 1);
  IS(status[ompt_task_detach], 1);
  IS(status[ompt_task_late_fulfill], 1);
  IS(sync[ompt_sync_region_taskgroup], 1);
  IS(sync_end[ompt_sync_region_taskgroup], 1);
  IS(wait[ompt_sync_region_taskgroup], 1);
  CLEAR;
  ONE_MAKES {
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 20; ++i) use(i);
  }
  IS(created, 4);
  IS(work[ompt_work_taskloop], 1);
  IS(work_end[ompt_work_taskloop], 1);
  IS(counted, 20 + 2); // and the single
  IS(chunks[ompt_dispatch_taskloop_chunk], 4);
  IS(iterations, 20);
  IS(sync[ompt_sync_region_taskgroup], 1);
  IS(status[ompt_task_complete], 4);
  CLEAR;
  ONE_MAKES {
#pragma omp taskloop num_tasks(2) mergeable untied nogroup
    for (int i = 0; i < 20; ++i) use(i);
  }
  IS(flags, ompt_task_explicit | (CLANG ? 0 : ompt_task_untied | ompt_task_mergeable));
  CLEAR;
  ONE_MAKES {
#pragma omp task depend(out : cells[0], cells[1])
    use(1);
#pragma omp task depend(in : cells[0])
    use(1);
#pragma omp taskwait depend(in : cells[1])
  }
  IS(dependences, 3);
  IS(created, 3);
  IS(flags, ompt_task_explicit | ompt_task_taskwait | ompt_task_undeferred | ompt_task_mergeable);
  IS(status[ompt_taskwait_complete], 1);
}

static void cancelled(void) {
  CLEAR;
  int made = 0;
  ONE_MAKES {
#pragma omp taskgroup
    {
#pragma omp task shared(made)
      {
        // Cancels when all are made; nobody else has run more than the other thread can hold up.
        while (__atomic_load_n(&made, __ATOMIC_ACQUIRE) == 0);
#pragma omp cancel taskgroup
      }
      for (int i = 0; i < 20; ++i) {
#pragma omp task
        {
          use(1);
#pragma omp cancellation point taskgroup
        }
      }
      __atomic_store_n(&made, 1, __ATOMIC_RELEASE);
    }
  }
  IS(cancels, 1);
  IS(created, 21);
  // Each task ends in one way.
  IS(status[ompt_task_complete] + seen.status[ompt_task_cancel] + seen.discarded, 21);
  if (seen.status[ompt_task_cancel] == 0) wrong++, printf("no task was cancelled\n");
  CLEAR;
#pragma omp parallel num_threads(2)
  {
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp barrier
    use(1);
  }
  IS(cancels, 1);
}

int main(void) {
  omp_set_dynamic(0);
#pragma omp parallel num_threads(2)
  use(1);
  loops();
  others();
  mutexes();
  tasks();
  cancelled();
  return wrong != 0;
}
