// Preloaded before the library, it breaks one entry point, so that tools/fuzz has something to find.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#ifdef TASK
// Forgets every second task.
int __kmpc_omp_task(void* location, int32_t thread, void* task) {
  static int (*make)(void*, int32_t, void*);
  static unsigned calls;
  if (!make) *(void**)&make = dlsym(RTLD_NEXT, "__kmpc_omp_task");
  return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) % 2 ? make(location, thread, task) : 0;
}
#endif

#ifdef LOOP
// Leaves out the last iteration of chunks that have several.
int __kmpc_dispatch_next_4(void* location, int32_t thread, int32_t* last, int32_t* lower, int32_t* upper,
                           int32_t* stride) {
  static int (*next)(void*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "__kmpc_dispatch_next_4");
  int more = next(location, thread, last, lower, upper, stride);
  if (more && *lower < *upper) --*upper;
  return more;
}
#endif
