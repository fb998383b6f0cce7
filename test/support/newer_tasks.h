// Tasks with clauses of OpenMP 6.0, made as newer compilers make them: by flags of __kmpc_omp_task_alloc.
#pragma once

#include <omp.h>
#include <stdint.h>

typedef struct {
  void* shareds;
  int (*routine)(int, void*);
  int part;
  union {
    int priority;
    void* destructors;
  } data1, data2;
} NewerPayload; // what the compiler's own are

typedef struct {
  NewerPayload payload;
  void (*body)(void*);
  void* argument;
  uint64_t lower, upper; // of taskloops
  int64_t stride;
  int last;
} NewerTask;

typedef struct {
  void* address;
  size_t bytes;
  uint8_t kind;
} NewerDependence;

extern void* __kmpc_omp_task_alloc(void*, int, int flags, size_t, size_t, int (*)(int, void*));
extern int __kmpc_omp_task(void*, int, void*);
extern int __kmpc_omp_task_with_deps(void*, int, void*, int, NewerDependence*, int, NewerDependence*);
extern void __kmpc_taskloop(void*, int, void*, int if_value, uint64_t*, uint64_t*, int64_t, int nogroup, int kind,
                            uint64_t number, void* copy);
extern int __kmpc_global_thread_num(void*);
extern omp_event_handle_t __kmpc_task_allow_completion_event(void*, int, void*);

enum { kTied = 1, kPrioritised = 0x20, kDetachable = 0x40, kPool = 0x80, kTransparent = 0x100 };
enum { kIn = 1, kOut = 2, kInOut = 3, kMutex = 4 };

static int newer_body(int gtid, void* task) {
  (void)gtid;
  ((NewerTask*)task)->body(((NewerTask*)task)->argument);
  return 0;
}

static inline NewerTask* newer_task(int flags, void (*body)(void*), void* argument) {
  NewerTask* task = __kmpc_omp_task_alloc(0, __kmpc_global_thread_num(0), flags, sizeof(NewerTask), 0, newer_body);
  task->body = body;
  task->argument = argument;
  return task;
}

static inline void newer_spawn(int flags, void (*body)(void*), void* argument) {
  __kmpc_omp_task(0, __kmpc_global_thread_num(0), newer_task(flags, body, argument));
}

static inline void newer_spawn_task_after(NewerTask* task, int kind, void* address) {
  NewerDependence on = {address, 1, (uint8_t)kind};
  __kmpc_omp_task_with_deps(0, __kmpc_global_thread_num(0), task, 1, &on, 0, 0);
}

static inline void newer_spawn_after(int flags, void (*body)(void*), void* argument, int kind, void* address) {
  newer_spawn_task_after(newer_task(flags, body, argument), kind, address);
}

static inline omp_event_handle_t newer_event(NewerTask* task) {
  return __kmpc_task_allow_completion_event(0, __kmpc_global_thread_num(0), task);
}
