// Threads of the program that end leave their teams to those that come next: as large ones, larger ones, several at the
// same time, and some just when the pool ends since there have been none for a while. main() leaves by pthread_exit(),
// so the process ends only if all threads of the pool do.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <time.h>

struct root {
  int threads;
  int members; // of its region: the system may refuse threads
};
static int in_critical;

static void* root(void* argument) {
  struct root* self = argument;
  int tasks = 0, members = 0;
#pragma omp parallel num_threads(self->threads) shared(tasks) reduction(+ : members)
  {
    members++;
#pragma omp single nowait
    for (int i = 0; i < 2; i++)
#pragma omp task shared(tasks)
    {
#pragma omp atomic
      tasks++;
    }
#pragma omp critical
    in_critical++;
  }
  CHECK_EQ(tasks, 2);
  CHECK(members >= 1 && members <= self->threads);
  self->members = members;
  return 0;
}

static int together(int count, struct root* roots) {
  pthread_t threads[2];
  int members = 0;
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_create(&threads[i], 0, root, &roots[i]), 0);
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_join(threads[i], 0), 0);
  for (int i = 0; i < count; i++) members += roots[i].members;
  return members;
}

int main(void) {
  int members = together(1, (struct root[]){{2}});
  members += together(2, (struct root[]){{2}, {2}});
  members += together(1, (struct root[]){{3}});
  nanosleep(&(struct timespec){.tv_nsec = 249997000}, 0); // a quarter of a second after the last of them the pool ends
  members += together(2, (struct root[]){{3}, {2}});
  CHECK_EQ(in_critical, members);
  pthread_exit(0);
}
