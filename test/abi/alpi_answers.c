// What ALPI's functions answer that stop no task: versions, features, names, texts, attributes, CPUs; and the error of
// each function where a pointer is null, a handle is another task's, a number is none, or where no task calls.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads -t "1 2 8" %t
#include "support/check.h"
#include <omp.h>
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
  CHECK_EQ(alpi_info_get(ALPI_INFO_RUNTIME_VERSION, text, sizeof text, &length), ALPI_SUCCESS);
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
  CHECK_EQ(alpi_attr_destroy(NULL), ALPI_ERR_PARAMETER);
}

static void cpus(int inside) {
  cpu_set_t mask;
  uint64_t count = 0, logical = UINT64_MAX, system = UINT64_MAX;
  int outside = inside ? ALPI_SUCCESS : ALPI_ERR_OUTSIDE_TASK;
  CHECK_EQ(alpi_cpu_count(&count), ALPI_SUCCESS);
  CHECK(count >= 1);
  CHECK_EQ(alpi_cpu_count(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_cpu_logical_id(&logical), outside);
  CHECK_EQ(alpi_cpu_logical_id(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_cpu_system_id(&system), outside);
  CHECK_EQ(alpi_cpu_system_id(NULL), ALPI_ERR_PARAMETER);
  if (!inside) return;
  CHECK(logical < count);
  CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  CHECK(CPU_ISSET(system, &mask));
}

static void errors_of_tasks(struct alpi_task* self, struct alpi_task* other, int expected) {
  uint64_t has = 7;
  struct alpi_task* wrong[] = {NULL, other};
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(alpi_task_block(wrong[i]), expected);
    CHECK_EQ(alpi_task_events_increase(wrong[i], 1), expected);
    CHECK_EQ(alpi_task_suspend(wrong[i]), expected);
    CHECK_EQ(alpi_task_suspend_mode_set(wrong[i], ALPI_SUSPEND_SUBMIT, 0), expected);
  }
  CHECK_EQ(alpi_task_self(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_unblock(NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_decrease(NULL, 1), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_test(NULL, &has), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_spawn(NULL, NULL, nothing, NULL, NULL, NULL), ALPI_ERR_PARAMETER);
  if (self == NULL) CHECK_EQ(alpi_task_waitfor_ns(0, NULL), ALPI_ERR_OUTSIDE_TASK);
  if (self == NULL) return;
  CHECK_EQ(alpi_task_events_test(self, NULL), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_test(self, &has), ALPI_SUCCESS);
  CHECK_EQ(has, 0);
  CHECK_EQ(alpi_task_events_decrease(self, 1), ALPI_ERR_PARAMETER);
  CHECK_EQ(alpi_task_events_increase(self, UINT64_MAX), ALPI_ERR_UNKNOWN);
  CHECK_EQ(alpi_task_events_increase(self, 0), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_suspend_mode_set(self, (alpi_suspend_mode_t)4, 0), ALPI_ERR_PARAMETER);
}

static struct alpi_task* self_of_caller(void) {
  struct alpi_task* self = (struct alpi_task*)&self;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  return self;
}

int main(void) {
  CHECK_EQ(self_of_caller() == NULL, 1);
  versions_and_features();
  names();
  cpus(0);
  errors_of_tasks(NULL, NULL, ALPI_ERR_OUTSIDE_TASK);
#pragma omp parallel
  {
    struct alpi_task* implicit = self_of_caller();
    CHECK(implicit != NULL && implicit == self_of_caller());
    CHECK_EQ(alpi_task_suspend(implicit), ALPI_ERR_UNKNOWN);
    cpus(1);
#pragma omp task
    {
      struct alpi_task* self = self_of_caller();
      CHECK(self != NULL && self != implicit);
      errors_of_tasks(self, implicit, ALPI_ERR_PARAMETER);
      cpus(1);
    }
#pragma omp taskwait
    errors_of_tasks(implicit, NULL, ALPI_ERR_PARAMETER);
  }
  CHECK_EQ(self_of_caller() == NULL, 1);
  errors_of_tasks(NULL, NULL, ALPI_ERR_OUTSIDE_TASK);
#pragma omp task
  CHECK_EQ(self_of_caller() != NULL, 1);
  attributes();
  return 0;
}
