// Preloaded: the system says that the process may use 8 CPUs, however many there are. Then no wait is a timed one for
// want of a CPU, and a wake that is lost is lost for ever.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
  long argument[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) argument[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_sched_getaffinity) {
    unsigned char* mask = (unsigned char*)argument[2];
    memset(mask, 0, (size_t)argument[1]);
    mask[0] = 0xff;
    return 8; // bytes written
  }
  static long (*real)(long, ...);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "syscall");
  return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}
