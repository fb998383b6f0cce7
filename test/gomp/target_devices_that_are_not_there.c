// omp_initial_device (-1) is the host to the routines, too, and omp_default_device (-5) whatever is the default. A
// target construct for omp_invalid_device (-4), also as the default, and any that needs a device if
// OMP_TARGET_OFFLOAD=mandatory says that the host will not do, ends the program; others run on the host, also with the
// host's number as the default, if the program or OMP_DEFAULT_DEVICE says so. The message has what the user wrote.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t %library && %chomp-run %t
#include "support/children.h"
#include <omp.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

// Not in older <omp.h>.
extern int omp_target_is_accessible(const void*, size_t, int), omp_get_device_from_uid(const char*);
extern void *omp_get_mapped_ptr(const void*, int), *omp_target_memset(void*, int, size_t, int);
extern const char* omp_get_uid_from_device(int);
__asm__(".symver omp_get_device_from_uid, omp_get_device_from_uid@GOMP_6.0");

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
  omp_set_default_device(-5); // leaves it as it is
  CHECK_EQ(omp_get_default_device(), device);
  target_of_default(0);
}
static void set_and_name_default(int device) {
  omp_set_default_device(device);
  target(-5);
}

static char said[512]; // by the last program that ended

/// Whether the construct ends the program that makes it.
static int ends(void (*construct)(int), int device) {
  FILE* messages = tmpfile();
  CHECK(messages != NULL);
  pid_t child = fork_checked();
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    CHECK(dup2(fileno(messages), STDERR_FILENO) >= 0);
    construct(device);
    exit(7);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) ? WEXITSTATUS(status) == 7 : WTERMSIG(status) == SIGABRT);
  rewind(messages);
  said[fread(said, 1, sizeof said - 1, messages)] = 0;
  fclose(messages);
  return WIFSIGNALED(status);
}

static void says(const char* text) {
  if (strstr(said, text) == NULL) fprintf(stderr, "not \"%s\", but: %s", text, said);
  CHECK(strstr(said, text) != NULL);
}

static void routines(int device) {
  int from = 5, to = 0;
  int* memory = omp_target_alloc(sizeof *memory, device);
  CHECK(memory != NULL);
  CHECK_EQ(omp_target_memcpy(&to, &from, sizeof to, 0, 0, device, host), 0);
  CHECK_EQ(to, 5);
  CHECK(omp_target_is_present(&to, device));
  omp_target_free(memory, device);
  CHECK(omp_target_is_accessible(&to, sizeof to, device) == 1 && omp_get_mapped_ptr(&to, device) == &to);
  CHECK(omp_get_uid_from_device(device) != NULL);
  CHECK_EQ(omp_target_memset(&to, 0, sizeof to, device) == &to && to == 0, 1);
}

/// No routine finds memory or a name of such a device.
static void no_routine(int device) {
  int x = 0;
  CHECK(omp_target_alloc(8, device) == NULL && !omp_target_is_present(&x, device));
  CHECK(omp_target_memcpy(&x, &x, sizeof x, 0, 0, device, host) != 0);
  CHECK(!omp_target_is_accessible(&x, sizeof x, device) && omp_get_mapped_ptr(&x, device) == NULL);
  CHECK(omp_get_uid_from_device(device) == NULL);
}

int main(int argc, char** argv) {
  (void)argv;
  host = omp_get_initial_device();
  if (omp_get_num_devices() > 0) return 77;
  int mandatory = argc > 1, given = getenv("OMP_DEFAULT_DEVICE") != NULL;
  CHECK_EQ(omp_get_default_device(), mandatory && !given ? -4 : 0);
  CHECK_EQ(ends(target_of_default, 0), mandatory && !given);
  if (mandatory && !given) says("OMP_TARGET_OFFLOAD is set to MANDATORY, and the default device is omp_invalid_device");
  CHECK_EQ(ends(target, -5), mandatory && !given);
  omp_set_default_device(host);
  CHECK(!ends(target_of_default, 0));
  routines(-1);
  routines(host);
  routines(-5);
  no_routine(-4);
  no_routine(host + 3);
  omp_set_default_device(-4);
  no_routine(-5);
  omp_set_default_device(host);
  CHECK_EQ(omp_get_device_from_uid("nobody"), -4);
  void (*constructs[])(int) = {target, data, enter, update};
  for (int i = 0; i < 4; i++) {
    CHECK(!ends(constructs[i], host));
    CHECK(ends(constructs[i], -4));
    says("the device clause is omp_invalid_device");
    CHECK_EQ(ends(constructs[i], host + 3), mandatory);
    if (mandatory) says("OMP_TARGET_OFFLOAD is set to MANDATORY, and the device clause is 3");
  }
  CHECK(!ends(target_not, 3));
  void (*defaults[])(int) = {set_default, set_and_name_default};
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(ends(defaults[i], 5), mandatory);
    if (mandatory) says("and the default device is 5");
    CHECK(!ends(defaults[i], -1) && !ends(defaults[i], host));
    CHECK(ends(defaults[i], -4));
  }
  if (given) return 0;
  setenv(mandatory ? "OMP_DEFAULT_DEVICE" : "OMP_TARGET_OFFLOAD", mandatory ? "0" : "mandatory", 1);
  execl("/proc/self/exe", "again", "mandatory", (char*)0);
  CHECK(!"execl");
}
