// A process that records, and then starts another ("spawn") or becomes another ("exec") with the same settings
// (one_process_records_into_a_file.test).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

static void work(int tasks) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i)
#pragma omp task
#pragma omp atomic
    ++done;
  CHECK_EQ(done, tasks);
}

static void run_another(char* name) {
  pid_t child = vfork();
  if (child == 0) {
    execl(name, name, (char*)NULL);
    _exit(1);
  }
  int status = 1;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "spawn") == 0) {
    work(1000); // the file is mapped when the other process begins
    run_another(words[0]);
  }
  if (strcmp(mode, "exec") == 0) {
    work(1000);
    execl(words[0], words[0], (char*)NULL);
    return 1;
  }
  work(10);
  puts("right");
  return 0;
}
