// What libc's functions share, what descriptors hand over, limits of time, and what hardware does with relaxed atomics.
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

static int data, seen;

#define BOTH OMP(parallel for num_threads(2) reduction(+ : n) schedule(static, 1))                                     \
  for (int i = 0; i < 2; ++i)

PROGRAM(text_in_words) {
  static char lines[2][8] = {"a b c", "d e f"};
  int n = 0;
  BOTH {
    char* rest = NULL;
    n += FAULT(strtok(lines[i], " ")) CURE(strtok_r(lines[i], " ", &rest)) != NULL;
    n += rest == NULL;
  }
  return n > 0;
}

PROGRAM(broken_down_time) {
  int n = 0;
  BOTH {
    time_t when = 86400 * i;
    struct tm own;
    own.tm_year = 0;
    n += FAULT(gmtime(&when)) CURE(gmtime_r(&when, &own)) != NULL && own.tm_year >= 0;
  }
  return n > 0;
}

PROGRAM(environment) {
  int n = 0;
  BOTH {
    CURE(OMP(critical)) {
      if (i == 0)
        n += setenv("SOME", "value", 1) == 0;
      else
        n += getenv("SOME") == NULL || *getenv("SOME") != 0;
    }
  }
  return n > 0;
}

PROGRAM(text_of_an_error) {
  int n = 0;
  BOTH {
    char text[64];
    n += FAULT(strerror(1000 + i)) CURE(strerror_r(1000 + i, text, sizeof text)) != NULL;
    text[0] = 0;
  }
  return n > 0;
}

PROGRAM(sign_of_gamma) {
  int n = 0;
  BOTH {
    int sign = 0;
    n += FAULT(lgamma(i + 3.5)) CURE(lgamma_r(i + 3.5, &sign)) > 0;
    n += sign != 5;
  }
  return n > 0;
}

// The first end reads what the second writes, after `data`.
#define HAND_OVER(reader)                                                                                              \
  char byte = 1;                                                                                                       \
  OMP(parallel num_threads(2))                                                                                         \
  if (omp_get_thread_num() == reader) {                                                                                \
    FAULT(seen = data;)                                                                                                \
    if (read(ends[0], &byte, 1) == 1) CURE(seen = data);                                                               \
  } else {                                                                                                             \
    data = 5;                                                                                                          \
    if (write(ends[1], &byte, 1) != 1) data = 6;                                                                       \
  }                                                                                                                    \
  close(ends[0]);                                                                                                      \
  close(ends[1]);                                                                                                      \
  return seen

PROGRAM(pipe_that_a_thread_reads) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  HAND_OVER(1);
}

PROGRAM(pipe_that_the_first_thread_reads) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  HAND_OVER(0);
}

PROGRAM(sockets) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  HAND_OVER(0);
}

PROGRAM(events) {
  int event = eventfd(0, 0);
#pragma omp parallel num_threads(2)
  {
    eventfd_t value = 1;
    if (omp_get_thread_num() == 0) {
      CURE(eventfd_read(event, &value);)
      seen = data;
    } else {
      data = 1;
      eventfd_write(event, value);
    }
  }
  close(event);
  return seen;
}

static sem_t posted;
// SAYS: signal 6
PROGRAM(limit_of_a_semaphore) {
  sem_init(&posted, 0, 0);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    while (sem_timedwait(&posted, &until) != 0) FAULT(abort()) CURE(until.tv_sec += 100);
  } else {
    sem_post(&posted);
  }
  return 0;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
// SAYS: signal 6
PROGRAM(limit_of_a_condition) {
  data = 0;
#pragma omp parallel num_threads(2)
  {
    pthread_mutex_lock(&mutex);
    if (omp_get_thread_num() == 0) {
      struct timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      for (; data == 0; until.tv_sec += 1)
        if (pthread_cond_timedwait(&changed, &mutex, &until) == ETIMEDOUT) FAULT(abort());
    } else {
      data = 1;
      pthread_cond_signal(&changed);
    }
    pthread_mutex_unlock(&mutex);
  }
  return 0;
}

__attribute__((noinline)) static long sum_of_each_second(const int* list, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += list[2 * i];
  return sum;
}
__attribute__((noinline)) static void set_each_second(int* list, int count) {
  for (int i = 0; i < count; ++i) list[2 * i] = i;
}
PROGRAM(gaps_between_elements) { // a vector load may read them, too
  static int list[512];
  long sum = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    sum = sum_of_each_second(list, 255);
#pragma omp section
    set_each_second(list + CURE(1) FAULT(0), 255);
  }
  return sum >= 0;
}

static atomic_int x, y;
// SAYS: signal 6(.|\n)*older value than the newest
PROGRAM(stores_that_wait_in_buffers) {
  int first = 0, second = 0;
  x = y = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      atomic_store_explicit(&x, 1, FAULT(memory_order_relaxed) CURE(memory_order_seq_cst));
      first = atomic_load_explicit(&y, FAULT(memory_order_relaxed) CURE(memory_order_seq_cst));
    }
#pragma omp section
    {
      atomic_store_explicit(&y, 1, FAULT(memory_order_relaxed) CURE(memory_order_seq_cst));
      second = atomic_load_explicit(&x, FAULT(memory_order_relaxed) CURE(memory_order_seq_cst));
    }
  }
  if (first == 0 && second == 0) abort();
  return 0;
}

// SAYS: signal 6(.|\n)*a wait for a condition may end for no reason
PROGRAM(condition_that_is_not_asked_for_again) {
  int ready = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      pthread_mutex_lock(&mutex);
      FAULT(if) CURE(while)(!ready) pthread_cond_wait(&changed, &mutex);
      if (!ready) abort();
      pthread_mutex_unlock(&mutex);
    }
#pragma omp section
    {
      pthread_mutex_lock(&mutex);
      ready = 1;
      pthread_cond_signal(&changed);
      pthread_mutex_unlock(&mutex);
    }
  }
  return ready;
}

static int ends[2];
static void* waits_for_a_byte(void* nothing) {
  struct pollfd one = {ends[0], POLLIN, 0};
  char byte;
  while (poll(&one, 1, 3600 * 1000) == 0) {
  }
  seen = read(ends[0], &byte, 1) == 1 ? data : 0;
  return nothing;
}
PROGRAM(poll_with_a_long_limit) {
  pthread_t thread;
  data = pipe(ends);
  pthread_create(&thread, NULL, waits_for_a_byte, NULL);
#pragma omp parallel for
  for (int i = 0; i < 2; ++i)
    if (i == 1) CURE(data = 1);
  int written = (int)write(ends[1], "", 1);
  FAULT(data = 1);
  pthread_join(thread, NULL);
  close(ends[0]);
  close(ends[1]);
  return written == 1 && seen == 1;
}

// SAYS: signal 6(.|\n)*older value than the newest
PROGRAM(stores_without_a_flush) {
  static int first, second;
  int got[2] = {1, 1};
  first = second = 0;
#pragma omp parallel num_threads(2)
  {
    int me = omp_get_thread_num(), *own = me ? &second : &first, *others = me ? &first : &second;
#pragma omp atomic write
    *own = 1;
    CURE(OMP(flush))
#pragma omp atomic read
    got[me] = *others;
  }
  if (got[0] == 0 && got[1] == 0) abort();
  return 1;
}

// SAYS: signal 6(.|\n)*older value than the newest
PROGRAM(message_without_release) {
  static atomic_int message, flag;
  int got = 1;
  message = flag = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      atomic_store_explicit(&message, 1, memory_order_relaxed);
      atomic_store_explicit(&flag, 1, FAULT(memory_order_relaxed) CURE(memory_order_release));
    }
#pragma omp section
    {
      while (atomic_load_explicit(&flag, memory_order_acquire) == 0) {
      }
      got = atomic_load_explicit(&message, memory_order_relaxed);
    }
  }
  if (got == 0) abort();
  return got;
}
