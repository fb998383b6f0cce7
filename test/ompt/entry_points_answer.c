// What a tool gets from each entry point (OpenMP 5.2, 19.6): in the tool's initialiser, outside and inside regions and
// tasks, on a thread that OpenMP does not know, for wrong arguments, and after ompt_finalize_tool(). Also
// omp_control_tool(), and an offload library that connects by ompt_libomp_connect(). The tool is in the program.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t && %chomp-run env OMP_PLACES=threads OMP_PROC_BIND=true %t
// RUN: %chomp-run %t
// RUN: %if gomp %{ %gcc-openmp %omp-tools -rdynamic %s -o %t.gcc && %chomp-run %t.gcc %}
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH = 3, NO_TOOL = -2, NO_CALLBACK = -1 };
static int (*control_tool)(int, int, void*); // GCC's omp.h and libgomp have not got it

static int wrong, begun, created, finalized, controlled, connected, known_places;
#define MUST(condition)                                                                                                \
  do                                                                                                                   \
    if (!(condition)) wrong++, printf("line %d: %s\n", __LINE__, #condition);                                          \
  while (0)

#define ENTRY_POINTS(DO)                                                                                               \
  DO(enumerate_states)                                                                                                 \
  DO(enumerate_mutex_impls)                                                                                            \
  DO(set_callback)                                                                                                     \
  DO(get_callback)                                                                                                     \
  DO(get_thread_data)                                                                                                  \
  DO(get_num_procs)                                                                                                    \
  DO(get_num_places)                                                                                                   \
  DO(get_place_proc_ids)                                                                                               \
  DO(get_place_num)                                                                                                    \
  DO(get_partition_place_nums)                                                                                         \
  DO(get_proc_id)                                                                                                      \
  DO(get_state)                                                                                                        \
  DO(get_parallel_info)                                                                                                \
  DO(get_task_info)                                                                                                    \
  DO(get_task_memory)                                                                                                  \
  DO(get_target_info)                                                                                                  \
  DO(get_num_devices)                                                                                                  \
  DO(get_unique_id)                                                                                                    \
  DO(finalize_tool)
#define DECLARE(name) static ompt_##name##_t name;
ENTRY_POINTS(DECLARE)
static ompt_function_lookup_t look_up;

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel, unsigned size,
                              int flags, const void* site) {
  begun++;
  parallel->value = 4711;
}
static void on_task_create(ompt_data_t* creator, const ompt_frame_t* frame, ompt_data_t* task, int flags,
                           int dependences, const void* site) {
  created++;
  task->value = 815;
}
static void on_device(int device, const char* type, ompt_device_t* object, ompt_function_lookup_t lookup,
                      const char* documentation) {}
static int on_control(uint64_t command, uint64_t modifier, void* argument, const void* site) {
  ompt_frame_t* frame = NULL;
  MUST(get_task_info(0, NULL, NULL, &frame, NULL, NULL) == 2 && frame->enter_frame.ptr != NULL);
  MUST(command == FLUSH && modifier == 9 && argument == &controlled && site != NULL);
  controlled++;
  return 42;
}

static void check_callbacks(void) {
  ompt_callback_t function = NULL;
  for (int event = 1; event <= 37; ++event) {
    if (event == 11) continue; // set by check_control()
    int device =
        (event >= 8 && event <= 10) || (event >= 12 && event <= 15) || event == 22 || (event >= 33 && event <= 36);
    MUST(get_callback((ompt_callbacks_t)event, &function) == 0);
    if (event == ompt_callback_task_create) continue; // set below: it would have tasks observed
    ompt_set_result_t result = set_callback((ompt_callbacks_t)event, (ompt_callback_t)on_device);
    MUST(result == (device ? ompt_set_sometimes : ompt_set_always));
    MUST(get_callback((ompt_callbacks_t)event, &function) == 1 && function == (ompt_callback_t)on_device);
    MUST(set_callback((ompt_callbacks_t)event, NULL) >= ompt_set_sometimes);
    MUST(get_callback((ompt_callbacks_t)event, &function) == 0);
  }
  for (int event = -1; event < 200; event += event < 1 ? 1 : 37) // 0, and what is beyond the last one
    if (event < 1 || event > 37) {
      MUST(set_callback((ompt_callbacks_t)event, (ompt_callback_t)on_device) == ompt_set_error);
      MUST(get_callback((ompt_callbacks_t)event, &function) == 0);
    }
}

static void check_enumerations(void) {
  int state = ompt_state_undefined, states = 0, next = 0, kinds = 0;
  const char* name = NULL;
  unsigned long seen = 0;
  while (enumerate_states(state, &next, &name)) {
    MUST(name != NULL && strncmp(name, "ompt_state_", 11) == 0 && next != state);
    seen |= next == ompt_state_work_serial      ? 1
            : next == ompt_state_work_parallel  ? 2
            : next == ompt_state_wait_taskwait  ? 4
            : next == ompt_state_wait_lock      ? 8
            : next == ompt_state_idle           ? 16
            : next == ompt_state_overhead       ? 32
            : next == ompt_state_wait_taskgroup ? 64
                                                : 0;
    state = next;
    if (++states > 100) break;
  }
  MUST(seen == 127 && states < 100);
  MUST(enumerate_states(0x7777, &next, &name) == 0);
  for (int kind = 0; enumerate_mutex_impls(kind, &next, &name) && kinds < 100; kind = next, ++kinds) MUST(name != NULL);
  MUST(kinds > 0 && kinds < 100);
}

static void check_places(void) {
  int ids[4096], places[4096];
  MUST(get_num_procs() == omp_get_num_procs());
  known_places = get_num_places();
  MUST(known_places == omp_get_num_places());
  for (int place = 0; place < known_places; ++place) {
    int count = get_place_proc_ids(place, 0, NULL);
    MUST(count == omp_get_place_num_procs(place) && count > 0);
    ids[0] = -7;
    MUST(get_place_proc_ids(place, count - 1, ids) == count && ids[0] == -7); // too little room: nothing is written
    MUST(get_place_proc_ids(place, 4096, ids) == count && ids[0] >= 0);
  }
  MUST(get_place_proc_ids(known_places, 4096, ids) == 0 && get_place_proc_ids(-1, 4096, ids) == 0);
  MUST(get_place_num() == omp_get_place_num());
  int count = get_partition_place_nums(4096, places);
  MUST(count == omp_get_partition_num_places());
  if (get_place_num() >= 0) MUST(count > 0 && places[0] >= 0 && get_partition_place_nums(0, places) == count);
  MUST(get_proc_id() >= 0 && get_proc_id() < 4096);
}

static int initialise(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  look_up = lookup;
#define LOOK_UP(name) MUST((name = (ompt_##name##_t)lookup("ompt_" #name)) != NULL);
  ENTRY_POINTS(LOOK_UP)
  MUST(lookup("ompt_no_such_entry_point") == NULL && lookup("") == NULL);
  MUST(device == 0 && data->value == 12);
  check_callbacks();
  MUST(set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin) == ompt_set_always);
  MUST(set_callback(ompt_callback_task_create, (ompt_callback_t)on_task_create) == ompt_set_always);
  return 1;
}
static void finalize(ompt_data_t* data) {
  MUST(data->value == 12);
  finalized++;
}
ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t result = {initialise, finalize, {.value = 12}};
  MUST(version >= 201611 && runtime != NULL);
  return &result;
}

/// A thread that OpenMP does not know.
static void* ask_from_outside(void* unused) {
  int value = 0;
  uint64_t id = 0;
  MUST(get_thread_data() == NULL);
  MUST(get_state(NULL) == ompt_state_work_serial || get_state(&id) == ompt_state_undefined);
  MUST(get_parallel_info(0, NULL, &value) == 0 && get_task_info(0, &value, NULL, NULL, NULL, NULL) == 0);
  MUST(get_task_memory(NULL, NULL, 0) == 0 && get_place_num() == -1 && get_proc_id() == -1);
  MUST(get_partition_place_nums(0, NULL) == 0);
  return (void*)(uintptr_t)get_unique_id();
}

static void check_offload(void);

static void inside(void) {
  ompt_data_t *region = NULL, *task = NULL, *thread = get_thread_data();
  int size = 0, flags = 0, number = -1;
  MUST(thread != NULL && get_state(NULL) == ompt_state_work_parallel);
  MUST(get_parallel_info(0, &region, &size) == 2 && region->value == 4711 && size == 2);
  MUST(get_parallel_info(1, &region, &size) == 2 && size == 1);
  MUST(get_parallel_info(2, &region, &size) == 0 && get_parallel_info(-1, &region, &size) == 0);
  MUST(get_task_info(0, &flags, &task, NULL, &region, &number) == 2 && region->value == 4711);
  MUST((flags & ompt_task_implicit) && number == omp_get_thread_num());
  MUST(get_task_memory(NULL, NULL, 0) == 0);
#pragma omp single
  {
    int own[6] = {1, 2, 3, 4, 5, 6};
#pragma omp task firstprivate(own) if (own[0] == 2)
    {
      void* block = NULL;
      size_t bytes = 0;
      MUST(get_task_info(0, &flags, &task, NULL, &region, &number) == 2 && task->value == 815);
      MUST((flags & ompt_task_explicit) && (flags & ompt_task_undeferred) && number == omp_get_thread_num());
      MUST(get_task_info(1, &flags, &task, NULL, &region, &number) == 2 && (flags & ompt_task_implicit));
      // Of an undeferred task GCC keeps its data where they are.
      MUST(get_task_memory(&block, &bytes, 0) == 0);
#ifdef __clang__
      MUST((char*)own >= (char*)block && (char*)(own + 6) <= (char*)block + bytes);
#endif
      MUST(get_task_memory(&block, &bytes, 1) == 0 && block == NULL && bytes == 0);
    }
  }
}

int main(void) {
  control_tool = (int (*)(int, int, void*))dlsym(RTLD_DEFAULT, "omp_control_tool");
  MUST(control_tool(FLUSH, 9, &controlled) == NO_CALLBACK);
  set_callback(ompt_callback_control_tool, (ompt_callback_t)on_control);
  MUST(control_tool(FLUSH, 9, &controlled) == 42 && controlled == 1);
  check_enumerations();
  check_places();
  MUST(get_num_devices() >= 1 && get_target_info(NULL, NULL, NULL) == 0);
  uint64_t first = get_unique_id(), second = get_unique_id();
  MUST(first != 0 && first != second);
  pthread_t thread;
  void* third = NULL;
  pthread_create(&thread, NULL, ask_from_outside, NULL);
  pthread_join(thread, &third);
  MUST((uintptr_t)third != first && (uintptr_t)third != second && third != NULL);
  int flags = 0;
  MUST(get_task_info(0, &flags, NULL, NULL, NULL, NULL) == 2 && (flags & ompt_task_initial));
  MUST(get_task_info(1, &flags, NULL, NULL, NULL, NULL) == 0);
#pragma omp parallel num_threads(2)
  inside();
  MUST(begun == 1 && created == 1);
  check_offload();
  set_callback(ompt_callback_parallel_begin, NULL);
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
  MUST(begun == 1);
  set_callback(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
  finalize_tool();
  MUST(finalized == 1);
#pragma omp parallel num_threads(2)
  __asm__ volatile("");
  MUST(begun == 1 && get_task_info(0, &flags, NULL, NULL, NULL, NULL) == 0);
  MUST(control_tool(FLUSH, 9, &controlled) == NO_TOOL);
  finalize_tool(); // says nothing twice
  MUST(finalized == 1 && connected == 2);
  return wrong != 0;
}

// ---- An offload library ---------------------------------------------------------------------------------------------

static int offload_initialise(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  MUST(device == 0);
  MUST(lookup("ompt_callback_device_initialize") == (ompt_interface_fn_t)on_device);
  MUST(lookup("ompt_callback_target_emi") == NULL && lookup("ompt_callback_no_such_event") == NULL);
  ompt_data_t* (*task_data)(void) = (ompt_data_t * (*)(void)) lookup("ompt_get_task_data");
  ompt_data_t* current = NULL;
  get_task_info(0, NULL, &current, NULL, NULL, NULL);
  MUST(task_data != NULL && task_data() == current && current != NULL);
  MUST(lookup("ompt_get_target_task_data") != NULL);
  connected++;
  return 1;
}
static void offload_finalize(ompt_data_t* data) {
  MUST(finalized == 0); // before the tool
  connected++;
}

static void check_offload(void) {
  static ompt_start_tool_result_t offload = {offload_initialise, offload_finalize, {0}};
  set_callback(ompt_callback_device_initialize, (ompt_callback_t)on_device);
  void (*connect)(ompt_start_tool_result_t*) =
      (void (*)(ompt_start_tool_result_t*))dlsym(RTLD_DEFAULT, "ompt_libomp_connect");
  MUST(connect != NULL);
  if (connect != NULL) connect(&offload);
  MUST(connected == 1);
}
