// Messages to people. Each is formatted into a buffer on the stack, then goes out by one write(2). So lines of
// different threads and processes do not interleave, and nothing is lost in a stdio buffer when the process aborts.
// errno is preserved. vsnprintf is the only libc function that does real work here; glibc's does not allocate for the
// conversions we use.
#include "runtime/base/log.h"

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/atomic.h"
#include "runtime/base/os_linux.h"

namespace chomp {

namespace {

constexpr size_t kMessageBytes = 2048;
constexpr const char* kCutMark = "...\n"; // ends a message that did not fit

constinit atomic<bool> warnings_on{true};
constinit atomic<const char*> introduction{nullptr}; // the text that follows the next message; null: none

/// A message under construction. Invariant: length < kMessageBytes and text[length] == 0.
struct Message {
  char text[kMessageBytes];
  size_t length = 0;
  bool cut = false;

  Message() { text[0] = 0; }

  void append_list(const char* format, va_list arguments) {
    size_t room = kMessageBytes - length;
    int wanted = vsnprintf(text + length, room, format, arguments);
    if (wanted < 0) return;
    cut = cut || static_cast<size_t>(wanted) >= room;
    length += static_cast<size_t>(wanted) < room ? static_cast<size_t>(wanted) : room - 1;
  }

  __attribute__((format(printf, 2, 3))) void append(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append_list(format, arguments);
    va_end(arguments);
  }

  void write_out() {
    if (cut) memcpy(text + kMessageBytes - 1 - strlen(kCutMark), kCutMark, strlen(kCutMark));
    write_all(2, text, length);
  }
};

/// The next field of a `psource` string: the text between `*cursor` and the following semicolon.
struct Field {
  const char* text;
  int length;
};

Field next_field(const char** cursor) {
  const char* begin = *cursor;
  const char* end = begin;
  while (*end && *end != ';') end++;
  *cursor = *end ? end + 1 : end;
  return {begin, static_cast<int>(end - begin)};
}

/// Appends "file:line: in function: ", as far as the string has these parts. Leaves out "unknown", which Clang writes
/// where it has no debug information.
void append_location(Message* message, const char* source_location) {
  if (!source_location || *source_location != ';') return;
  const char* cursor = source_location + 1;
  Field file = next_field(&cursor);
  Field function = next_field(&cursor);
  Field line = next_field(&cursor);
  auto known = [](Field f) { return f.length > 0 && !(f.length == 7 && memcmp(f.text, "unknown", 7) == 0); };
  if (known(file)) {
    message->append("%.*s:", file.length, file.text);
    if (known(line) && !(line.length == 1 && line.text[0] == '0')) message->append("%.*s:", line.length, line.text);
    message->append(" ");
  }
  if (known(function)) message->append("in %.*s: ", function.length, function.text);
}

void numbered(const char* kind, int number, const char* source_location, const char* format, va_list arguments) {
  // relaxed: the flag guards no other data; a thread that misses a change for a moment prints or omits one line.
  if (!warnings_on.load(std::memory_order_relaxed)) return;
  int saved = errno;
  Message message;
  if (number)
    message.append("OMP: %s #%d: ", kind, number);
  else
    message.append("OMP: %s: ", kind);
  append_location(&message, source_location);
  message.append_list(format, arguments);
  message.append("\n");
  // relaxed: one thread gets the text, which is a literal.
  const char* owner = message.cut ? nullptr : introduction.exchange(nullptr, std::memory_order_relaxed);
  if (owner != nullptr) message.append("%s\n", owner);
  message.write_out();
  errno = saved;
}

} // namespace

void fatal(const char* format, ...) {
  Message message;
  message.append("chomp: ");
  va_list arguments;
  va_start(arguments, format);
  message.append_list(format, arguments);
  va_end(arguments);
  message.append("\n");
  message.write_out();
  abort();
}

void fatal_at(const char* source_location, const char* format, ...) {
  Message message;
  message.append("chomp: ");
  append_location(&message, source_location);
  va_list arguments;
  va_start(arguments, format);
  message.append_list(format, arguments);
  va_end(arguments);
  message.append("\n");
  message.write_out();
  abort();
}

void warn(int number, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  numbered("Warning", number, nullptr, format, arguments);
  va_end(arguments);
}

void warn_at(const char* source_location, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  numbered("Warning", 0, source_location, format, arguments);
  va_end(arguments);
}

void inform(int number, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  numbered("Info", number, nullptr, format, arguments);
  va_end(arguments);
}

void hint(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  numbered("Hint", 0, nullptr, format, arguments);
  va_end(arguments);
}

void print(const char* format, ...) {
  int saved = errno;
  Message message;
  va_list arguments;
  va_start(arguments, format);
  message.append_list(format, arguments);
  va_end(arguments);
  message.write_out();
  errno = saved;
}

void set_introduction(const char* text) {
  // relaxed: see numbered().
  introduction.store(text, std::memory_order_relaxed);
}

void set_warnings(bool on) {
  // relaxed: see numbered().
  warnings_on.store(on, std::memory_order_relaxed);
}

} // namespace chomp
