// The thread that comes first runs what runs once, or ends the program: all outcomes are found.
// RUN: %chomp-cxx -std=c++17 %s -o %t
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t static = "1" "2"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t once = "1" "2"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t exit = "" "before"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>

static int first_come;
static std::once_flag flag;

static int come(const char* what, int who) {
  if (strcmp(what, "static") == 0) {
    static int first = who;
    return first;
  }
  std::call_once(flag, [who] { first_come = who; });
  return first_come;
}

int main(int, char** arguments) {
  const char* what = arguments[1];
  int got = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    if (strcmp(what, "exit") == 0)
      puts("before");
    else
      got = come(what, 1);
#pragma omp section
    if (strcmp(what, "exit") == 0)
      exit(0);
    else
      come(what, 2);
  }
  printf("%d\n", got);
}
