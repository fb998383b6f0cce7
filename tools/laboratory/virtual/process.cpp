// See process.h.
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/laboratory/virtual/process.h"

namespace virtual_machine {
namespace {

// The kernel puts the strings of the arguments and of the environment above the first frame, and a pointer for each
// between them. Strings and pointers together fill a multiple of this, whatever they are.
constexpr size_t kAboveFirstFrame = size_t{128} << 10;
// The number of variables is a multiple of this: setenv() copies the pointers to the heap, and moves what lies there.
constexpr size_t kVariables = 256;
constexpr char kFiller[] = "EXPLORE_FILLER=";
constexpr size_t kMostVariables = 4096;

// The bytes of the strings; `*count` grows by how many there are.
size_t bytes_of_strings(char* const* list, size_t* count) {
  size_t bytes = 0;
  for (; *list != nullptr; ++list, ++*count) bytes += strlen(*list) + 1;
  return bytes;
}

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

// Appends variables to the environment that fill it up. They are two or more: the kernel takes no string of 128 KiB.
// It aligns strings and pointers to 16 bytes each: since the pointers are counted so, the strings are no odd number.
void fill_up(char** arguments, char** environment) {
  size_t variables = 0, count = 0;
  size_t used = bytes_of_strings(environment, &variables) + bytes_of_strings(arguments, &count);
  size_t fillers = round_up(variables + 2, kVariables) - variables;
  used += fillers * sizeof kFiller + round_up((variables + fillers + count) * sizeof(char*), 16);
  size_t missing = round_up(used, kAboveFirstFrame) - used;
  static char text[kAboveFirstFrame + (kVariables + 2) * sizeof kFiller];
  char* at = text;
  for (size_t left = fillers; left > 0; --left) {
    size_t part = missing / left;
    environment[variables++] = at;
    memcpy(at, kFiller, sizeof kFiller - 1);
    memset(at + sizeof kFiller - 1, '-', part);
    at += sizeof kFiller + part;
    missing -= part;
  }
  environment[variables] = nullptr;
}

} // namespace

// Starts the program once more, where the system chooses no address at random, and with as much above the first frame
// each time. Returns in the second life, which knows itself by the filler, and where the system refuses.
void fix_addresses(char** arguments, char** environment) {
  static char* filled[kMostVariables + kVariables + 2];
  size_t count = 0;
  for (; environment[count] != nullptr; ++count) {
    if (strncmp(environment[count], kFiller, sizeof kFiller - 1) == 0) return;
    if (count == kMostVariables) return;
    filled[count] = environment[count];
  }
  fill_up(arguments, filled);
  int now = personality(0xffffffff);
  if (now != -1) personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE);
  execve("/proc/self/exe", arguments, filled);
}

// One processor for all: handing the baton over is then a switch, not a message to another processor.
void stay_on_one_cpu() {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  CPU_ZERO(&one);
  int here = sched_getcpu();
  CPU_SET(here < 0 ? 0 : here, &one);
  sched_setaffinity(0, sizeof one, &one);
}

const char* wait_for(pid_t child, int seconds, int* status) {
  int file = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd waited{file, POLLIN, 0};
  int ready = file < 0 ? 1 : poll(&waited, 1, seconds * 1000);
  if (file >= 0) close(file);
  if (ready == 0) kill(child, SIGKILL);
  while (waitpid(child, status, 0) < 0 && errno == EINTR) {
  }
  return ready == 0 ? "stuck: no end in the time allowed" : nullptr;
}

} // namespace virtual_machine
