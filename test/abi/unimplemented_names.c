// A name that is exported but cannot be served says so clearly, by its name, and aborts: never a silent wrong answer.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -std=gnu11 -I%root/test %s -o %t -ldl && %t %library
#include "support/check.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>

static void call(const char* path, const char* name) {
  int ends[2], status;
  char said[1000] = "", expected[200];
  CHECK_EQ(pipe(ends), 0);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(ends[1], 2);
    void* library = dlopen(path, RTLD_NOW);
    void (*function)(void*) = library ? (void (*)(void*))dlsym(library, name) : 0;
    if (!function) _exit(3);
    function(0); // no source location
    _exit(4);
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t n;
  while ((n = read(ends[0], said + length, sizeof said - 1 - length)) > 0) length += (size_t)n;
  close(ends[0]);
  CHECK_EQ(waitpid(child, &status, 0), child);
  fprintf(stderr, "%s: status %d, said: %s\n", name, status, said);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  snprintf(expected, sizeof expected, "chomp: %s is not implemented", name);
  CHECK(strstr(said, expected));
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  call(argv[1], "__kmpc_invoke_task_func");
  return 0;
}
