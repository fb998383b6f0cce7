// fork() while another thread makes threads of the pool: the child makes its own. libc does not release the lock of the
// loader's list of libraries in a child, so nobody may hold it then. Here whoever looks at the list stays there until a
// fork() has taken place, whose child then must not need it.
// UNSUPPORTED: sanitizer-thread, sanitizer-address
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
#define _GNU_SOURCE
#include "support/children.h"
#include "support/regions.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

typedef int (*Callback)(struct dl_phdr_info*, size_t, void*);
typedef struct {
  Callback callback;
  void* data;
} Asked;

static int started, inside, forked;

static int slowly(struct dl_phdr_info* library, size_t bytes, void* data) {
  Asked* asked = data;
  ATOMIC_STORE(inside, 1);
  for (int i = 0; i < 2000 && ATOMIC_LOAD(started) && !ATOMIC_LOAD(forked); i++) usleep(1000);
  return asked->callback(library, bytes, asked->data);
}

int dl_iterate_phdr(Callback callback, void* data) {
  static int (*libcs)(Callback, void*);
  if (libcs == NULL) libcs = (int (*)(Callback, void*))dlsym(RTLD_NEXT, "dl_iterate_phdr");
  Asked asked = {callback, data};
  return libcs(slowly, &asked);
}

static void* many(void* unused) {
  use_openmp(20);
  return unused;
}

int main(void) {
  pthread_t other;
  use_openmp(2);
  ATOMIC_STORE(inside, 0);
  ATOMIC_STORE(started, 1);
  CHECK_EQ(pthread_create(&other, NULL, many, NULL), 0);
  for (int i = 0; i < 50 && !ATOMIC_LOAD(inside); i++) usleep(1000);
  for (int round = 0; round < 20; round++) {
    pid_t child = fork_checked();
    if (child == 0) {
      ATOMIC_STORE(forked, 1);
      use_openmp(3);
      exit(7);
    }
    expect_status(child, 7);
    ATOMIC_STORE(forked, 1);
  }
  CHECK_EQ(pthread_join(other, NULL), 0);
  return 0;
}
