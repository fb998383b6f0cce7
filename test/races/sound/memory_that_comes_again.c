// Without a fault: memory that one task or thread gives back to the system, or to the runtime, another one gets.
// RUN: %at-each-level --levels 02 %t %s -D_GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static long sums[16];
static sem_t ended;
static __thread long own[16];

static void fill(int* list, int count, int value, long* sum) {
  for (int i = 0; i < count; i += 64) list[i] = i + value;
  long all = 0;
  for (int i = 0; i < count; i += 64) all += list[i];
  *sum = all;
}

static void* run(void* argument) {
  int list[256];
  long number = (long)argument;
  for (int i = 0; i < 16; ++i) own[i] += number;
  fill(list, 256, (int)number, &sums[number]);
  sem_post(&ended);
  return NULL;
}

int main(void) {
  enum { kBytes = 1 << 16 };
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 8; ++k) {
#pragma omp task firstprivate(k)
    {
      int* list = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      fill(list, 1024, k, &sums[k]);
      list = mremap(list, kBytes, 2 * kBytes, MREMAP_MAYMOVE);
      fill(list, 1024, k, &sums[k]);
      munmap(list, 2 * kBytes);
      list = omp_alloc(4096, omp_default_mem_alloc);
      fill(list, 1024, k, &sums[k]);
      omp_free(list, omp_default_mem_alloc);
      if (posix_memalign((void**)&list, 4096, 4096) != 0) abort();
      fill(list, 1024, k, &sums[k]);
      list = realloc(list, 8192);
      fill(list, 1024, k, &sums[k]);
      free(list);
    }
  }
  sem_init(&ended, 0, 0);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (long k = 8; k < 12; ++k) {
    pthread_t thread;
    if (pthread_create(&thread, &detached, run, (void*)k) != 0) abort();
    if (k % 2 != 0) sem_wait(&ended);
  }
  sem_wait(&ended);
  sem_wait(&ended);
  long sum = 0;
  for (int i = 0; i < 16; ++i) sum += sums[i];
  printf("%ld\n", sum);
}
