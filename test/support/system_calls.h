// The library's system calls pass the program before they reach the system: it defines on_system_call(). Linked with
// -rdynamic and -ldl.
#pragma once
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/syscall.h>

static void on_system_call(long number, const long* argument);

static long (*real_syscall)(long, ...);

// It reads six arguments, whether there are so many or not.
__attribute__((no_sanitize("address"))) long syscall(long number, ...) {
  long argument[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) argument[i] = va_arg(list, long);
  va_end(list);
  on_system_call(number, argument);
  return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

__attribute__((constructor)) static void find_syscall(void) { *(void**)&real_syscall = dlsym(RTLD_NEXT, "syscall"); }
