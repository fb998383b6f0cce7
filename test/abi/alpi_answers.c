// What ALPI's functions answer that stop no task: versions, features, names, texts, attributes, CPUs; and the error of
// each function where a pointer is null, a handle is another task's, or a number is none. Whoever calls is in a task:
// in regions and outside, in an implicit task, an explicit one, and in a thread of the program's own.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads -t "1 2 8" %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>

#define CHOMP_WEAK
#include "abi/alpi.h"

static void versions_and_features(void) {
  int major = 0, minor = 0;
  CHECK_EQ(alpi_version_get(&major, &minor), ALPI_SUCCESS);
  CHECK_EQ(major, 1);
  CHECK_EQ(minor, 2);
  CHECK_EQ(alpi_version_get(NULL, &minor), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_version_get(&major, NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_version_check(1, 0), ALPI_SUCCESS);
  CHECK_EQ(alpi_version_check(1, 2), ALPI_SUCCESS);
  CHECK_EQ(alpi_version_check(1, 3), ALPI_ERR_VERSION);
  CHECK_EQ(alpi_version_check(0, 0), ALPI_ERR_VERSION);
  CHECK_EQ(alpi_version_check(2, 0), ALPI_ERR_VERSION);
  CHECK_EQ(alpi_feature_check(0), ALPI_SUCCESS);
  CHECK_EQ(alpi_feature_check(1 | 2 | 4 | 8), ALPI_SUCCESS);
  CHECK_EQ(alpi_feature_check(16), ALPI_ERR_FEATURE_UNKNOWN);
  CHECK_EQ(alpi_feature_check(1 | 32), ALPI_ERR_FEATURE_UNKNOWN);
}

static void names(void) {
  char text[64];
  int length = -1;
  CHECK_EQ(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text, sizeof text, &length), ALPI_SUCCESS);
  CHECK(strcmp(text, "chomp") == 0);
  CHECK_EQ(length, 5);
  CHECK_EQ(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text, 4, &length), ALPI_SUCCESS);
  CHECK(strcmp(text, "cho") == 0);
  CHECK_EQ(length, 3);
  CHECK_EQ(alpi_info_get(ALPI_INFO_RUNTIME_VENDOR, text, sizeof text, NULL), ALPI_SUCCESS);
  CHECK(strlen(text) > 0);
  CHECK_EQ(alpi_info_get(ALPI_INFO_VERSION, text, sizeof text, &length), ALPI_SUCCESS);
  CHECK_EQ(strlen(text), length);
  CHECK_EQ(alpi_info_get((alpi_info_t)3, text, sizeof text, &length), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_info_get(ALPI_INFO_RUNTIME_NAME, NULL, sizeof text, &length), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_info_get(ALPI_INFO_RUNTIME_NAME, text, 0, &length), ALPI_ERR_PARAMETER);
  const char* unknown = alpi_error_string(ALPI_ERR_MAX);
  CHECK(strcmp(unknown, alpi_error_string(-1)) == 0);
  for (int error = ALPI_SUCCESS; error < ALPI_ERR_MAX; ++error) {
    CHECK(strcmp(alpi_error_string(error), unknown) != 0);
    for (int other = 0; other < error; ++other) CHECK(strcmp(alpi_error_string(error), alpi_error_string(other)) != 0);
  }
}

static void nothing(void* unused) { (void)unused; }

static void attributes(void) {
  uint64_t size = 0, own[8];
  struct alpi_attr* attr = NULL;
  CHECK_EQ(alpi_attr_size(&size), ALPI_SUCCESS);
  CHECK(size > 0 && size <= sizeof own);
  CHECK_EQ(alpi_attr_size(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_attr_init((struct alpi_attr*)own), ALPI_SUCCESS);
  CHECK_EQ(alpi_attr_init(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_attr_create(&attr), ALPI_SUCCESS);
  CHECK_EQ(alpi_attr_create(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_spawn(nothing, NULL, nothing, NULL, "made", attr), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_spawn(nothing, NULL, nothing, NULL, "own", (struct alpi_attr*)own), ALPI_SUCCESS);
  CHECK_EQ(alpi_attr_destroy(attr), ALPI_SUCCESS);
  CHECK_EQ(alpi_attr_destroy(NULL), ALPI_SUCCESS);
}

static void cpus(void) {
  cpu_set_t mask;
  uint64_t count = 0, logical = UINT64_MAX, system = UINT64_MAX;
  CHECK_EQ(alpi_cpu_count(&count), ALPI_SUCCESS);
  CHECK(count >= 1 && count <= (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
  CHECK_EQ(alpi_cpu_count(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_cpu_logical_id(&logical), ALPI_SUCCESS);
  CHECK_EQ(alpi_cpu_logical_id(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_cpu_system_id(&system), ALPI_SUCCESS);
  CHECK_EQ(alpi_cpu_system_id(NULL), ALPI_ERR_PARAMETER);
  CHECK(logical < count);
  CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  CHECK(CPU_ISSET(system, &mask));
}

static void errors_of_tasks(struct alpi_task* self, struct alpi_task* other) {
  uint64_t has = 7;
  struct alpi_task* wrong[] = {NULL, other};
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(alpi_task_block(wrong[i]), ALPI_ERR_PARAMETER);
    CHECK_EQ(alpi_task_events_increase(wrong[i], 1), ALPI_ERR_PARAMETER);
    CHECK_EQ(alpi_task_events_test(wrong[i], &has), ALPI_ERR_PARAMETER);
    CHECK_EQ(alpi_task_suspend(wrong[i]), ALPI_ERR_PARAMETER);
    CHECK_EQ(alpi_task_suspend_mode_set(wrong[i], ALPI_SUSPEND_SUBMIT, 0), ALPI_ERR_PARAMETER);
  }
  CHECK_EQ(alpi_task_self(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_unblock(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_decrease(NULL, 1), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_spawn(NULL, NULL, nothing, NULL, NULL, NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_spawn(nothing, NULL, NULL, NULL, NULL, NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_waitfor_ns(0, NULL), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_events_test(self, NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_test(self, &has), ALPI_SUCCESS);
  CHECK_EQ(has, 0);
  CHECK_EQ(alpi_task_events_decrease(self, 1), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_increase(self, UINT64_MAX), ALPI_ERR_UNKNOWN);
  CHECK_EQ(alpi_task_events_increase(self, 0), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_suspend_mode_set(self, (alpi_suspend_mode_t)4, 0), ALPI_ERR_PARAMETER);
}

static struct alpi_task* self_of_caller(void) {
  struct alpi_task* self = NULL;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  CHECK(self != NULL);
  return self;
}

// An implicit task is not run again. `other`: a task that goes on.
static void in_an_implicit_task(struct alpi_task* other) {
  struct alpi_task* self = self_of_caller();
  CHECK(self == self_of_caller() && self != other);
  CHECK_EQ(alpi_task_suspend(self), ALPI_ERR_UNKNOWN);
  cpus();
  errors_of_tasks(self, other);
}

static void* in_another_thread(void* initial) {
  in_an_implicit_task(initial);
  return NULL;
}

int main(void) {
  struct alpi_task* initial = self_of_caller();
  pthread_t thread;
  versions_and_features();
  names();
  in_an_implicit_task(NULL);
  CHECK_EQ(pthread_create(&thread, NULL, in_another_thread, initial), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);
#pragma omp parallel
  {
    in_an_implicit_task(initial);
    struct alpi_task* implicit = self_of_caller();
#pragma omp task
    {
      struct alpi_task* self = self_of_caller();
      CHECK(self != implicit);
      errors_of_tasks(self, implicit);
      cpus();
    }
#pragma omp taskwait
  }
  CHECK(self_of_caller() == initial);
#pragma omp task
  errors_of_tasks(self_of_caller(), initial);
  attributes();
  return 0;
}
