// What a program prints is an outcome: in front of it others may come first, and where all orders are tried, two that
// print do not commute. What each call prints is summed up in any order, so that outputs can be told apart that differ
// only in the order of calls. Calls that seldom print are in shared_calls.def.
#define __NO_INLINE__ // <stdio.h> has bodies of some
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/descriptor_calls.h"
#include "tools/shipped/explore/findings.h"
#include "tools/shipped/explore/library_calls.h"

using namespace virtual_machine;

static void prints(FILE* where, const void* pc, const void* text, size_t bytes) {
  if (!active || where == stderr || explore::is_in_runtime(pc)) return;
  uint64_t piece = bytes;
  for (size_t i = 0; i < bytes; ++i) piece = (piece ^ static_cast<const unsigned char*>(text)[i]) * 0x100000001b3 + 1;
  explore::findings->pieces += piece * (piece | 1);
  point(pc, "print", where, Touch::kUse);
  explore::note_order(40);
  if (where != stdout) explore::sends(fileno(where), "write", pc);
}

static void prints(FILE* where, const void* pc, const char* format, va_list arguments) {
  explore::uses_by_format(format, arguments, pc);
  if (!active || where == stderr) return;
  char text[1000];
  va_list copy;
  va_copy(copy, arguments);
  int length = vsnprintf(text, sizeof text, format, copy);
  va_end(copy);
  size_t bytes = length < 0 ? 0 : static_cast<size_t>(length);
  if (bytes >= sizeof text) explore::findings->odd_output = true;
  prints(where, pc, text, bytes < sizeof text ? bytes : sizeof text - 1);
}

static void prints_letter(FILE* where, const void* pc, int letter) {
  auto byte = static_cast<char>(letter);
  prints(where, pc, &byte, 1);
}

// With a list of arguments and without; the last two as fortified programs call them.
#define PRINT(name, of_list, to, ...)                                                                                  \
  EXPORT int of_list(__VA_ARGS__ __VA_OPT__(, ) const char* format, va_list arguments) {                               \
    NEXT(vfprintf);                                                                                                    \
    prints(to, HERE, format, arguments);                                                                               \
    return next(to, format, arguments);                                                                                \
  }                                                                                                                    \
  EXPORT int name(__VA_ARGS__ __VA_OPT__(, ) const char* format, ...) {                                                \
    NEXT(vfprintf);                                                                                                    \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    prints(to, HERE, format, arguments);                                                                               \
    int result = next(to, format, arguments);                                                                          \
    va_end(arguments);                                                                                                 \
    return result;                                                                                                     \
  }
PRINT(printf, vprintf, stdout)
PRINT(fprintf, vfprintf, to, FILE* to)
PRINT(__printf_chk, __vprintf_chk, stdout, int)
PRINT(__fprintf_chk, __vfprintf_chk, to, FILE* to, int)

EXPORT int puts(const char* text) {
  NEXT(puts);
  explore::reads_text(text, HERE);
  prints(stdout, HERE, text, strlen(text));
  return next(text);
}
EXPORT int fputs(const char* text, FILE* to) {
  NEXT(fputs);
  explore::reads_text(text, HERE);
  prints(to, HERE, text, strlen(text));
  return next(text, to);
}
#undef putchar
EXPORT int putchar(int letter) {
  NEXT(fputc);
  prints_letter(stdout, HERE, letter);
  return next(letter, stdout);
}
EXPORT int fputc(int letter, FILE* to) {
  NEXT(fputc);
  prints_letter(to, HERE, letter);
  return next(letter, to);
}
#undef putc
EXPORT int putc(int letter, FILE* to) {
  NEXT(fputc);
  prints_letter(to, HERE, letter);
  return next(letter, to);
}
EXPORT size_t fwrite(const void* from, size_t each, size_t count, FILE* to) {
  NEXT(fwrite);
  explore::reads(from, each * count, HERE);
  prints(to, HERE, from, each * count);
  return next(from, each, count, to);
}
EXPORT ssize_t write(int file, const void* from, size_t bytes) {
  NEXT(write);
  explore::reads(from, bytes, HERE);
  if (file != 2) prints(stdout, HERE, from, bytes);
  explore::sends(file, "write", HERE);
  return next(file, from, bytes);
}
