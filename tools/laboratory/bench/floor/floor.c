// The ABI floor: what a task costs when the runtime does nothing but serve the compiler's calls.
//
// A library with libomp's name for exactly one thread. Tasks come from free lists, wait on an array stack and run in
// LIFO order; there is no synchronisation of any kind, no child count, no thread identity. What is left (four library
// calls and one indirect call per task, one header line touched) is the price of the ABI itself, and other runtimes are
// reported as multiples of it. It serves the task patterns of ../patterns only and is no runtime: more than one thread,
// dependences, detached events, priorities and chunked loops are absent, and a program that needs them fails to link or
// stops here.
//
// FROZEN: numbers recorded at different times are comparable only while this file stays as it is. A change to it is a
// new floor: say so in the commit and record all results again.
//
// Invariant: at every scheduling point of task T, the entries of the stack above T's floor are descendants of T. So
// taskwait and the end of a taskgroup drain the stack down to the floor (a little more than their due) and nothing has
// to be counted.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

typedef struct ident ident_t;
typedef struct task task_t;
typedef int32_t (*routine_t)(int32_t gtid, task_t* task);

// The compiler's view of a task (kmp_task_t); its privates, then its shareds, follow.
struct task {
  void* shareds;
  routine_t routine;
  int32_t part_id;
  union {
    int32_t priority;
    routine_t destructors;
  } data1, data2;
};

// Ours, right before it.
typedef struct header {
  union {
    struct header* next_free;
    uint32_t saved_floor; // between task_begin_if0 and complete_if0
  };
  task_t* saved_current; // between task_begin_if0 and complete_if0
  uint32_t size;         // of the compiler's part, in bytes
  uint16_t size_class;
  uint16_t flags; // kTied and so on
} header;

enum {
  kTied = 0x1,            // the compiler's bits
  kFinal = 0x2,           // here: also inherited from the parent
  kDestructors = 0x8,     //
  kUndeferred = 0x8000,   // between task_begin_if0 and complete_if0
  kLineBytes = 64,        // size classes are multiples of it
  kSizeClasses = 64,      // up to 4 KiB per task
  kSlabBytes = 1 << 20,   //
  kMaxWaiting = 1 << 26,  // entries of the stack; reserved, committed when touched
  kScheduleStatic = 34,   // kmp_sch_static: one block per thread
  kTaskloopGrainsize = 1, // the `sched` argument of __kmpc_taskloop
  kTaskloopNumTasks = 2,
};

static header* free_lists[kSizeClasses];
static char* slab_next;
static char* slab_end;
static task_t** stack;
static uint32_t top;    // number of waiting tasks
static uint32_t floor;  // `top` when the running task began
static task_t* current; // the running explicit task, or null
static int run_again;   // the running part of an untied task handed its task back
static int in_parallel; //

static header* header_of(task_t* task) { return (header*)task - 1; }

static _Noreturn void give_up(const char* what) {
  fprintf(stderr, "floor: %s: not in the ABI floor\n", what);
  exit(3);
}

static void* reserve(size_t bytes) {
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) give_up("out of memory");
  return memory;
}

__attribute__((constructor)) static void start(void) { stack = reserve(sizeof(task_t*) * (size_t)kMaxWaiting); }

static __attribute__((noinline)) header* carve_slow(unsigned size_class) {
  const size_t bytes = (size_t)size_class * kLineBytes;
  if (slab_next + bytes > slab_end) {
    slab_next = reserve(kSlabBytes);
    slab_end = slab_next + kSlabBytes;
  }
  header* h = (header*)slab_next;
  slab_next += bytes;
  h->size_class = (uint16_t)size_class;
  return h;
}

static void release(task_t* task) {
  header* h = header_of(task);
  h->next_free = free_lists[h->size_class];
  free_lists[h->size_class] = h;
}

static void run(task_t* task) {
  task_t* const outer = current;
  const uint32_t outer_floor = floor;
  current = task;
  floor = top;
  do {
    run_again = 0;
    task->routine(0, task);
  } while (run_again);
  if (UNLIKELY(header_of(task)->flags & kDestructors)) task->data1.destructors(0, task);
  current = outer;
  floor = outer_floor;
  release(task);
}

static void drain(void) {
  while (top > floor) run(stack[--top]);
}

// --- tasks ---

EXPORT task_t* __kmpc_omp_task_alloc(ident_t* loc, int32_t gtid, int32_t flags, size_t size, size_t shareds,
                                     routine_t routine) {
  (void)loc, (void)gtid;
  const size_t rounded = (size + 7) & ~(size_t)7;
  const size_t bytes = rounded + shareds;
  const unsigned size_class = (unsigned)((sizeof(header) + bytes + kLineBytes - 1) / kLineBytes);
  if (UNLIKELY(size_class >= kSizeClasses)) give_up("a task of 4 KiB");
  header* h = free_lists[size_class];
  if (LIKELY(h != NULL))
    free_lists[size_class] = h->next_free;
  else
    h = carve_slow(size_class);
  task_t* task = (task_t*)(h + 1);
  const uint16_t inherited = current != NULL ? (header_of(current)->flags & kFinal) : 0;
  h->flags = (uint16_t)flags | inherited;
  h->size = (uint32_t)bytes;
  task->shareds = shareds != 0 ? (char*)task + rounded : NULL;
  task->routine = routine;
  task->part_id = 0;
  return task;
}

EXPORT int32_t __kmpc_omp_task(ident_t* loc, int32_t gtid, task_t* task) {
  (void)loc, (void)gtid;
  if (task == current) { // an untied task between two of its parts
    if (UNLIKELY(header_of(task)->flags & kUndeferred))
      task->routine(0, task);
    else
      run_again = 1;
    return 0;
  }
  if (UNLIKELY(current != NULL && (header_of(current)->flags & kFinal))) {
    run(task);
    return 0;
  }
  if (UNLIKELY(top == kMaxWaiting)) give_up("2^26 waiting tasks");
  stack[top++] = task;
  return 0;
}

EXPORT int32_t __kmpc_omp_taskwait(ident_t* loc, int32_t gtid) {
  (void)loc, (void)gtid;
  drain();
  return 0;
}

EXPORT int32_t __kmpc_omp_taskyield(ident_t* loc, int32_t gtid, int32_t end_part) {
  (void)loc, (void)gtid, (void)end_part;
  return 0;
}

EXPORT void __kmpc_omp_task_begin_if0(ident_t* loc, int32_t gtid, task_t* task) {
  (void)loc, (void)gtid;
  header* h = header_of(task);
  h->flags |= kUndeferred;
  h->saved_current = current;
  h->saved_floor = floor;
  current = task;
  floor = top;
}

EXPORT void __kmpc_omp_task_complete_if0(ident_t* loc, int32_t gtid, task_t* task) {
  (void)loc, (void)gtid;
  header* h = header_of(task);
  if (UNLIKELY(h->flags & kDestructors)) task->data1.destructors(0, task);
  current = h->saved_current;
  floor = h->saved_floor;
  release(task);
}

EXPORT void __kmpc_taskgroup(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }

EXPORT void __kmpc_end_taskgroup(ident_t* loc, int32_t gtid) {
  (void)loc, (void)gtid;
  drain();
}

// One thread reduces into the original variables.
EXPORT void* __kmpc_taskred_init(int32_t gtid, int32_t count, void* data) {
  (void)gtid, (void)count;
  return data;
}

EXPORT void* __kmpc_task_reduction_get_th_data(int32_t gtid, void* taskgroup, void* data) {
  (void)gtid, (void)taskgroup;
  return data;
}

// --- taskloop: one copied task per chunk, queued ---

typedef struct bounds { // follows task_t in the privates of a taskloop's task
  uint64_t lower;
  uint64_t upper;
  int64_t stride;
  int32_t last;
} bounds;

typedef void (*task_dup_t)(task_t* to, task_t* from, int32_t last);

static task_t* copy_of(task_t* pattern) {
  const header* from = header_of(pattern);
  task_t* task = __kmpc_omp_task_alloc(NULL, 0, from->flags, from->size, 0, pattern->routine);
  memcpy(task, pattern, from->size);
  if (pattern->shareds != NULL) task->shareds = (char*)task + ((char*)pattern->shareds - (char*)pattern);
  return task;
}

static uint64_t iterations_per_task(uint64_t trips, int32_t sched, uint64_t grainsize) {
  if (sched == kTaskloopGrainsize) return grainsize;
  const uint64_t tasks = sched == kTaskloopNumTasks ? grainsize : 10;
  return (trips + tasks - 1) / tasks;
}

EXPORT void __kmpc_taskloop(ident_t* loc, int32_t gtid, task_t* pattern, int32_t if_clause, uint64_t* lower,
                            uint64_t* upper, int64_t stride, int32_t nogroup, int32_t sched, uint64_t grainsize,
                            void* task_dup) {
  (void)if_clause;
  const uint64_t trips = (*upper - *lower) / (uint64_t)stride + 1;
  const uint64_t grain = iterations_per_task(trips, sched, grainsize);
  const ptrdiff_t where = (char*)lower - (char*)pattern;
  for (uint64_t done = 0; done < trips; done += grain) {
    const uint64_t count = trips - done < grain ? trips - done : grain;
    task_t* task = copy_of(pattern);
    bounds* b = (bounds*)((char*)task + where);
    b->lower += done * (uint64_t)stride;
    b->upper = b->lower + (count - 1) * (uint64_t)stride;
    b->last = done + count == trips;
    if (task_dup != NULL) ((task_dup_t)task_dup)(task, pattern, b->last);
    __kmpc_omp_task(loc, gtid, task);
  }
  release(pattern);
  if (!nogroup) drain();
}

// --- parallel regions of one thread ---

typedef void (*microtask_t)(int32_t* gtid, int32_t* tid, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                            void*);

EXPORT void __kmpc_fork_call(ident_t* loc, int32_t argc, microtask_t microtask, ...) {
  (void)loc;
  enum { kMaxArguments = 10 };
  if (argc > kMaxArguments) give_up("a parallel region with more than ten shared variables");
  void* a[kMaxArguments] = {0};
  va_list arguments;
  va_start(arguments, microtask);
  for (int i = 0; i < argc; i++) a[i] = va_arg(arguments, void*);
  va_end(arguments);

  task_t* const outer = current;
  const uint32_t outer_floor = floor;
  int32_t gtid = 0, tid = 0;
  current = NULL;
  floor = top;
  in_parallel++;
  microtask(&gtid, &tid, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
  drain();
  in_parallel--;
  current = outer;
  floor = outer_floor;
}

EXPORT int32_t __kmpc_global_thread_num(ident_t* loc) {
  (void)loc;
  return 0;
}
EXPORT void __kmpc_push_num_threads(ident_t* loc, int32_t gtid, int32_t threads) {
  (void)loc, (void)gtid, (void)threads;
}
EXPORT void __kmpc_serialized_parallel(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }
EXPORT void __kmpc_end_serialized_parallel(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }
EXPORT void __kmpc_barrier(ident_t* loc, int32_t gtid) {
  (void)loc, (void)gtid;
  drain();
}
EXPORT int32_t __kmpc_single(ident_t* loc, int32_t gtid) {
  (void)loc, (void)gtid;
  return 1;
}
EXPORT void __kmpc_end_single(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }
EXPORT int32_t __kmpc_master(ident_t* loc, int32_t gtid) {
  (void)loc, (void)gtid;
  return 1;
}
EXPORT void __kmpc_end_master(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }
EXPORT int32_t __kmpc_masked(ident_t* loc, int32_t gtid, int32_t filter) {
  (void)loc, (void)gtid;
  return filter == 0;
}
EXPORT void __kmpc_end_masked(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }

// The only thread of a static loop has all of it.
static void static_init(int32_t schedule, int32_t* last) {
  if (schedule != kScheduleStatic) give_up("a loop schedule other than static");
  if (last != NULL) *last = 1;
}

#define STATIC_INIT(suffix, type, signed_type)                                                                         \
  EXPORT void __kmpc_for_static_init_##suffix(ident_t* loc, int32_t gtid, int32_t schedule, int32_t* last,             \
                                              type* lower, type* upper, signed_type* stride, signed_type increment,    \
                                              signed_type chunk) {                                                     \
    (void)loc, (void)gtid, (void)increment, (void)chunk;                                                               \
    *stride = (signed_type)(*upper - *lower + 1);                                                                      \
    static_init(schedule, last);                                                                                       \
  }
STATIC_INIT(4, int32_t, int32_t)
STATIC_INIT(4u, uint32_t, int32_t)
STATIC_INIT(8, int64_t, int64_t)
STATIC_INIT(8u, uint64_t, int64_t)

EXPORT void __kmpc_for_static_fini(ident_t* loc, int32_t gtid) { (void)loc, (void)gtid; }

// --- the programmer's calls ---

EXPORT int omp_get_thread_num(void) { return 0; }
EXPORT int omp_get_num_threads(void) { return 1; }
EXPORT int omp_get_max_threads(void) { return 1; }
EXPORT void omp_set_num_threads(int threads) { (void)threads; }
EXPORT int omp_get_num_procs(void) { return 1; }
EXPORT int omp_in_parallel(void) { return 0; }
EXPORT int omp_get_level(void) { return in_parallel; }
EXPORT int omp_in_final(void) { return current != NULL && (header_of(current)->flags & kFinal) != 0; }
EXPORT double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
