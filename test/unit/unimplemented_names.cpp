// A name that is exported but cannot be served says so clearly, by its name and the place of the call, and aborts:
// never a silent wrong answer. The names are the test's own: the library's list is empty once everything is written.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: mkdir -p %t.list/abi
// RUN: echo 'UNIMPLEMENTED(without_location, 0) UNIMPLEMENTED(with_location, 1)' > %t.list/abi/unimplemented.def
// RUN: %clangxx -std=c++20 -I%t.list -I%root %s %root/abi/unimplemented.cpp %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp -pthread -o %t && %t
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/abi.h"
#include "test/unit/check_that.h"

extern "C" void without_location();
extern "C" void with_location(const chomp::abi::Location* location);

static bool aborts_saying(const char* expected, void (*call)()) {
  int ends[2], status = 0;
  char said[1000] = "";
  THAT(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    call();
    _exit(4);
  }
  close(ends[1]);
  for (size_t length = 0; length < sizeof said - 1;) {
    const ssize_t more = read(ends[0], said + length, sizeof said - 1 - length);
    if (more <= 0) break;
    length += static_cast<size_t>(more);
  }
  close(ends[0]);
  THAT(waitpid(child, &status, 0) == child);
  fprintf(stderr, "status %d, said: %s\n", status, said);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, expected) != nullptr;
}

int main() {
  THAT(aborts_saying("chomp: without_location is not implemented", without_location));
  THAT(aborts_saying("with_location is not implemented", [] { with_location(nullptr); }));
  THAT(aborts_saying("here.c", [] {
    const chomp::abi::Location place = {
        .reserved_1 = 0, .flags = 2, .reserved_2 = 0, .reserved_3 = 0, .psource = ";here.c;main;7;3;;"};
    with_location(&place);
  }));
  return result();
}
