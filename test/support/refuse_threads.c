// Preloaded: pthread_create succeeds REFUSE_THREADS_AFTER times, then fails as it does when the system has no more.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static int made;
  const char* allowed = getenv("REFUSE_THREADS_AFTER");
  if (__atomic_add_fetch(&made, 1, __ATOMIC_RELAXED) > (allowed ? atoi(allowed) : 0)) return EAGAIN;
  int (*real)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  *(void**)&real = dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, attributes, start, argument);
}
