// Reads /proc/self/task. See process_threads.h.
#include "runtime/observe/process_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/os_linux.h"

namespace chomp {
namespace {

// As the kernel writes it (getdents64(2)).
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t bytes;
  uint8_t type;
  char name[];
};

bool read_of_thread(int id, const char* file, char* buffer, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", id, file);
  return read_small_file(path, buffer, size) > 0;
}

uint64_t number_after(const char* text, const char* label) {
  const char* at = strstr(text, label);
  return at == nullptr ? 0 : strtoull(at + strlen(label), nullptr, 10);
}

// `call`: the number of the system call and its arguments, in hexadecimal, as /proc shows them.
Blocked blocked_in(const char* call) {
  char* rest = nullptr;
  long number = strtol(call, &rest, 10);
  if (rest == call) return Blocked::kNot; // "running"
  uint64_t arguments[6] = {};
  for (uint64_t& argument : arguments) argument = strtoull(rest, &rest, 16);
  if (number == SYS_clock_nanosleep) return Blocked::kByClock;
#ifdef SYS_nanosleep
  if (number == SYS_nanosleep) return Blocked::kByClock;
#endif
  if (number != SYS_futex) return Blocked::kOutside;
  return arguments[3] != 0 ? Blocked::kByClock : Blocked::kOnThread;
}

} // namespace

int list_threads(int* ids) {
  Uncancelled whole;
  int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return 0;
  int count = 0;
  alignas(DirectoryEntry) char buffer[4096];
  for (long bytes; (bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry->bytes;
      int id = atoi(entry->name);
      if (id > 0 && count < kMostListedThreads) ids[count++] = id;
    }
  close(folder);
  return count;
}

int open_own_delays() {
  Uncancelled whole;
  return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

bool read_own_delays(int file, uint64_t* delayed_ns) {
  Uncancelled whole;
  char text[128];
  ssize_t bytes = pread(file, text, sizeof text - 1, 0);
  if (bytes <= 0) return false;
  text[bytes] = 0;
  char* second = nullptr; // "nanoseconds on CPUs, nanoseconds ready without one, turns" (sched-stats)
  strtoull(text, &second, 10);
  *delayed_ns = strtoull(second, nullptr, 10);
  return true;
}

bool look_at_thread(int id, ProcessThread* thread) {
  char text[4096];
  if (!read_of_thread(id, "status", text, sizeof text)) return false;
  thread->id = id;
  thread->switches =
      number_after(text, "\nvoluntary_ctxt_switches:") + number_after(text, "\nnonvoluntary_ctxt_switches:");
  sscanf(text, "Name: %15[^\n]", thread->name);
  const char* state = strstr(text, "\nState:\t");
  char letter = state != nullptr ? state[strlen("\nState:\t")] : 'R';
  thread->blocked = letter == 'Z' || letter == 'X' ? Blocked::kEnded : Blocked::kNot;
  if (letter != 'S') return true;
  thread->blocked = read_of_thread(id, "syscall", text, sizeof text) ? blocked_in(text) : Blocked::kOutside;
  return true;
}

} // namespace chomp
