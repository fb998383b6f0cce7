// What a program prints is an outcome: where all orders are tried, two that print do not commute. Output that comes by
// other ways (libraries that call write() themselves) counts at the system call.
#define __NO_INLINE__ // <stdio.h> has bodies of some
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"

#define HERE __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT(name) static auto next = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

using namespace virtual_machine;

static void prints(const void* where, const void* pc) {
  if (!active || settings.strategy != Strategy::kOrders || where == stderr) return;
  point(pc, "print", where, Touch::kUse);
}

EXPORT int vfprintf(FILE* to, const char* format, va_list arguments) {
  NEXT(vfprintf);
  prints(to, HERE);
  return next(to, format, arguments);
}
EXPORT int vprintf(const char* format, va_list arguments) {
  NEXT(vfprintf);
  prints(stdout, HERE);
  return next(stdout, format, arguments);
}
EXPORT __attribute__((format(printf, 1, 2))) int printf(const char* format, ...) {
  NEXT(vfprintf);
  prints(stdout, HERE);
  va_list arguments;
  va_start(arguments, format);
  int result = next(stdout, format, arguments);
  va_end(arguments);
  return result;
}
EXPORT __attribute__((format(printf, 2, 3))) int fprintf(FILE* to, const char* format, ...) {
  NEXT(vfprintf);
  prints(to, HERE);
  va_list arguments;
  va_start(arguments, format);
  int result = next(to, format, arguments);
  va_end(arguments);
  return result;
}
// As fortified programs call them.
EXPORT int __vfprintf_chk(FILE* to, int, const char* format, va_list arguments) {
  return vfprintf(to, format, arguments);
}
EXPORT int __vprintf_chk(int, const char* format, va_list arguments) { return vprintf(format, arguments); }
EXPORT int __printf_chk(int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = vprintf(format, arguments);
  va_end(arguments);
  return result;
}
EXPORT int __fprintf_chk(FILE* to, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int result = vfprintf(to, format, arguments);
  va_end(arguments);
  return result;
}
EXPORT int puts(const char* text) {
  NEXT(puts);
  prints(stdout, HERE);
  return next(text);
}
EXPORT int fputs(const char* text, FILE* to) {
  NEXT(fputs);
  prints(to, HERE);
  return next(text, to);
}
#undef putchar
EXPORT int putchar(int letter) {
  NEXT(fputc);
  prints(stdout, HERE);
  return next(letter, stdout);
}
EXPORT int fputc(int letter, FILE* to) {
  NEXT(fputc);
  prints(to, HERE);
  return next(letter, to);
}
#undef putc
EXPORT int putc(int letter, FILE* to) {
  NEXT(fputc);
  prints(to, HERE);
  return next(letter, to);
}
EXPORT size_t fwrite(const void* from, size_t each, size_t count, FILE* to) {
  NEXT(fwrite);
  prints(to, HERE);
  return next(from, each, count, to);
}
EXPORT ssize_t write(int file, const void* from, size_t bytes) {
  NEXT(write);
  if (file != 2) prints(stdout, HERE);
  return next(file, from, bytes);
}
