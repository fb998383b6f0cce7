// Calls of libc that share something come in all orders: the sequence of rand(), the place in a file, numbers of files.
// What is not tried is named: addresses of blocks, code that nobody sees, what is another thing each time.
// RUN: %chomp-cc %s -o %t
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t rand = "0" "1"
// RUN: printf 'one\ntwo\n' > %t.lines
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t fgets %t.lines = "one two" "two one"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t read %t.lines = "one two" "two one"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t fread %t.lines = "one two" "two one"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t getc %t.lines = "on" "no"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t dup = "0" "1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t print = "a b" "b a"
// RUN: sh -c '%chomp-explore --exhaustive --any-output %t malloc; test $? = 3' 2>&1 | grep 'not all: two threads allocate'
// RUN: %chomp-explore --exhaustive %t serial 2>&1 | grep 'all 1 order explored: none fails'
// RUN: sh -c '%chomp-explore --exhaustive --any-output %t getpid; test $? = 3' 2>&1 | grep 'not all: it asks for getpid()'
// RUN: sh -c '%chomp-explore --exhaustive --any-output %t poll; test $? = 3' 2>&1 | grep 'not all: it calls poll()'
// RUN: %clang -shared -fPIC -DOTHER %s -o %t.so
// RUN: %chomp-cc -DLINKED %s %t.so -o %t.linked
// RUN: sh -c '%chomp-explore --exhaustive %t.linked serial; test $? = 3' 2>&1 | grep 'not all: shared_calls.c.tmp.so is not compiled for it'
// RUN: %chomp-cc -shared -fPIC -DOTHER %s -o %t.so
// RUN: %chomp-explore --exhaustive %t.linked serial 2>&1 | grep 'all 2 orders explored: none fails'
#include <fcntl.h>
#include <omp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef OTHER
int twice(int value) {
  static int calls;
  return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) * 0 + 2 * value;
}
#else
#ifdef LINKED
int twice(int);
#else
#define twice(value) (2 * (value))
#endif

static FILE* lines;
static int number;
static char got[2][8];

static long use(const char* what, int which) {
  if (strcmp(what, "rand") == 0) return rand();
  if (strcmp(what, "fgets") == 0) return fgets(got[which], sizeof got[which], lines) != NULL;
  if (strcmp(what, "fread") == 0) return (long)fread(got[which], 4, 1, lines);
  if (strcmp(what, "getc") == 0) return got[which][0] = (char)getc(lines);
  if (strcmp(what, "read") == 0) return read(number, got[which], 4);
  if (strcmp(what, "dup") == 0) return dup(0);
  if (strcmp(what, "print") == 0) return puts(which == 0 ? "a" : "b");
  if (strcmp(what, "malloc") == 0) return (long)malloc(40);
  if (strcmp(what, "getpid") == 0) return getpid();
  if (strcmp(what, "poll") == 0) return poll(NULL, 0, 0);
  return twice(which);
}

int main(int count, char** arguments) {
  const char* what = arguments[1];
  if (count > 2) {
    lines = fopen(arguments[2], "r");
    number = open(arguments[2], O_RDONLY);
  }
  long first = 0, second = 0;
  if (strcmp(what, "serial") == 0) free(malloc(40));
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    first = use(what, 0);
#pragma omp section
    second = use(what, 1);
  }
  if (strcmp(what, "serial") == 0) free(malloc(40));
  if (count > 2)
    printf("%s%s", got[0], got[1]);
  else if (strcmp(what, "print") != 0)
    printf("%d\n", first < second);
}
#endif
