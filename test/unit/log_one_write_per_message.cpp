// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp -pthread -o %t && %t
#include <csignal>
#include <cerrno>

#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "test/unit/capture.h"
#include "test/unit/check_that.h"

using namespace chomp;

static bool same(const Captured& c, const char* text) {
  if (strcmp(c.text, text) == 0) return true;
  fprintf(stderr, "got: %s", c.text);
  return false;
}

static bool aborted(const Captured& c) { return WIFSIGNALED(c.status) && WTERMSIG(c.status) == SIGABRT; }

int main() {
  THAT(same(capture([] {
              warn(42, "%s: \"%s\"", "A", "b");
              return 0;
            }),
            "OMP: Warning #42: A: \"b\"\n"));
  THAT(same(capture([] {
              warn(0, "x");
              return 0;
            }),
            "OMP: Warning: x\n"));
  THAT(same(capture([] {
              inform(107, "x");
              return 0;
            }),
            "OMP: Info #107: x\n"));
  THAT(same(capture([] {
              print("x %d\n", 3);
              return 0;
            }),
            "x 3\n"));
  THAT(same(capture([] {
              set_warnings(false);
              warn(1, "x");
              inform(1, "x");
              return 0;
            }),
            ""));

  // Whose the messages are follows the first that is printed.
  THAT(same(capture([] {
              set_introduction("OMP: Info: ours.");
              print("text\n");
              set_warnings(false);
              warn(1, "x");
              set_warnings(true);
              warn(1, "y");
              warn(1, "z");
              return 0;
            }),
            "text\nOMP: Warning #1: y\nOMP: Info: ours.\nOMP: Warning #1: z\n"));

  Captured c = capture([]() -> int { fatal("no %s", "memory"); });
  THAT(same(c, "chomp: no memory\n") && aborted(c));
  c = capture([]() -> int {
    set_warnings(false);
    fatal_at(";a.c;main;12;3;;", "bad");
  });
  THAT(same(c, "chomp: a.c:12: in main: bad\n") && aborted(c));
  THAT(same(capture([]() -> int { fatal_at(";unknown;unknown;0;0;;", "bad"); }), "chomp: bad\n"));
  THAT(same(capture([]() -> int { fatal_at(";f.c;g;0;0;;", "bad"); }), "chomp: f.c: in g: bad\n"));
  THAT(same(capture([]() -> int { fatal_at(nullptr, "bad"); }), "chomp: bad\n"));
  THAT(same(capture([]() -> int { fatal_at("", "bad"); }), "chomp: bad\n"));
  THAT(same(capture([]() -> int { fatal_at(";a.c", "bad"); }), "chomp: a.c: bad\n"));

  c = capture([]() -> int {
    CHECK(1 + 1 == 3);
    return 0;
  });
  THAT(aborted(c) && strstr(c.text, "chomp: internal error: 1 + 1 == 3 at "));

  // A message that does not fit is cut, marked and still ends its line.
  c = capture([] {
    static char large[5000];
    memset(large, 'x', sizeof large - 1);
    errno = 77;
    warn(1, "%s", large);
    return errno == 77 ? 0 : 1;
  });
  size_t length = strlen(c.text);
  THAT(length < 2048 && strcmp(c.text + length - 5, "x...\n") == 0 && c.status == 0);
  return result();
}
