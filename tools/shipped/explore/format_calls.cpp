// What formatted input and output reads and writes: the texts that a %s names, the variables that are filled, the
// buffer that sprintf() writes to.
#define __NO_INLINE__ // <stdio.h> has bodies of some
#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/library_calls.h"

namespace explore {
namespace {

constexpr int kTwoHalves = 100, kHalf = 101; // "hh", "h"

/// One conversion of a format: `%5.3ld`.
struct Conversion {
  char letter = 0; // 0: there is none more
  int length = 0;  // 'l', 'L' (also "ll" and what is as long), kHalf, kTwoHalves; 0: none
  int stars = 0;   // how many arguments say a width or a precision; of scanf: it fills nothing
  bool star_is_precision = false;
  int precision = -1, width = -1;
  bool allocates = false; // %ms of scanf

  /// Goes on behind the conversion; false: arguments are named by number, or it is none that is known.
  bool read(const char** format, bool scans);
};

int read_number(const char** at) {
  int value = -1;
  for (; **at >= '0' && **at <= '9'; ++*at) value = (value < 0 ? 0 : value) * 10 + (**at - '0');
  return value;
}

bool Conversion::read(const char** format, bool scans) {
  const char* at = *format;
  for (;; ++at) { // "%%" is none
    at = strchr(at, '%');
    if (at == nullptr) return true;
    if (*++at != '%') break;
  }
  if (scans) {
    if (*at == '*') ++stars, ++at;
  } else {
    at += strspn(at, "-+ #0'I");
  }
  if (!scans && *at == '*') ++stars, ++at;
  width = read_number(&at);
  if (*at == '$') return false;
  if (!scans && *at == '.') {
    ++at;
    if (*at == '*')
      ++stars, star_is_precision = true, ++at;
    else
      precision = read_number(&at), precision = precision < 0 ? 0 : precision;
  }
  if (scans && *at == 'm') allocates = true, ++at;
  for (; *at != 0 && strchr("hlqjztL", *at) != nullptr; ++at)
    length = *at == 'h' ? length == kHalf ? kTwoHalves : kHalf : *at == 'l' && length == 0 ? 'l' : 'L';
  letter = *at;
  if (letter == 0) return false;
  ++at;
  if (scans && letter == '[') {
    if (*at == '^') ++at;
    if (*at == ']') ++at;
    at = strchr(at, ']');
    if (at == nullptr) return false;
    ++at;
  }
  *format = at;
  return true;
}

void print_text(const Conversion& each, const void* text, int precision, const void* pc) {
  if (text == nullptr) return;
  if (each.letter == 'S' || each.length == 'l') return reads(text, sizeof(wchar_t), pc);
  const auto* letters = static_cast<const char*>(text);
  size_t most = precision < 0 ? SIZE_MAX : static_cast<size_t>(precision), length = strnlen(letters, most);
  reads(letters, length < most ? length + 1 : most, pc);
}

// How much a conversion of scanf() fills, once it has.
size_t filled_bytes(const Conversion& each, const void* at) {
  switch (each.letter) {
  case 's':
  case '[': return each.allocates ? sizeof(char*) : strlen(static_cast<const char*>(at)) + 1;
  case 'c': return each.allocates ? sizeof(char*) : static_cast<size_t>(each.width > 0 ? each.width : 1);
  case 'p': return sizeof(void*);
  case 'e':
  case 'f':
  case 'g':
  case 'a':
  case 'E':
  case 'F':
  case 'G':
  case 'A': return each.length == 0 ? sizeof(float) : each.length == 'l' ? sizeof(double) : sizeof(long double);
  default: return each.length == 0 ? 4 : each.length == kHalf ? 2 : each.length == kTwoHalves ? 1 : 8;
  }
}

} // namespace

void uses_by_format(const char* format, va_list arguments, const void* pc) {
  if (!counts(pc) || strpbrk(format, "sSn") == nullptr) return;
  va_list rest;
  va_copy(rest, arguments);
  for (Conversion each; each.read(&format, false) && each.letter != 0; each = Conversion()) {
    int precision = each.precision;
    for (int i = 0; i < each.stars; ++i) {
      int value = va_arg(rest, int);
      if (each.star_is_precision && i + 1 == each.stars) precision = value;
    }
    if (strchr("eEfFgGaA", each.letter) != nullptr)
      each.length == 'L' ? static_cast<void>(va_arg(rest, long double)) : static_cast<void>(va_arg(rest, double));
    else if (each.letter == 's' || each.letter == 'S')
      print_text(each, va_arg(rest, const void*), precision, pc);
    else if (each.letter == 'n')
      writes(va_arg(rest, void*), each.length == 0 ? 4 : 8, pc);
    else if (each.letter != 'm')
      static_cast<void>(va_arg(rest, long)); // whole numbers and addresses take a register each
  }
  va_end(rest);
}

void filled_by_format(const char* format, va_list arguments, int filled, const void* pc) {
  if (!counts(pc)) return;
  va_list rest;
  va_copy(rest, arguments);
  for (Conversion each; each.read(&format, true) && each.letter != 0; each = Conversion()) {
    if (each.stars != 0) continue;
    void* at = va_arg(rest, void*);
    if (each.letter == 'n')
      writes(at, filled_bytes(each, at), pc);
    else if (filled-- > 0)
      writes(at, filled_bytes(each, at), pc);
    else
      break;
  }
  va_end(rest);
}

} // namespace explore

using explore::counts;
using explore::filled_by_format;
using explore::reads_text;
using explore::uses_by_format;
using explore::writes;

// ---- Into a buffer --------------------------------------------------------------------------------------------------

static int print(char* to, size_t room, const char* format, va_list arguments, const void* pc) {
  NEXT(vsnprintf);
  if (counts(pc)) {
    reads_text(format, pc);
    uses_by_format(format, arguments, pc);
    va_list copy;
    va_copy(copy, arguments);
    int length = next(nullptr, 0, format, copy);
    va_end(copy);
    size_t bytes = length < 0 ? 0 : static_cast<size_t>(length) + 1;
    writes(to, bytes < room ? bytes : room, pc);
  }
  return next(to, room, format, arguments);
}
// A buffer of any size: for vsnprintf() a number of bytes beyond INT_MAX is an error.
constexpr size_t kAnyRoom = INT32_MAX;

#define PRINT(name, of_list, room, ...)                                                                                \
  EXPORT int name(__VA_ARGS__, const char* format, ...) {                                                              \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int result = print(to, room, format, arguments, HERE);                                                             \
    va_end(arguments);                                                                                                 \
    return result;                                                                                                     \
  }                                                                                                                    \
  EXPORT int of_list(__VA_ARGS__, const char* format, va_list arguments) {                                             \
    return print(to, room, format, arguments, HERE);                                                                   \
  }
PRINT(sprintf, vsprintf, kAnyRoom, char* to)
PRINT(snprintf, vsnprintf, bytes, char* to, size_t bytes)
PRINT(__sprintf_chk, __vsprintf_chk, bytes < kAnyRoom ? bytes : kAnyRoom, char* to, int, size_t bytes)
PRINT(__snprintf_chk, __vsnprintf_chk, bytes, char* to, size_t bytes, int, size_t)

// ---- Out of a buffer ------------------------------------------------------------------------------------------------

// <stdio.h> gives other names to some.
#define SCAN(name, of_list)                                                                                            \
  static int of_list##_at(const char* text, const char* format, va_list arguments, const void* pc) {                   \
    static auto next = reinterpret_cast<int (*)(const char*, const char*, va_list)>(dlsym(RTLD_NEXT, #of_list));       \
    reads_text(text, pc);                                                                                              \
    va_list copy;                                                                                                      \
    va_copy(copy, arguments);                                                                                          \
    int filled = next(text, format, copy);                                                                             \
    va_end(copy);                                                                                                      \
    filled_by_format(format, arguments, filled, pc);                                                                   \
    return filled;                                                                                                     \
  }                                                                                                                    \
  EXPORT int explored_##of_list(const char* text, const char* format, va_list arguments) __asm__(#of_list);            \
  EXPORT int explored_##of_list(const char* text, const char* format, va_list arguments) {                             \
    return of_list##_at(text, format, arguments, HERE);                                                                \
  }                                                                                                                    \
  EXPORT int explored_##name(const char* text, const char* format, ...) __asm__(#name);                                \
  EXPORT int explored_##name(const char* text, const char* format, ...) {                                              \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    int filled = of_list##_at(text, format, arguments, HERE);                                                          \
    va_end(arguments);                                                                                                 \
    return filled;                                                                                                     \
  }
SCAN(sscanf, vsscanf)
SCAN(__isoc99_sscanf, __isoc99_vsscanf)
SCAN(__isoc23_sscanf, __isoc23_vsscanf)
