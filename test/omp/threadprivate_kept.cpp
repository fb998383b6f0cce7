// threadprivate variables keep each thread's value from region to region, copyin and copyprivate set them, and objects
// are constructed once for each thread that uses them. A soft pause keeps them; a hard one ends the idle threads, so
// all but the caller begin anew.
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
// RUN: %clangxx-openmp -fnoopenmp-use-tls %s -o %t && %for-threads %t
#include "support/check.h"
#include <atomic>
#include <omp.h>
#include <string>

static int number = 42;
static double array[100];
#pragma omp threadprivate(number, array)

static std::atomic<long> constructed{0};
struct Object {
  std::string text = "initial";
  Object() { constructed++; }
  Object& operator=(const Object& other) {
    text = other.text;
    return *this;
  }
};
static Object object;
#pragma omp threadprivate(object)

int main() {
  int n = omp_get_max_threads();
#pragma omp parallel
  {
    CHECK_EQ(number, 42);
    CHECK(object.text == "initial");
    number = 100 + omp_get_thread_num();
    array[99] = number;
    object.text = std::to_string(number);
  }
  CHECK(constructed >= 1 && constructed <= n + 1);
  for (int round = 0; round < 10; round++)
#pragma omp parallel
  {
    CHECK_EQ(number, 100 + omp_get_thread_num());
    CHECK_EQ((int)array[99], number);
    CHECK(object.text == std::to_string(number));
  }
  CHECK_EQ(number, 100);
  number = 7;
  object.text = "copied";
  array[0] = 2.5;
#pragma omp parallel copyin(number, object, array)
  {
    CHECK_EQ(number, 7);
    CHECK(object.text == "copied" && array[0] == 2.5);
#pragma omp barrier
#pragma omp single copyprivate(number, object)
    {
      number = 8;
      object.text = "broadcast";
    }
    CHECK_EQ(number, 8);
    CHECK(object.text == "broadcast");
  }
  CHECK(constructed <= n + 1);

  CHECK_EQ(omp_pause_resource_all(omp_pause_soft), 0);
#pragma omp parallel
  CHECK_EQ(number, 8);
  for (int round = 0; round < 5; round++) {
    CHECK_EQ(omp_pause_resource_all(omp_pause_hard), 0);
#pragma omp parallel
    {
      const bool called = omp_get_thread_num() == 0;
      CHECK_EQ(number, called ? 8 : 42);
      CHECK(object.text == (called ? "broadcast" : "initial"));
      CHECK(array[0] == (called ? 2.5 : 0));
      if (!called) number = 9;
    }
  }
  return 0;
}
