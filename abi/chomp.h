/* chomp.h: what a program can ask of chomp beyond OpenMP: its version, how tasks are scheduled, and what threads have
 * done. Optional: a program that never includes it loses nothing.
 *
 * A program that is to run on other OpenMP libraries too defines CHOMP_WEAK before it includes this file; then every
 * function here may be null, and chomp is there if one is not:
 *
 *     #define CHOMP_WEAK
 *     #include <chomp.h>
 *     if (chomp_version) printf("on chomp %s\n", chomp_version());
 *
 * Without CHOMP_WEAK, and in languages without weak references, dlsym(RTLD_DEFAULT, "chomp_version") asks the same.
 * The functions may be called from any thread at any time, also before the first OpenMP construct: they then start
 * chomp as a construct would. They must not be called from signal handlers. They belong to the symbol version
 * CHOMP_1.0. */
#ifndef CHOMP_H
#define CHOMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef CHOMP_WEAK
#define CHOMP_DECLARE __attribute__((weak)) extern
#else
#define CHOMP_DECLARE extern
#endif

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and schedulers ------------------------------------------------------------------------------------- */

/* "0.1.0" and the like. */
CHOMP_DECLARE const char* chomp_version(void);

/* The name of the scheduler in force, as CHOMP_SCHEDULER takes it. */
CHOMP_DECLARE const char* chomp_scheduler(void);

/* The names of all schedulers, and for each its other name, or null: index 0, 1, … until the name is null. */
CHOMP_DECLARE const char* chomp_scheduler_name(int index);
CHOMP_DECLARE const char* chomp_scheduler_alias(int index);

/* ---- The machine as the scheduler sees it ----------------------------------------------------------------------- */

/* How many domains (chips) there are, at least 1. */
CHOMP_DECLARE int chomp_domains(void);

/* How many processing units domain 0 … chomp_domains() - 1 has; 0 if there is no such domain. */
CHOMP_DECLARE int chomp_domain_units(int domain);

/* How far apart two domains are: 0 for the same one, larger is farther; -1 if one of them does not exist. */
CHOMP_DECLARE int chomp_domain_distance(int from, int to);

/* Where that comes from: "sysfs", "hwloc", "synthetic" (HWLOC_SYNTHETIC), "flat". */
CHOMP_DECLARE const char* chomp_topology(void);

/* ---- Tasks that wait for something outside OpenMP ---------------------------------------------------------------- */

/* A task that waits for a message, a file or a device need not hold its thread:
 *
 *     chomp_task_t* self = chomp_task_self();       hand it to whoever will see that the message is there
 *     chomp_task_suspend(self);                     this thread runs other tasks until chomp_task_resume(self)
 *
 * tools/docs/blocking.md says when to do that, and when rather to detach a task. */
typedef struct chomp_task chomp_task_t;

/* A handle of the running task, explicit or implicit, until the task ends. The first call, which may come before any
 * region, makes chomp run each task that begins afterwards on a stack of its own. */
CHOMP_DECLARE chomp_task_t* chomp_task_self(void);

/* Called by the task itself: it goes on, on the same thread, some time after chomp_task_resume(), or at once if that
 * was called before. Returns 0, or EINVAL if `self` is not the running task's. */
CHOMP_DECLARE int chomp_task_suspend(chomp_task_t* self);

/* From any thread, also one that OpenMP does not know, once for each chomp_task_suspend(). The handle may be void
 * afterwards. Returns 0, or EINVAL if the task was resumed already, and has not suspended since. */
CHOMP_DECLARE int chomp_task_resume(chomp_task_t* task);

/* ---- Counters --------------------------------------------------------------------------------------------------- */

/* What a worker (a thread that OpenMP knows), a domain, or all workers have done since the process began, or since
 * chomp_reset_counters(). Tasks unless said otherwise. Those marked * are zero unless tasks are counted one by one:
 * with CHOMP_STATS, or after chomp_count_tasks(1). New ones come at the end. */
typedef struct chomp_counters {
  size_t size;                  /* set it to sizeof(chomp_counters_t): that much is filled */
  uint64_t created;             /* * */
  uint64_t run;                 /* * begun */
  uint64_t run_inline;          /* * of these: at once, by their creator */
  uint64_t published;           /* made available to others */
  uint64_t acquired_local;      /* taken from the queue of the own domain or worker */
  uint64_t stolen_operations;   /* times that tasks were taken from another domain's or worker's queue */
  uint64_t stolen_tasks;        /* how many they were */
  uint64_t failed_steals;       /* times that a victim had some and gave none */
  uint64_t revocations;         /* times that a worker's private tasks were taken by force */
  uint64_t revoked_tasks;       /* how many they were */
  uint64_t run_on_other_domain; /* * run on another domain than they were created on */
  uint64_t parks;               /* times that a worker went to sleep */
  uint64_t wakes;               /* times that it woke another one */
  uint64_t stack_segments;      /* made, because tasks nested deeply */
  uint64_t deepest_nesting;     /* * tasks on top of one another on one stack, at most; the largest, not the sum */
  uint64_t idle_ns;             /* nanoseconds without a task inside regions; exact only where tasks are counted */
  uint64_t discarded;           /* * cancelled before they began */
  uint64_t stack_switches;      /* times that a task ran on such a segment */
  uint64_t between_regions_ns;  /* nanoseconds that threads of a team waited for the next region */
  uint64_t probes;              /* times that a worker asked for a task though tasks were too short to be handed over */
  uint64_t held;                /* * had a predecessor that had not finished when they were made */
  uint64_t regions;             /* * parallel regions that it has begun */
  uint64_t loops;               /* * worksharing loops, counted by thread 0 of each team */
  uint64_t task_ns;             /* * nanoseconds in the code of tasks, calls of OpenMP in it included, not its waits */
  uint64_t region_ns;           /* * nanoseconds in parallel regions that the thread began outside of others */
} chomp_counters_t;

/* The readers return 0, or an error of errno.h, and then they write nothing: EINVAL if `size` is less than the size of
 * that field itself, ENOENT if there is no such worker or domain, ENOMEM. Each costs some microseconds; the numbers are
 * those of one moment, except that threads go on meanwhile. */

/* Workers are numbered from 0, in the order in which threads became known; a number whose thread has ended goes to the
 * next new one, and so do its counters. */
CHOMP_DECLARE int chomp_read_worker(int worker, chomp_counters_t* counters);
CHOMP_DECLARE int chomp_read_domain(int domain, chomp_counters_t* counters);
CHOMP_DECLARE int chomp_read_total(chomp_counters_t* counters);

/* One more than the largest number of a worker. */
CHOMP_DECLARE int chomp_workers(void);

/* The calling thread's number, and the domain where it sits now. */
CHOMP_DECLARE int chomp_worker(void);
CHOMP_DECLARE int chomp_worker_domain(void);

/* Sets all counters to zero. It is not exact for threads that run tasks meanwhile. */
CHOMP_DECLARE void chomp_reset_counters(void);

/* Says whether tasks are counted one by one, which makes short tasks slower: those of regions that begin from now on,
 * and of threads that OpenMP gets to know from now on. Returns whether they were. CHOMP_STATS cannot be turned off. */
CHOMP_DECLARE int chomp_count_tasks(int on);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#undef CHOMP_DECLARE
#endif
