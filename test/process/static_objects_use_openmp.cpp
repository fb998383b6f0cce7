// OpenMP works before main() and after it: in constructors and destructors of static objects, in destructors of
// thread_local objects of main() and of the program's own threads, whether or not the runtime has started before.
// RUN: %clangxx-openmp %s -o %t && %for-threads -t "1 2 8" %t && %for-threads -t "1 2 8" %t late
// RUN: %if gomp-cxx %{ %gxx-openmp %s -o %t.gcc && %for-threads -t "1 2 8" %t.gcc && %for-threads -t "1 2 8" %t.gcc late %}
#include "support/regions.h"
#include <cstring>
#include <thread>

static bool before_main = true; // "late": nothing uses OpenMP before the exit of main()

// "late": nothing uses OpenMP before main() returns.
struct Static {
  Static(bool use) {
    if (use) use_openmp(0);
  }
  ~Static() { use_openmp(0); }
};

struct OfThread {
  int value = 1;
  ~OfThread() { use_openmp(0); }
};

static bool late() {
  char line[4096];
  FILE* file = fopen("/proc/self/cmdline", "r");
  CHECK(file);
  size_t length = fread(line, 1, sizeof line - 1, file);
  fclose(file);
  line[length] = 0;
  return strlen(line) + 1 < length && strcmp(line + strlen(line) + 1, "late") == 0;
}

static Static first(!late());
static thread_local OfThread of_thread;

int main() {
  CHECK_EQ(of_thread.value, 1);
  static Static second(false);
  std::thread one([] { CHECK_EQ(of_thread.value, 1); });
  std::thread two([] {
    CHECK_EQ(of_thread.value, 1);
    if (!late()) use_openmp(0);
  });
  one.join();
  two.join();
  return 0;
}
