// MPI programs whose tasks receive: a task that waits for a message suspends itself (chomp_task_suspend), and whoever
// finds that the message is there resumes it. With more tasks in flight than threads nothing stops, neither a halo
// exchange nor an all-to-all, whose tasks wait for messages that other tasks have yet to send.
// REQUIRES: mpirun, mpicc
// RUN: %clang-openmp -I%root %s -o %t %mpi-flags
// RUN: env OMP_NUM_THREADS=1 %chomp-mpirun -np 2 %t && env OMP_NUM_THREADS=2 %chomp-mpirun -np 4 %t
// RUN: env OMP_NUM_THREADS=3 %chomp-mpirun -np 8 %t
//
// mpi_waits_in_tasks [suspend|yield|thread] [steps] [microseconds] prints the time of a halo exchange whose tasks
// compute for that long; `yield`: waiting tasks call taskyield; `thread`: only one thread of a rank calls MPI, in turn.
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"

static enum { kSuspend, kYield, kThread } mode = kSuspend;

// ---- A wait for tasks -----------------------------------------------------------------------------------------------

enum { kMostWaits = 4096 };
typedef struct {
  MPI_Request request;
  chomp_task_t* task;
} Waiter;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Waiter waiters[kMostWaits];
static int waiting;
static atomic_int finished;

// Resumes all whose messages are there. One thread at a time.
static void poll_requests(void) {
  chomp_task_t* ready[kMostWaits];
  int count = 0;
  if (pthread_mutex_trylock(&lock) != 0) return;
  for (int i = 0; i < waiting;) {
    int done = 0;
    MPI_Test(&waiters[i].request, &done, MPI_STATUS_IGNORE);
    if (!done) {
      ++i;
      continue;
    }
    ready[count++] = waiters[i].task;
    waiters[i] = waiters[--waiting];
  }
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < count; ++i) CHECK_EQ(chomp_task_resume(ready[i]), 0);
}

// MPI_Wait() for tasks.
static void wait_in_task(MPI_Request* request) {
  int done = 0;
  MPI_Test(request, &done, MPI_STATUS_IGNORE);
  if (done) return;
  if (mode == kYield) {
    do {
#pragma omp taskyield
      MPI_Test(request, &done, MPI_STATUS_IGNORE);
    } while (!done);
    return;
  }
  chomp_task_t* self = chomp_task_self();
  pthread_mutex_lock(&lock);
  CHECK(waiting < kMostWaits);
  waiters[waiting++] = (Waiter){*request, self};
  pthread_mutex_unlock(&lock);
  CHECK_EQ(chomp_task_suspend(self), 0);
}

static void receive(void* data, int bytes, int from, int tag) {
  MPI_Request request;
  MPI_Irecv(data, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  wait_in_task(&request);
}

static void send(const void* data, int bytes, int to, int tag) {
  MPI_Request request;
  MPI_Isend(data, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  wait_in_task(&request);
}

// A thread that OpenMP does not know looks for all tasks.
static void* poll_all(void* unused) {
  while (!atomic_load(&finished)) {
    poll_requests();
    usleep(20);
  }
  return unused;
}

// ---- The exchanges --------------------------------------------------------------------------------------------------

enum { kBlocks = 16, kCells = 512, kMostSteps = 1000 };
static int rank, ranks, steps = 20, compute_us = 0;
static int64_t halo[kBlocks][2][kCells], own[kBlocks][kCells];

static void compute(void) {
  double until = omp_get_wtime() + compute_us * 1e-6;
  while (compute_us > 0 && omp_get_wtime() < until) {
  }
}

static void step_of_block(int block, int step) {
  compute();
  int64_t sum = 0;
  for (int i = 0; i < kCells; ++i) {
    sum += halo[block][0][i] + halo[block][1][i];
    own[block][i] = step + 1;
  }
  CHECK_EQ(sum, (int64_t)2 * kCells * step);
}

static int neighbour(int side) { return (rank + (side == 0 ? ranks - 1 : 1)) % ranks; }
static int tag_of(int block, int step, int side) { return (step * kBlocks + block) * 2 + side; }

// Each block has a task that receives on each side, one that computes and one that sends: all steps are made at once.
static void exchange_by_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < steps; ++step)
    for (int block = 0; block < kBlocks; ++block) {
      for (int side = 0; side < 2; ++side) {
#pragma omp task depend(in : own[block]) firstprivate(step, block, side)
        send(own[block], sizeof own[block], neighbour(side), tag_of(block, step, 1 - side));
#pragma omp task depend(out : halo[block][side]) firstprivate(step, block, side)
        receive(halo[block][side], sizeof halo[block][side], neighbour(side), tag_of(block, step, side));
      }
#pragma omp task depend(in : halo[block][0], halo[block][1]) depend(inout : own[block]) firstprivate(step, block)
      step_of_block(block, step);
    }
}

// One thread communicates, then all compute.
static void exchange_by_one_thread(void) {
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[kBlocks * 4];
    int count = 0;
    for (int block = 0; block < kBlocks; ++block)
      for (int side = 0; side < 2; ++side) {
        MPI_Irecv(halo[block][side], sizeof halo[block][side], MPI_BYTE, neighbour(side), tag_of(block, step, side),
                  MPI_COMM_WORLD, &requests[count++]);
        MPI_Isend(own[block], sizeof own[block], MPI_BYTE, neighbour(side), tag_of(block, step, 1 - side),
                  MPI_COMM_WORLD, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
#pragma omp parallel
#pragma omp single
    for (int block = 0; block < kBlocks; ++block)
#pragma omp task firstprivate(block)
      step_of_block(block, step);
  }
}

// Every task receives first, and so waits for a task of another rank that sends last.
static void all_to_all(void) {
  enum { kMessages = 50 };
  int received = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kMessages * ranks; ++i)
#pragma omp task firstprivate(i) shared(received)
    {
      int value = -1;
      receive(&value, sizeof value, i % ranks, 30000 + i / ranks);
      CHECK_EQ(value, i / ranks);
#pragma omp atomic
      ++received;
    }
    for (int i = 0; i < kMessages * ranks; ++i)
#pragma omp task firstprivate(i)
    {
      int value = i / ranks;
      send(&value, sizeof value, i % ranks, 30000 + value);
    }
  }
  CHECK_EQ(received, kMessages * ranks);
}

int main(int argc, char** argv) {
  int provided;
  pthread_t poller;
  if (argc > 1) mode = strcmp(argv[1], "yield") == 0 ? kYield : strcmp(argv[1], "thread") == 0 ? kThread : kSuspend;
  if (argc > 2) steps = atoi(argv[2]);
  if (argc > 3) compute_us = atoi(argv[3]);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  CHECK(steps <= kMostSteps);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (mode == kSuspend) {
    chomp_task_self();
    CHECK_EQ(pthread_create(&poller, NULL, poll_all, NULL), 0);
    all_to_all();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double began = omp_get_wtime();
  mode == kThread ? exchange_by_one_thread() : exchange_by_tasks();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && argc > 1) printf("%s: %.1f ms\n", argv[1], (omp_get_wtime() - began) * 1e3);
  atomic_store(&finished, 1);
  if (mode == kSuspend) pthread_join(poller, NULL);
  MPI_Finalize();
  return 0;
}
