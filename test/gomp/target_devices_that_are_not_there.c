// omp_initial_device (-1) is the host to the routines, too. A target construct for omp_invalid_device (-4), and any
// that needs a device if OMP_TARGET_OFFLOAD=mandatory says that the host will not do, ends the program; others run on
// the host.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %chomp-run %t
#include "support/children.h"
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

static int host;

static void target(int device) {
  int ran = 0;
#pragma omp target device(device) map(tofrom : ran)
  ran = 1;
  CHECK_EQ(ran, 1);
}
static void target_of_default(int unused) {
  (void)unused;
#pragma omp target
  {
  }
}
static void target_not(int device) {
#pragma omp target device(device) if (device < 0)
  {
  }
}
static void data(int device) {
  int x = 0;
#pragma omp target data device(device) map(tofrom : x)
  x = 1;
}
static void enter(int device) {
  int x = 0;
#pragma omp target enter data device(device) map(to : x)
}
static void update(int device) {
  int x = 0;
#pragma omp target update device(device) to(x)
}
static void set_default(int device) {
  omp_set_default_device(device);
  target_of_default(0);
}

/// Whether the construct ends the program that makes it.
static int ends(void (*construct)(int), int device) {
  pid_t child = fork_checked();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    CHECK(freopen("/dev/null", "w", stderr) != NULL);
    construct(device);
    exit(7);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) ? WEXITSTATUS(status) == 7 : WTERMSIG(status) == SIGABRT);
  return WIFSIGNALED(status);
}

static void routines(int device) {
  int from = 5, to = 0;
  int* memory = omp_target_alloc(sizeof *memory, device);
  CHECK(memory != NULL);
  CHECK_EQ(omp_target_memcpy(&to, &from, sizeof to, 0, 0, device, host), 0);
  CHECK_EQ(to, 5);
  CHECK(omp_target_is_present(&to, device));
  omp_target_free(memory, device);
}

int main(int argc, char** argv) {
  (void)argv;
  host = omp_get_initial_device();
  if (omp_get_num_devices() > 0) return 77;
  int mandatory = argc > 1;
  routines(-1);
  routines(host);
  CHECK(omp_target_alloc(8, -4) == NULL);
  void (*constructs[])(int) = {target, data, enter, update};
  for (int i = 0; i < 4; i++) {
    CHECK(!ends(constructs[i], host));
    CHECK(ends(constructs[i], -4));
    CHECK_EQ(ends(constructs[i], host + 3), mandatory);
  }
  CHECK_EQ(ends(target_of_default, 0), mandatory);
  CHECK(!ends(target_not, 3));
  CHECK_EQ(ends(set_default, 5), mandatory);
  CHECK(!ends(set_default, -1));
  if (mandatory) return 0;
  setenv("OMP_TARGET_OFFLOAD", "mandatory", 1);
  execl("/proc/self/exe", "mandatory", "again", (char*)0);
  CHECK(!"execl");
}
