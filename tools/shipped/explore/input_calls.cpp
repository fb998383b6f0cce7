// What input fills: variables, buffers. Where in the input a call reads is what threads share (shared_calls.h).
#define __NO_INLINE__ // <stdio.h> has bodies of some
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/descriptor_calls.h"
#include "tools/shipped/explore/library_calls.h"
#include "tools/shipped/explore/shared_calls.h"

using namespace explore;

static void takes_input(const char* name, const void* pc, int file) {
  use_shared(Shared::kInput, name, pc);
  receives(file, name, pc);
}
static void takes_input(const char* name, const void* pc, FILE* from) {
  use_shared(Shared::kInput, name, pc);
  if (from != nullptr && from->_IO_read_ptr >= from->_IO_read_end) receives(fileno(from), name, pc);
}

EXPORT size_t fread(void* to, size_t each, size_t count, FILE* from) {
  NEXT(fread);
  takes_input("fread", HERE, from);
  size_t got = next(to, each, count, from);
  writes(to, each * got, HERE);
  return got;
}
EXPORT size_t __fread_chk(void* to, size_t room, size_t each, size_t count, FILE* from) {
  NEXT(__fread_chk);
  takes_input("fread", HERE, from);
  size_t got = next(to, room, each, count, from);
  writes(to, each * got, HERE);
  return got;
}
EXPORT char* fgets(char* to, int room, FILE* from) {
  NEXT(fgets);
  takes_input("fgets", HERE, from);
  char* line = next(to, room, from);
  if (line != nullptr) writes(to, strlen(to) + 1, HERE);
  return line;
}
EXPORT char* __fgets_chk(char* to, size_t bytes, int room, FILE* from) {
  NEXT(__fgets_chk);
  takes_input("fgets", HERE, from);
  char* line = next(to, bytes, room, from);
  if (line != nullptr) writes(to, strlen(to) + 1, HERE);
  return line;
}
EXPORT ssize_t read(int file, void* to, size_t bytes) {
  NEXT(read);
  takes_input("read", HERE, file);
  ssize_t got = next(file, to, bytes);
  if (got > 0) writes(to, static_cast<size_t>(got), HERE);
  return got;
}
EXPORT ssize_t __read_chk(int file, void* to, size_t bytes, size_t room) {
  NEXT(__read_chk);
  takes_input("read", HERE, file);
  ssize_t got = next(file, to, bytes, room);
  if (got > 0) writes(to, static_cast<size_t>(got), HERE);
  return got;
}
EXPORT ssize_t getline(char** line, size_t* room, FILE* from) {
  NEXT(getline);
  takes_input("getline", HERE, from);
  ssize_t got = next(line, room, from);
  writes(line, sizeof *line, HERE);
  writes(room, sizeof *room, HERE);
  if (got >= 0) writes(*line, static_cast<size_t>(got) + 1, HERE);
  return got;
}

// <stdio.h> gives other names to some.
#define SCAN(name, of_list, next_name)                                                                                 \
  static int of_list##_from(FILE* from, const char* format, va_list arguments, const void* pc) {                       \
    static auto next = reinterpret_cast<int (*)(FILE*, const char*, va_list)>(dlsym(RTLD_NEXT, #next_name));           \
    takes_input(#name, pc, from);                                                                                      \
    va_list copy;                                                                                                      \
    va_copy(copy, arguments);                                                                                          \
    int filled = next(from, format, copy);                                                                             \
    va_end(copy);                                                                                                      \
    filled_by_format(format, arguments, filled, pc);                                                                   \
    return filled;                                                                                                     \
  }
#define SCAN_FILE(name, of_list)                                                                                       \
  SCAN(name, of_list, of_list)                                                                                         \
  EXPORT int explored_##of_list(FILE* from, const char* format, va_list arguments) __asm__(#of_list);                  \
  EXPORT int explored_##of_list(FILE* from, const char* format, va_list arguments) {                                   \
    return of_list##_from(from, format, arguments, HERE);                                                              \
  }                                                                                                                    \
  EXPORT int explored_##name(FILE* from, const char* format, ...) __asm__(#name);                                      \
  EXPORT int explored_##name(FILE* from, const char* format, ...) {                                                    \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int filled = of_list##_from(from, format, arguments, HERE);                                                        \
    va_end(arguments);                                                                                                 \
    return filled;                                                                                                     \
  }
#define SCAN_INPUT(name, of_list, of_file)                                                                             \
  SCAN(name, of_list, of_file)                                                                                         \
  EXPORT int explored_##of_list(const char* format, va_list arguments) __asm__(#of_list);                              \
  EXPORT int explored_##of_list(const char* format, va_list arguments) {                                               \
    return of_list##_from(stdin, format, arguments, HERE);                                                             \
  }                                                                                                                    \
  EXPORT int explored_##name(const char* format, ...) __asm__(#name);                                                  \
  EXPORT int explored_##name(const char* format, ...) {                                                                \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int filled = of_list##_from(stdin, format, arguments, HERE);                                                       \
    va_end(arguments);                                                                                                 \
    return filled;                                                                                                     \
  }
SCAN_FILE(fscanf, vfscanf)
SCAN_FILE(__isoc99_fscanf, __isoc99_vfscanf)
SCAN_FILE(__isoc23_fscanf, __isoc23_vfscanf)
SCAN_INPUT(scanf, vscanf, vfscanf)
SCAN_INPUT(__isoc99_scanf, __isoc99_vscanf, __isoc99_vfscanf)
SCAN_INPUT(__isoc23_scanf, __isoc23_vscanf, __isoc23_vfscanf)
