// Functions of libc that read and write the program's memory: what they touch is told as if the program did it, at the
// line of the call. Only calls in code that is compiled for this count: libraries may order their own by means that
// nobody sees. What need not be read (behind the first difference, behind the end of a text) is not told.
#define __NO_INLINE__ // <string.h>, <stdlib.h> and <stdio.h> have bodies of some
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>
#include <unistd.h>
#include <wchar.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/library_calls.h"

using explore::reads;
using explore::reads_text;
using explore::writes;

// GCC knows these functions, and would make calls of themselves of loops that do the same.
static size_t length_of(const char* text) {
  NEXT(strlen);
  return next(text);
}
static size_t length_of(const char* text, size_t most) {
  NEXT(strnlen);
  return next(text, most);
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

#define COPY(name, as)                                                                                                 \
  EXPORT void* name(void* to, const void* from, size_t bytes) {                                                        \
    NEXT_AS(memcpy, as);                                                                                               \
    reads(from, bytes, HERE);                                                                                          \
    writes(to, bytes, HERE);                                                                                           \
    return next(to, from, bytes);                                                                                      \
  }
#define CHECKED_COPY(name, as)                                                                                         \
  EXPORT void* name(void* to, const void* from, size_t bytes, size_t room) {                                           \
    static auto next = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name));                                     \
    reads(from, bytes, HERE);                                                                                          \
    writes(to, bytes, HERE);                                                                                           \
    return next(to, from, bytes, room);                                                                                \
  }
COPY(memcpy, memcpy)
COPY(memmove, memmove)
COPY(mempcpy, mempcpy)
COPY(__mempcpy, __mempcpy)
CHECKED_COPY(__memcpy_chk, memcpy)
CHECKED_COPY(__memmove_chk, memmove)
CHECKED_COPY(__mempcpy_chk, mempcpy)

TOLD(void*, memset, (void* to, int value, size_t bytes), (to, value, bytes), writes(to, bytes, HERE))
TOLD(void*, __memset_chk, (void* to, int value, size_t bytes, size_t room), (to, value, bytes, room),
     writes(to, bytes, HERE))
EXPORT void bzero(void* to, size_t bytes) {
  NEXT(bzero); // NOLINT(bugprone-unsafe-functions): the program calls it
  writes(to, bytes, HERE);
  next(to, bytes);
}
TOLD(void, explicit_bzero, (void* to, size_t bytes), (to, bytes), writes(to, bytes, HERE))
EXPORT void bcopy(const void* from, void* to, size_t bytes) {
  NEXT(bcopy); // NOLINT(bugprone-unsafe-functions): the program calls it
  reads(from, bytes, HERE);
  writes(to, bytes, HERE);
  next(from, to, bytes);
}

static int compare(const void* left, const void* right, size_t bytes, const void* pc) {
  NEXT(memcmp);
  if (explore::counts(pc)) {
    const auto *a = static_cast<const volatile char*>(left), *b = static_cast<const volatile char*>(right);
    size_t same = 0;
    while (same < bytes && a[same] == b[same]) ++same;
    reads(left, same < bytes ? same + 1 : bytes, pc);
    reads(right, same < bytes ? same + 1 : bytes, pc);
  }
  return next(left, right, bytes);
}
EXPORT int memcmp(const void* left, const void* right, size_t bytes) { return compare(left, right, bytes, HERE); }
EXPORT int bcmp(const void* left, const void* right, size_t bytes) { return compare(left, right, bytes, HERE); }

// <string.h> has each of the next ones twice.
EXPORT void* explored_memchr(const void* in, int value, size_t bytes) __asm__("memchr");
EXPORT void* explored_memchr(const void* in, int value, size_t bytes) {
  static auto next = reinterpret_cast<void* (*)(const void*, int, size_t)>(dlsym(RTLD_NEXT, "memchr"));
  void* found = next(in, value, bytes);
  reads(in,
        found != nullptr ? static_cast<size_t>(static_cast<char*>(found) - static_cast<const char*>(in)) + 1 : bytes,
        HERE);
  return found;
}

// ---- Texts ----------------------------------------------------------------------------------------------------------

EXPORT size_t strlen(const char* text) {
  size_t length = length_of(text);
  reads(text, length + 1, HERE);
  return length;
}
EXPORT size_t strnlen(const char* text, size_t most) {
  size_t length = length_of(text, most);
  reads(text, length < most ? length + 1 : most, HERE);
  return length;
}

static void copies(char* to, const char* from, const void* pc) {
  if (!explore::counts(pc)) return;
  size_t bytes = length_of(from) + 1;
  reads(from, bytes, pc);
  writes(to, bytes, pc);
}
static void copies(char* to, const char* from, size_t most, const void* pc) {
  if (!explore::counts(pc)) return;
  size_t length = length_of(from, most);
  reads(from, length < most ? length + 1 : most, pc);
  writes(to, most, pc);
}
static void appends(char* to, const char* from, size_t most, const void* pc) {
  if (!explore::counts(pc)) return;
  size_t before = length_of(to), length = length_of(from, most);
  reads(to, before + 1, pc);
  reads(from, length < most ? length + 1 : most, pc);
  writes(to + before, length + 1, pc);
}

TOLD(char*, strcpy, (char* to, const char* from), (to, from), copies(to, from, HERE))
TOLD(char*, stpcpy, (char* to, const char* from), (to, from), copies(to, from, HERE))
TOLD(char*, strncpy, (char* to, const char* from, size_t most), (to, from, most), copies(to, from, most, HERE))
TOLD(char*, stpncpy, (char* to, const char* from, size_t most), (to, from, most), copies(to, from, most, HERE))
TOLD(char*, strcat, (char* to, const char* from), (to, from), appends(to, from, SIZE_MAX, HERE))
TOLD(char*, strncat, (char* to, const char* from, size_t most), (to, from, most), appends(to, from, most, HERE))
TOLD(char*, __strcpy_chk, (char* to, const char* from, size_t room), (to, from, room), copies(to, from, HERE))
TOLD(char*, __stpcpy_chk, (char* to, const char* from, size_t room), (to, from, room), copies(to, from, HERE))
TOLD(char*, __strncpy_chk, (char* to, const char* from, size_t most, size_t room), (to, from, most, room),
     copies(to, from, most, HERE))
TOLD(char*, __strcat_chk, (char* to, const char* from, size_t room), (to, from, room),
     appends(to, from, SIZE_MAX, HERE))
TOLD(char*, __strncat_chk, (char* to, const char* from, size_t most, size_t room), (to, from, most, room),
     appends(to, from, most, HERE))

static void compares(const char* left, const char* right, size_t most, bool any_case, const void* pc) {
  if (!explore::counts(pc)) return;
  auto small = [any_case](char letter) { return any_case && letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter; };
  size_t same = 0;
  while (same < most && left[same] != 0 && small(left[same]) == small(right[same])) ++same;
  reads(left, same < most ? same + 1 : most, pc);
  reads(right, same < most ? same + 1 : most, pc);
}
TOLD(int, strcmp, (const char* left, const char* right), (left, right), compares(left, right, SIZE_MAX, false, HERE))
TOLD(int, strncmp, (const char* left, const char* right, size_t most), (left, right, most),
     compares(left, right, most, false, HERE))
TOLD(int, strcasecmp, (const char* left, const char* right), (left, right), compares(left, right, SIZE_MAX, true, HERE))
TOLD(int, strncasecmp, (const char* left, const char* right, size_t most), (left, right, most),
     compares(left, right, most, true, HERE))

// Those that look for something: up to there, or to the end.
#define SEARCH(name, what, needs_text)                                                                                 \
  EXPORT char* explored_##name(const char* text, what wanted) __asm__(#name);                                          \
  EXPORT char* explored_##name(const char* text, what wanted) {                                                        \
    static auto next = reinterpret_cast<char* (*)(const char*, what)>(dlsym(RTLD_NEXT, #name));                        \
    char* found = next(text, wanted);                                                                                  \
    if (!explore::counts(HERE)) return found;                                                                          \
    needs_text;                                                                                                        \
    reads(text, found != nullptr ? static_cast<size_t>(found - text) + 1 : length_of(text) + 1, HERE);                 \
    return found;                                                                                                      \
  }
SEARCH(strchr, int, )
SEARCH(strchrnul, int, )
SEARCH(strstr, const char*, reads_text(wanted, HERE))
SEARCH(strpbrk, const char*, reads_text(wanted, HERE))
EXPORT char* explored_strrchr(const char* text, int wanted) __asm__("strrchr");
EXPORT char* explored_strrchr(const char* text, int wanted) {
  static auto next = reinterpret_cast<char* (*)(const char*, int)>(dlsym(RTLD_NEXT, "strrchr"));
  reads_text(text, HERE);
  return next(text, wanted);
}
#define SPAN(name)                                                                                                     \
  EXPORT size_t name(const char* text, const char* letters) {                                                          \
    NEXT(name);                                                                                                        \
    size_t length = next(text, letters);                                                                               \
    reads_text(letters, HERE);                                                                                         \
    reads(text, length + 1, HERE);                                                                                     \
    return length;                                                                                                     \
  }
SPAN(strspn)
SPAN(strcspn)

// ---- Numbers --------------------------------------------------------------------------------------------------------

// By their names in the library: from glibc 2.38 on <stdlib.h> calls __isoc23_strtol strtol, which it hides.
#define PARSE_WHOLE(type, name)                                                                                        \
  EXPORT type explored_##name(const char* text, char** end, int base) __asm__(#name);                                  \
  EXPORT type explored_##name(const char* text, char** end, int base) {                                                \
    static auto next = reinterpret_cast<type (*)(const char*, char**, int)>(dlsym(RTLD_NEXT, #name));                  \
    char* behind;                                                                                                      \
    type value = next(text, &behind, base);                                                                            \
    reads(text, static_cast<size_t>(behind - text) + 1, HERE);                                                         \
    if (end != nullptr) writes(end, sizeof *end, HERE), *end = behind;                                                 \
    return value;                                                                                                      \
  }
#define PARSE_REAL(type, name)                                                                                         \
  EXPORT type name(const char* text, char** end) {                                                                     \
    static auto next = reinterpret_cast<type (*)(const char*, char**)>(dlsym(RTLD_NEXT, #name));                       \
    char* behind;                                                                                                      \
    type value = next(text, &behind);                                                                                  \
    reads(text, static_cast<size_t>(behind - text) + 1, HERE);                                                         \
    if (end != nullptr) writes(end, sizeof *end, HERE), *end = behind;                                                 \
    return value;                                                                                                      \
  }
#define PARSE(type, name)                                                                                              \
  EXPORT type name(const char* text) {                                                                                 \
    NEXT(name);                                                                                                        \
    reads_text(text, HERE);                                                                                            \
    return next(text);                                                                                                 \
  }
PARSE_WHOLE(long, strtol)
PARSE_WHOLE(long long, strtoll)
PARSE_WHOLE(unsigned long, strtoul)
PARSE_WHOLE(unsigned long long, strtoull)
PARSE_WHOLE(long, __isoc23_strtol)
PARSE_WHOLE(long long, __isoc23_strtoll)
PARSE_WHOLE(unsigned long, __isoc23_strtoul)
PARSE_WHOLE(unsigned long long, __isoc23_strtoull)
PARSE_REAL(double, strtod)
PARSE_REAL(float, strtof)
PARSE_REAL(long double, strtold)
PARSE(int, atoi)
PARSE(long, atol)
PARSE(long long, atoll)
PARSE(double, atof)

// ---- Lists ----------------------------------------------------------------------------------------------------------

// They compare copies of elements: the program's function that compares does not see where these lie.
EXPORT void qsort(void* list, size_t count, size_t each, int (*order)(const void*, const void*)) {
  NEXT(qsort);
  writes(list, count * each, HERE);
  next(list, count, each, order);
}
EXPORT void qsort_r(void* list, size_t count, size_t each, int (*order)(const void*, const void*, void*), void* more) {
  NEXT(qsort_r);
  writes(list, count * each, HERE);
  next(list, count, each, order, more);
}

// ---- Wide letters, mathematics --------------------------------------------------------------------------------------

#undef wmemcpy
#undef wmemmove
#define WIDE_COPY(name)                                                                                                \
  EXPORT wchar_t* name(wchar_t* to, const wchar_t* from, size_t count) {                                               \
    NEXT(name);                                                                                                        \
    reads(from, count * sizeof *from, HERE);                                                                           \
    writes(to, count * sizeof *to, HERE);                                                                              \
    return next(to, from, count);                                                                                      \
  }
WIDE_COPY(wmemcpy)
WIDE_COPY(wmemmove)
EXPORT size_t wcslen(const wchar_t* text) {
  NEXT(wcslen);
  size_t length = next(text);
  reads(text, (length + 1) * sizeof *text, HERE);
  return length;
}

#define SPLIT(type, name, part)                                                                                        \
  EXPORT type name(type value, part* other) {                                                                          \
    static auto next = reinterpret_cast<type (*)(type, part*)>(dlsym(RTLD_NEXT, #name));                               \
    writes(other, sizeof *other, HERE);                                                                                \
    return next(value, other);                                                                                         \
  }
SPLIT(double, frexp, int)
SPLIT(float, frexpf, int)
SPLIT(double, modf, double)
SPLIT(float, modff, float)
#define SINCOS(type, name)                                                                                             \
  EXPORT void name(type value, type* sine, type* cosine) {                                                             \
    static auto next = reinterpret_cast<void (*)(type, type*, type*)>(dlsym(RTLD_NEXT, #name));                        \
    writes(sine, sizeof *sine, HERE);                                                                                  \
    writes(cosine, sizeof *cosine, HERE);                                                                              \
    next(value, sine, cosine);                                                                                         \
  }
SINCOS(double, sincos)
SINCOS(float, sincosf)
