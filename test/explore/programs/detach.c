// A task with detach is complete when its event is fulfilled and its body has ended, in either order: by its own body,
// by another task, by a thread that OpenMP does not know.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

struct request {
  omp_event_handle_t event;
  int result;
};

static void* fulfil(void* argument) {
  struct request* request = argument;
  request->result = 5;
  omp_fulfill_event(request->event);
  return 0;
}

static void by_itself(void) {
  int value = 0;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
  {
    omp_fulfill_event(event);
    value = 1;
  }
#pragma omp task depend(inout : value) shared(value)
  value += 10;
#pragma omp taskwait
  CHECK_EQ(value, 11);
}

static void by_a_task(void) {
  int value = 0, given = 0;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : value) shared(value)
  value = 1;
#pragma omp task firstprivate(event) shared(given)
  {
    given = 3; // before the event: whoever waits for the task sees it
    omp_fulfill_event(event);
  }
#pragma omp taskwait depend(in : value)
  CHECK_EQ(value + given, 4);
#pragma omp taskwait
}

static void by_a_thread(int in_group) {
  struct request request = {0};
  pthread_t thread;
  omp_event_handle_t event;
  int value = 0;
#pragma omp taskgroup
  {
#pragma omp task detach(event) shared(value)
    value = 2;
    request.event = event;
    CHECK_EQ(pthread_create(&thread, 0, fulfil, &request), 0);
    if (!in_group) {
#pragma omp taskwait
      CHECK_EQ(request.result + value, 7);
    }
  }
  CHECK_EQ(request.result + value, 7);
  CHECK_EQ(pthread_join(thread, 0), 0);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    by_itself();
    by_a_task();
    by_a_thread(0);
    by_a_thread(1);
  }
  // Threads that end are followed by others at once, which get their stacks.
#pragma omp parallel
  for (int i = 0; i < 2; i++) by_a_thread(i);
  // The end of a region waits for it too.
  struct request last = {0};
  pthread_t thread;
#pragma omp parallel
#pragma omp single nowait
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    {
    }
    last.event = event;
    CHECK_EQ(pthread_create(&thread, 0, fulfil, &last), 0);
  }
  CHECK_EQ(last.result, 5);
  CHECK_EQ(pthread_join(thread, 0), 0);
  return 0;
}
