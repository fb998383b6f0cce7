// A tool that checks what it is told: every begin has its end on the same thread, tasks exist before they are named and
// run once, schedules pair, a task that stops leads to the one below it, and goes on as it was, mutexes are released by
// who has them, regions and frames are the current ones, data words are empty at first, ids are unique, return
// addresses are the program's. One word about all of it at the end: "checker: …, 0 faults". Built as a library of its
// own, for OMP_TOOL_LIBRARIES.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum state { CREATED, RUNNING, BELOW, STOPPED, DETACHED, DONE };
static const char* const state_names[] = {"created", "running", "below", "stopped", "detached", "done"};

struct task;
struct open_sync {
  int kind, waits;
  struct task* task;
};
enum { SYNCS_OF_STOPPED = 8 };
struct task {
  uint64_t id;
  enum state state;
  int explicit, fulfilled;
  struct thread* creator;
  int syncs; // in which it has stopped
  struct open_sync sync[SYNCS_OF_STOPPED];
};
struct region {
  uint64_t id;
  int ended, begun, size;
};
struct thread {
  uint64_t id;
  struct task* stack[100000];
  struct open_sync syncs[100000];
  int depth, sync_depth, work_depth, masked_depth, reductions, nested, ended, initial;
  uint64_t mutex;
  uint64_t held[64]; // mutexes
  int held_count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long faults, created, ended, regions, regions_ended, threads, threads_ended, implicit, implicit_ended, pairs,
    stolen;
static long initial;         // threads of the program that have not ended
static uint64_t locks[4096]; // that are initialised
static int lock_count;
static uint64_t* ids;
static long id_count, id_room;

static ompt_set_callback_t set_callback;
static ompt_get_unique_id_t unique_id;
static ompt_get_thread_data_t thread_data;
static ompt_get_task_info_t task_info;
static ompt_get_parallel_info_t parallel_info;
static ompt_get_state_t get_state;

/// By such an address a tool names the place in the source.
static int in_program(const void* site) {
  Dl_info one, runtime;
  return site != NULL && dladdr(site, &one) != 0 && dladdr((void*)set_callback, &runtime) != 0 &&
         one.dli_fbase != runtime.dli_fbase;
}

static void fault(const char* format, ...) {
  if (++faults > 20) return;
  va_list list;
  va_start(list, format);
  fprintf(stderr, "checker: ");
  vfprintf(stderr, format, list);
  fprintf(stderr, "\n");
  va_end(list);
}
#define MUST(condition, ...)                                                                                           \
  do                                                                                                                   \
    if (!(condition)) fault(__VA_ARGS__);                                                                              \
  while (0)

static uint64_t new_id(void) {
  if (id_count == id_room) ids = realloc(ids, (id_room = id_room ? 2 * id_room : 1024) * sizeof *ids);
  return ids[id_count++] = unique_id();
}

static struct thread* self(void) {
  ompt_data_t* data = thread_data();
  if (data == NULL || data->ptr == NULL) {
    fault("an event on a thread that has not begun");
    static struct thread none;
    return &none;
  }
  return data->ptr;
}
static struct task* top(struct thread* thread) { return thread->depth > 0 ? thread->stack[thread->depth - 1] : NULL; }
static void push(struct thread* thread, struct task* task) {
  if (thread->depth < 100000) thread->stack[thread->depth++] = task;
}
static struct task* new_task(ompt_data_t* data, int explicit) {
  MUST(data->ptr == NULL, "a new task's data is not empty");
  struct task* task = calloc(1, sizeof *task);
  task->id = new_id();
  task->explicit = explicit;
  data->ptr = task;
  return task;
}

#define ENTER pthread_mutex_lock(&lock)
#define LEAVE pthread_mutex_unlock(&lock)

// A tool may ask where it stands.
static void stands_outside(void) {
  MUST(omp_get_thread_num() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel() && omp_get_max_threads() > 0,
       "a thread begins or ends as number %d of %d", omp_get_thread_num(), omp_get_num_threads());
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t* data) {
  ENTER;
  stands_outside();
  MUST(data->ptr == NULL, "a new thread's data is not empty");
  MUST(kind == ompt_thread_initial || kind == ompt_thread_worker, "thread kind %d", kind);
  struct thread* thread = calloc(1, sizeof *thread);
  thread->id = new_id();
  thread->initial = kind == ompt_thread_initial;
  data->ptr = thread;
  ++threads;
  initial += thread->initial;
  LEAVE;
}
static void on_thread_end(ompt_data_t* data) {
  ENTER;
  struct thread* thread = data->ptr;
  MUST(thread != NULL && !thread->ended, "a thread ends twice");
  if (thread != NULL) {
    if (!thread->initial) stands_outside(); // others may end inside regions
    MUST(thread->depth == 0, "a thread ends in %d tasks", thread->depth);
    MUST(thread->sync_depth == 0, "a thread ends in a sync region");
    MUST(thread->work_depth == 0 && thread->masked_depth == 0 && thread->reductions == 0,
         "a thread ends in worksharing, masked or a reduction: %d %d %d", thread->work_depth, thread->masked_depth,
         thread->reductions);
    MUST(thread->held_count == 0 && thread->nested == 0, "a thread ends with %d mutexes", thread->held_count);
    thread->ended = 1;
    initial -= thread->initial;
  }
  ++threads_ended;
  LEAVE;
}

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned size,
                              int flags, const void* site) {
  ENTER;
  MUST(task->ptr == top(self()), "a region is encountered by a task that does not run here");
  MUST(parallel->ptr == NULL, "a new region's data is not empty");
  MUST(size > 0, "a region of no threads");
  MUST(in_program(site), "a region without a return address in the program");
  MUST(frame->enter_frame.ptr != NULL, "a region, and its task has not entered the runtime");
  struct region* region = calloc(1, sizeof *region);
  region->id = new_id();
  parallel->ptr = region;
  ++regions;
  LEAVE;
}
static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags, const void* site) {
  ENTER;
  struct region* region = parallel->ptr;
  MUST(region != NULL && !region->ended, "a region ends that has not begun");
  MUST(task->ptr == top(self()), "a region ends in a task that does not run here");
  if (region != NULL) region->ended = 1;
  ++regions_ended;
  LEAVE;
}

static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* data, unsigned size,
                             unsigned index, int flags) {
  ENTER;
  struct thread* thread = self();
  if (endpoint == ompt_scope_begin) {
    ++implicit;
    struct task* task = new_task(data, 0);
    task->state = RUNNING;
    if (top(thread) != NULL) top(thread)->state = BELOW;
    push(thread, task);
    if ((flags & ompt_task_initial) == 0) {
      struct region* region = parallel->ptr;
      MUST(region != NULL && !region->ended, "an implicit task of no region");
      MUST(index < size, "implicit task %u of %u", index, size);
      int level_size = 0;
      MUST(parallel_info(0, NULL, &level_size) == 2 && level_size == (int)size, "the team has %d threads, not %u",
           level_size, size);
    }
    ompt_data_t* current = NULL;
    MUST(task_info(0, NULL, &current, NULL, NULL, NULL) == 2 && current == data, "the implicit task is not current");
  } else {
    ++implicit_ended;
    MUST(data->ptr == top(thread), "an implicit task ends that does not run here");
    MUST(parallel == NULL, "an implicit task ends in a region");
    if (thread->depth > 0) --thread->depth;
    if (top(thread) != NULL) top(thread)->state = RUNNING;
    if (data->ptr != NULL) ((struct task*)data->ptr)->state = DONE;
  }
  LEAVE;
}

static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* data, int flags,
                           int has_dependences, const void* site) {
  ENTER;
  MUST(creator->ptr == top(self()), "a task is made by one that does not run here");
  MUST(in_program(site), "a task without a return address in the program");
  MUST(frame->enter_frame.ptr != NULL, "a task is made by one that has not entered the runtime");
  struct task* task = new_task(data, 1);
  task->creator = self();
  MUST(((flags & ompt_task_explicit) != 0) != ((flags & ompt_task_taskwait) != 0), "task flags %x", flags);
  ++created;
  LEAVE;
}

static void stop(struct thread* thread, struct task* task) {
  --thread->depth;
  task->state = STOPPED;
  for (; thread->sync_depth > 0 && thread->syncs[thread->sync_depth - 1].task == task; --thread->sync_depth)
    if (task->syncs < SYNCS_OF_STOPPED) task->sync[task->syncs++] = thread->syncs[thread->sync_depth - 1];
}

static void begin_or_go_on(struct thread* thread, struct task* task) {
  stolen += task->state == CREATED && task->creator != thread;
  task->state = RUNNING;
  push(thread, task);
  for (; task->syncs > 0 && thread->sync_depth < 100000; --task->syncs)
    thread->syncs[thread->sync_depth++] = task->sync[task->syncs - 1];
}

static void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  ENTER;
  struct thread* thread = self();
  struct task *before = prior->ptr, *after = next != NULL ? next->ptr : NULL;
  switch (status) {
  case ompt_task_switch:
  case ompt_task_yield:
    MUST(before == top(thread), "switch from a task that does not run here");
    if (before != NULL && before->explicit && thread->depth > 1 && after == thread->stack[thread->depth - 2]) {
      stop(thread, before);
      after->state = RUNNING;
      break;
    }
    MUST(after != NULL && (after->state == CREATED || after->state == STOPPED), "switch to a task that is %s",
         after ? state_names[after->state] : "not there");
    if (before != NULL) before->state = BELOW;
    if (after != NULL) begin_or_go_on(thread, after);
    break;
  case ompt_task_complete:
  case ompt_task_cancel:
  case ompt_task_detach:
    MUST(before != NULL && before == top(thread) && before->state == RUNNING,
         "the end of a task that does not run here");
    if (thread->depth > 0) --thread->depth;
    MUST(after == top(thread), "the end of a task leads to one that is not below it");
    if (after != NULL) after->state = RUNNING;
    if (status == ompt_task_detach) {
      MUST(before == NULL || !before->fulfilled, "a task is detached after its event has come");
      if (before != NULL) before->state = DETACHED;
    } else {
      if (before != NULL) before->state = DONE;
      ++ended;
    }
    break;
  case ompt_task_early_fulfill:
    MUST(next == NULL && before != NULL && before->state < DETACHED && !before->fulfilled, "early fulfilment");
    if (before != NULL) before->fulfilled = 1;
    break;
  case ompt_task_late_fulfill:
    MUST(next == NULL && before != NULL && before->state == DETACHED, "late fulfilment");
    if (before != NULL) before->state = DONE;
    ++ended;
    break;
  case ompt_taskwait_complete:
    MUST(next == NULL && before != NULL && before->state == CREATED, "the end of a taskwait");
    if (before != NULL) before->state = DONE;
    ++ended;
    break;
  default: fault("schedule status %d", status);
  }
  LEAVE;
}

static void on_cancel(ompt_data_t* data, int flags, const void* site) {
  ENTER;
  struct task* task = data->ptr;
  if ((flags & ompt_cancel_discarded_task) != 0) {
    MUST(task != NULL && task->state == CREATED, "a task is discarded that has begun");
    if (task != NULL) task->state = DONE;
    ++ended;
  }
  LEAVE;
}

static void on_dependences(ompt_data_t* data, const ompt_dependence_t* list, int count) {
  ENTER;
  MUST(data->ptr != NULL, "dependences of a task that is not there");
  MUST(count > 0, "no dependences");
  LEAVE;
}
static void on_task_dependence(ompt_data_t* source, ompt_data_t* sink) {
  ENTER;
  MUST(source->ptr != NULL && sink->ptr != NULL && source->ptr != sink->ptr, "a dependence of nothing");
  ++pairs;
  LEAVE;
}

/// Whether it is the data of the region that the calling thread is in.
static int is_current(ompt_data_t* parallel) {
  ompt_data_t* current = NULL;
  return parallel_info(0, &current, NULL) == 2 && parallel == current;
}

static void sync_event(int waits, ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                       ompt_data_t* task, const void* site) {
  ENTER;
  struct thread* thread = self();
  int joins = kind == ompt_sync_region_barrier_implicit_parallel; // which is in no call, and ends after its region
  MUST(is_current(parallel) || (joins && endpoint == ompt_scope_end && parallel == NULL),
       "a sync region (%d) of another region", kind);
  // The runtime's own barriers (at the end of a cancelled region) are in no call, either.
  MUST(in_program(site) || (site == NULL && (joins || kind == ompt_sync_region_barrier_implementation)),
       "a sync region (%d) without a return address in the program", kind);
  if (endpoint == ompt_scope_begin) {
    MUST(task->ptr == top(thread), "a sync region of a task that does not run here");
    if (thread->sync_depth < 100000) thread->syncs[thread->sync_depth++] = (struct open_sync){kind, waits, task->ptr};
  } else {
    struct open_sync* open = thread->sync_depth > 0 ? &thread->syncs[--thread->sync_depth] : NULL;
    MUST(open != NULL && open->kind == (int)kind && open->waits == waits && open->task == task->ptr,
         "the end of another sync region: %d%s instead of %d%s", kind, waits ? " (wait)" : "", open ? open->kind : 0,
         open && open->waits ? " (wait)" : "");
  }
  LEAVE;
}
static void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                           ompt_data_t* task, const void* site) {
  sync_event(0, kind, endpoint, parallel, task, site);
}
static void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                                ompt_data_t* task, const void* site) {
  sync_event(1, kind, endpoint, parallel, task, site);
}

static void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task,
                    uint64_t count, const void* site) {
  ENTER;
  struct thread* thread = self();
  thread->work_depth += endpoint == ompt_scope_begin ? 1 : -1;
  MUST(thread->work_depth >= 0, "the end of work that has not begun");
  MUST(task->ptr == top(thread), "work of a task that does not run here");
  MUST(is_current(parallel), "work of another region");
  MUST(site != NULL, "work (%d) without a return address", kind);
  LEAVE;
}

static void on_dispatch(ompt_data_t* parallel, ompt_data_t* task, ompt_dispatch_t kind, ompt_data_t instance) {
  ENTER;
  struct thread* thread = self();
  MUST(task->ptr == top(thread) && is_current(parallel), "a part of a loop in a task that does not run here");
  MUST(instance.ptr != NULL, "a part (%d) that is none", kind);
  if (kind == ompt_dispatch_ws_loop_chunk || kind == ompt_dispatch_taskloop_chunk) {
    const ompt_dispatch_chunk_t* chunk = instance.ptr;
    MUST(chunk->iterations > 0, "a part of no iterations");
  }
  MUST(kind == ompt_dispatch_taskloop_chunk || thread->work_depth > 0, "a part (%d) of no construct", kind);
  LEAVE;
}

static void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel, ompt_data_t* task, const void* site) {
  ENTER;
  struct thread* thread = self();
  thread->masked_depth += endpoint == ompt_scope_begin ? 1 : -1;
  MUST(thread->masked_depth >= 0, "the end of masked that has not begun");
  MUST(task->ptr == top(thread) && is_current(parallel) && site != NULL, "masked in a task that does not run here");
  LEAVE;
}

static void on_reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                         ompt_data_t* task, const void* site) {
  ENTER;
  struct thread* thread = self();
  thread->reductions += endpoint == ompt_scope_begin ? 1 : -1;
  MUST(kind == ompt_sync_region_reduction && (thread->reductions == 0 || thread->reductions == 1), "reductions nest");
  MUST(task->ptr == top(thread) && is_current(parallel), "a reduction in a task that does not run here");
  LEAVE;
}

static void on_flush(ompt_data_t* data, const void* site) {
  ENTER;
  MUST(data->ptr == self() && site != NULL, "a flush of another thread");
  LEAVE;
}

static int find(const uint64_t* list, int count, uint64_t id) {
  while (count > 0)
    if (list[--count] == id) return count;
  return -1;
}

static void on_lock_init(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                         const void* site) {
  ENTER;
  MUST(id != 0 && site != NULL, "a lock without an id");
  if (lock_count < 4096) locks[lock_count++] = id;
  LEAVE;
}
static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) {
  ENTER;
  int at = find(locks, lock_count, id);
  MUST(at >= 0, "the end of a lock that is none");
  if (at >= 0) locks[at] = locks[--lock_count];
  LEAVE;
}
static void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t id,
                             const void* site) {
  ENTER;
  MUST(id != 0 && site != NULL, "a mutex without an id");
  MUST(kind > ompt_mutex_test_nest_lock || find(locks, lock_count, id) >= 0, "a lock that is none");
  self()->mutex = id;
  ompt_wait_id_t waits_for = 0;
  int state = get_state(&waits_for);
  MUST(state >= ompt_state_wait_mutex && state <= ompt_state_wait_ordered && waits_for == id,
       "a thread that waits for a mutex is in state %x", state);
  LEAVE;
}
static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) {
  ENTER;
  struct thread* thread = self();
  MUST(thread->mutex == id, "another mutex was acquired");
  MUST(find(thread->held, thread->held_count, id) < 0, "a mutex was acquired twice");
  if (thread->held_count < 64) thread->held[thread->held_count++] = id;
  LEAVE;
}
// Told after the fact: another thread may have said already that it has the mutex.
static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void* site) {
  ENTER;
  struct thread* thread = self();
  int at = find(thread->held, thread->held_count, id);
  MUST(at >= 0, "a mutex (%d) is released by a thread that has not got it", kind);
  if (at >= 0) thread->held[at] = thread->held[--thread->held_count];
  LEAVE;
}
static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void* site) {
  ENTER;
  struct thread* thread = self();
  thread->nested += endpoint == ompt_scope_begin ? 1 : -1;
  MUST(thread->nested >= 0 && find(thread->held, thread->held_count, id) >= 0, "a nested lock that is not held");
  LEAVE;
}

static int compare(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

static void finish(ompt_data_t* data) {
  ENTER;
  MUST(created == ended, "%ld tasks were made, %ld ended", created, ended);
  MUST(regions == regions_ended, "%ld regions began, %ld ended", regions, regions_ended);
  MUST(implicit == implicit_ended + initial, "%ld implicit tasks began, %ld ended", implicit, implicit_ended);
  MUST(threads == threads_ended + initial, "%ld threads began, %ld ended", threads, threads_ended);
  qsort(ids, (size_t)id_count, sizeof *ids, compare);
  for (long i = 1; i < id_count; ++i) MUST(ids[i] != ids[i - 1], "an id was given twice");
  printf("checker: %ld threads, %ld regions, %ld tasks, %ld of them on other threads, %ld dependences, %ld faults\n",
         threads, regions, created, stolen, pairs, faults);
  fflush(stdout);
  LEAVE;
  if (faults != 0) _Exit(3);
}

static int begin(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
  unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
  thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
  task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
  parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
  get_state = (ompt_get_state_t)lookup("ompt_get_state");
#define SET(name) MUST(set_callback(ompt_callback_##name, (ompt_callback_t)on_##name) == ompt_set_always, #name)
  SET(thread_begin);
  SET(thread_end);
  SET(parallel_begin);
  SET(parallel_end);
  SET(implicit_task);
  SET(task_create);
  SET(task_schedule);
  SET(cancel);
  SET(dependences);
  SET(task_dependence);
  SET(sync_region);
  SET(sync_region_wait);
  SET(work);
  SET(mutex_acquire);
  SET(mutex_acquired);
  SET(mutex_released);
  SET(lock_init);
  SET(lock_destroy);
  SET(nest_lock);
  SET(dispatch);
  SET(masked);
  SET(reduction);
  SET(flush);
  return 1;
}

ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {begin, finish, {0}};
  return &result;
}
