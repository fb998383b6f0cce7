/* chomp/alpi.h: ALPI 1.2, the interface by which libraries that know of tasks (Task-Aware MPI) stop them. chomp has
 * its own <chomp.h> for the same; this header is for those who know ALPI. The names belong to the symbol version
 * ALPI_1.2; libraries find them by dlsym(), too. tools/docs/blocking.md has a program.
 *
 * Every thread that calls is in a task: an explicit one, the implicit one of a region, or outside of regions its
 * initial task. Every function but the first returns 0 or one of the errors, and then has done nothing:
 *
 *   ALPI_ERR_PARAMETER       a null pointer, a handle of another task, a number that is none of those here
 *   ALPI_ERR_OUT_OF_MEMORY   the system refuses memory, or a thread
 */
#ifndef CHOMP_ALPI_H
#define CHOMP_ALPI_H

#include <stddef.h>
#include <stdint.h>

#ifdef CHOMP_WEAK
#define ALPI_DECLARE __attribute__((weak)) extern
#else
#define ALPI_DECLARE extern
#endif

enum { ALPI_VERSION_MAJOR = 1, ALPI_VERSION_MINOR = 2 };

enum {
  ALPI_SUCCESS,
  ALPI_ERR_VERSION,
  ALPI_ERR_NOT_INITIALIZED, /* not given: chomp starts when it is first called */
  ALPI_ERR_PARAMETER,
  ALPI_ERR_OUT_OF_MEMORY,
  ALPI_ERR_OUTSIDE_TASK, /* not given, for the same reason */
  ALPI_ERR_UNKNOWN,      /* the task cannot do that: see alpi_task_events_increase() and alpi_task_suspend() */
  ALPI_ERR_FEATURE_UNKNOWN,
  ALPI_ERR_MAX
};

/* Bits of alpi_feature_check(). */
enum { ALPI_FEATURE_BLOCKING = 1, ALPI_FEATURE_EVENTS = 2, ALPI_FEATURE_RESOURCES = 4, ALPI_FEATURE_SUSPEND = 8 };

/* What alpi_info_get() is asked for. */
typedef enum { ALPI_INFO_RUNTIME_NAME, ALPI_INFO_RUNTIME_VENDOR, ALPI_INFO_VERSION } alpi_info_t;

/* Modes of alpi_task_suspend_mode_set(). */
typedef enum {
  ALPI_SUSPEND_NONE,           /* the body is run again after alpi_task_unblock() */
  ALPI_SUSPEND_SUBMIT,         /* soon; args 1: after others, as in taskyield */
  ALPI_SUSPEND_TIMEOUT_SUBMIT, /* after args nanoseconds */
  ALPI_SUSPEND_EVENT_SUBMIT    /* when its events have been decreased to none */
} alpi_suspend_mode_t;

struct alpi_task;
struct alpi_attr;

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The text of an error. It is not to be freed. */
ALPI_DECLARE const char* alpi_error_string(int error);

/* Writes the name, the vendor or the version of the runtime, cut to max_length bytes with the zero at its end. length,
 * which may be null, becomes that of what was written, without the zero. */
ALPI_DECLARE int alpi_info_get(alpi_info_t query, char* buffer, size_t max_length, int* length);

/* ALPI_ERR_FEATURE_UNKNOWN, if one of them is none of the above. All of those are there. */
ALPI_DECLARE int alpi_feature_check(int features);

/* ALPI_ERR_VERSION, if a program made for that version cannot use this one: another major version, or a later minor. */
ALPI_DECLARE int alpi_version_check(int major, int minor);
ALPI_DECLARE int alpi_version_get(int* major, int* minor);

/* The handle of the running task, until the task ends. The first call of this function, or of
 * one above or below that asks for a version, a feature or a spawned task, makes chomp run each task that begins
 * afterwards on a stack of its own: a task that began earlier keeps those below it on its thread from going on. */
ALPI_DECLARE int alpi_task_self(struct alpi_task** task);

/* The calling task stops until alpi_task_unblock(), or not at all if that came first. Its thread runs others meanwhile,
 * and it goes on on the same thread. */
ALPI_DECLARE int alpi_task_block(struct alpi_task* self);

/* From any thread, once for each alpi_task_block(): ALPI_ERR_PARAMETER, if the task was unblocked already. */
ALPI_DECLARE int alpi_task_unblock(struct alpi_task* task);

/* The calling task stops for about so many nanoseconds. actual_ns, which may be null, becomes how many they were. */
ALPI_DECLARE int alpi_task_waitfor_ns(uint64_t target_ns, uint64_t* actual_ns);

/* The calling task will have finished, and what depends on it or waits for it goes on, only when its body has returned
 * and its events have been decreased as often. Those of an implicit task delay the barriers of its region, those of an
 * initial task nothing.
 * ALPI_ERR_UNKNOWN: it is a task of a task graph. */
ALPI_DECLARE int alpi_task_events_increase(struct alpi_task* self, uint64_t count);

/* From any thread. The handle is void afterwards if the body has returned, and these were the last. ALPI_ERR_PARAMETER:
 * there are fewer. */
ALPI_DECLARE int alpi_task_events_decrease(struct alpi_task* task, uint64_t count);

/* Whether the calling task has some: 0 or 1; others may decrease them meanwhile. */
ALPI_DECLARE int alpi_task_events_test(struct alpi_task* self, uint64_t* has_events);

/* The attributes of a spawned task: there are none but the defaults, for which a null pointer stands as well.
 * alpi_attr_init() makes them in memory of the caller's, of so many bytes as alpi_attr_size() says. alpi_attr_destroy()
 * does nothing with a null pointer. */
ALPI_DECLARE int alpi_attr_create(struct alpi_attr** attr);
ALPI_DECLARE int alpi_attr_destroy(struct alpi_attr* attr);
ALPI_DECLARE int alpi_attr_init(struct alpi_attr* attr);
ALPI_DECLARE int alpi_attr_size(uint64_t* attr_size);

/* A task of no region, which nobody waits for: from any thread. All of them run on one thread of chomp's own, one at a
 * time, and change places where one waits, blocks or suspends. completion_callback, which may not be null, is called on
 * that thread after the task, its children and its events. The label is not used. */
ALPI_DECLARE int alpi_task_spawn(void (*body)(void*), void* body_args, void (*completion_callback)(void*),
                                 void* completion_args, const char* label, const struct alpi_attr* attr);

/* What stands for CPUs: how many numbers there are, always the same, as many as the process may use CPUs or as
 * OMP_NUM_THREADS says, but not more than the machine has CPUs; and the calling task's, from 0. No other task is given
 * it until this one has come to a scheduling point, where a lock of OpenMP's that it waits for counts as one. A thread
 * may wait for a number, where there are more threads than numbers; then it takes one from a thread that has slept for
 * 20 ms, or computed for 2 s, since it last asked. The last function says which CPU of the system the caller is on. */
ALPI_DECLARE int alpi_cpu_count(uint64_t* count);
ALPI_DECLARE int alpi_cpu_logical_id(uint64_t* logical_id);
ALPI_DECLARE int alpi_cpu_system_id(uint64_t* system_id);

/* What happens where the calling task suspends: ALPI_SUSPEND_NONE, until this is called. */
ALPI_DECLARE int alpi_task_suspend_mode_set(struct alpi_task* self, alpi_suspend_mode_t mode, uint64_t args);

/* When the body of the calling task returns the next time, it will be run again, as the mode says, and the task does
 * not end. Not for objects that C++ destroys at the end of the body. ALPI_ERR_UNKNOWN: the task is implicit or of a
 * task graph, or an undeferred one that the compiled code calls itself. */
ALPI_DECLARE int alpi_task_suspend(struct alpi_task* self);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#undef ALPI_DECLARE
#endif
