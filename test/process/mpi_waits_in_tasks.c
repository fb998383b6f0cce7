// MPI programs whose tasks receive: a task that waits for a message blocks (alpi_task_block), or finishes only when the
// message is there (alpi_task_events_increase). A spawned task looks for all messages now and then (alpi_task_spawn,
// alpi_task_waitfor_ns). With more tasks in flight than threads nothing stops, neither a halo exchange nor an
// all-to-all, whose tasks wait for messages that other tasks have yet to send. Nor does it where the tasks yield until
// the message is there: tasks may stop, since the program has asked for a handle.
// REQUIRES: mpirun, mpicc
// RUN: %clang-openmp -I%root %s -o %t %mpi-flags
// RUN: env OMP_NUM_THREADS=1 %chomp-mpirun -np 2 %t && env OMP_NUM_THREADS=2 %chomp-mpirun -np 4 %t
// RUN: env OMP_NUM_THREADS=3 %chomp-mpirun -np 8 %t
//
// mpi_waits_in_tasks [block|events|yield|thread|turns] [steps] [microseconds] prints the time of a halo exchange whose
// tasks compute for that long; `yield`: waiting tasks call taskyield; `thread`: one thread of a rank makes all calls of
// MPI for detached tasks; `turns`: one thread communicates, then all compute.
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define CHOMP_WEAK
#include "abi/alpi.h"
#include "abi/chomp.h"
#include "support/check.h"

static enum { kBlock, kEvents, kYield, kThread, kTurns, kModes } mode;
static uint64_t poll_ns = 20000;
static const char* const names[kModes] = {"block", "events", "yield", "thread", "turns"};

// ---- A wait for tasks -----------------------------------------------------------------------------------------------

enum { kMostWaits = 8192 };
typedef struct {
  struct alpi_task* task;
  omp_event_handle_t event; // kThread: the task is detached
} Waiter;
typedef struct {
  Waiter waiters[kMostWaits];
  MPI_Request requests[kMostWaits];
  int count;
} Waits;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Waits added, polled; // under the lock; of whoever polls
static atomic_int finished, stopped;

static void add(Waits* waits, Waiter waiter, MPI_Request request) {
  CHECK(waits->count < kMostWaits);
  waits->waiters[waits->count] = waiter;
  waits->requests[waits->count++] = request;
}

static void add_waiter(Waiter waiter, MPI_Request request) {
  pthread_mutex_lock(&lock);
  add(&added, waiter, request);
  pthread_mutex_unlock(&lock);
}

static void let_go_on(Waiter waiter) {
  if (mode == kThread)
    omp_fulfill_event(waiter.event);
  else
    CHECK_EQ(mode == kBlock ? alpi_task_unblock(waiter.task) : alpi_task_events_decrease(waiter.task, 1), 0);
}

// Lets those go on whose messages are there.
static void poll_requests(void) {
  static int done[kMostWaits];
  int count = 0, left = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < added.count; ++i) add(&polled, added.waiters[i], added.requests[i]);
  added.count = 0;
  pthread_mutex_unlock(&lock);
  if (polled.count == 0) return;
  MPI_Testsome(polled.count, polled.requests, &count, done, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) let_go_on(polled.waiters[done[i]]);
  for (int i = 0; i < polled.count; ++i) {
    if (polled.requests[i] == MPI_REQUEST_NULL) continue;
    polled.waiters[left] = polled.waiters[i];
    polled.requests[left++] = polled.requests[i];
  }
  polled.count = left;
}

// MPI_Wait() for tasks: kBlock, kYield. With the others the task, not the call, ends when the message is there.
static void wait_in_task(MPI_Request request, omp_event_handle_t event) {
  int done = 0;
  struct alpi_task* self = NULL;
  if (mode == kThread) return add_waiter((Waiter){NULL, event}, request);
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  while (!done && mode == kYield) {
#pragma omp taskyield
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  if (done) return;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  if (mode == kEvents) CHECK_EQ(alpi_task_events_increase(self, 1), ALPI_SUCCESS);
  add_waiter((Waiter){self, 0}, request);
  if (mode == kBlock) CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS);
}

static void receive(void* data, int bytes, int from, int tag, omp_event_handle_t event) {
  MPI_Request request;
  MPI_Irecv(data, bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, &request);
  wait_in_task(request, event);
}

static void send(const void* data, int bytes, int to, int tag, omp_event_handle_t event) {
  MPI_Request request;
  MPI_Isend(data, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  wait_in_task(request, event);
}

// A spawned task, or a thread of the program, looks for all.
static void poll_in_task(void* unused) {
  (void)unused;
  while (!atomic_load(&finished)) {
    poll_requests();
    CHECK_EQ(alpi_task_waitfor_ns(poll_ns, NULL), ALPI_SUCCESS);
  }
}
static void has_ended(void* unused) {
  (void)unused;
  atomic_store(&stopped, 1);
}
static void* poll_in_thread(void* unused) {
  while (!atomic_load(&finished)) {
    poll_requests();
    sched_yield();
  }
  has_ended(NULL);
  return unused;
}

// ---- The exchanges --------------------------------------------------------------------------------------------------

enum { kBlocks = 16, kCells = 512, kMostSteps = 1000 };
static int rank, ranks, times, steps = 20, compute_us = 0;
static int64_t halo[kBlocks][2][kCells], own[kBlocks][kCells];

// Work, not time: whoever takes the CPU away pays for it.
static uint64_t rounds_per_us;
static void work(uint64_t rounds) {
  for (volatile uint64_t done = 0; done < rounds;) done = done + 1;
}
static void calibrate(void) {
  enum { kRounds = 100000 };
  double best = 1;
  for (int i = 0; i < 20; ++i) {
    double began = omp_get_wtime();
    work(kRounds);
    if (omp_get_wtime() - began < best) best = omp_get_wtime() - began;
  }
  rounds_per_us = (uint64_t)(kRounds / (best * 1e6));
}

static void step_of_block(int block, int step) {
  work(compute_us * rounds_per_us);
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
        send(own[block], sizeof own[block], neighbour(side), tag_of(block, step, 1 - side), 0);
#pragma omp task depend(out : halo[block][side]) firstprivate(step, block, side)
        receive(halo[block][side], sizeof halo[block][side], neighbour(side), tag_of(block, step, side), 0);
      }
#pragma omp task depend(in : halo[block][0], halo[block][1]) depend(inout : own[block]) firstprivate(step, block)
      step_of_block(block, step);
    }
}

static void exchange_by_detached_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < steps; ++step)
    for (int block = 0; block < kBlocks; ++block) {
      for (int side = 0; side < 2; ++side) {
        omp_event_handle_t sent = 0, received = 0;
#pragma omp task depend(in : own[block]) firstprivate(step, block, side) detach(sent)
        send(own[block], sizeof own[block], neighbour(side), tag_of(block, step, 1 - side), sent);
#pragma omp task depend(out : halo[block][side]) firstprivate(step, block, side) detach(received)
        receive(halo[block][side], sizeof halo[block][side], neighbour(side), tag_of(block, step, side), received);
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
  enum { kMessages = 50, kMostRanks = 8 };
  static int in[kMessages * kMostRanks], out[kMessages * kMostRanks];
  int tasks = kMessages * ranks;
  CHECK(ranks <= kMostRanks);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < tasks; ++i)
#pragma omp task firstprivate(i)
    {
      in[i] = -1;
      receive(&in[i], sizeof in[i], i % ranks, 30000 + i / ranks, 0);
      if (mode == kBlock) CHECK_EQ(in[i], i / ranks);
    }
    for (int i = 0; i < tasks; ++i)
#pragma omp task firstprivate(i)
    {
      out[i] = i / ranks;
      send(&out[i], sizeof out[i], i % ranks, 30000 + out[i], 0);
    }
  }
  for (int i = 0; i < tasks; ++i) CHECK_EQ(in[i], i / ranks);
}

static void run(void) {
  pthread_t poller;
  atomic_store(&finished, 0);
  atomic_store(&stopped, mode == kYield || mode == kTurns);
  if (mode == kBlock || mode == kEvents) {
    CHECK_EQ(alpi_task_spawn(poll_in_task, NULL, has_ended, NULL, "look for messages", NULL), ALPI_SUCCESS);
    all_to_all();
  } else if (mode == kThread) {
    CHECK_EQ(pthread_create(&poller, NULL, poll_in_thread, NULL), 0);
    pthread_detach(poller);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  double began = omp_get_wtime();
  if (mode == kTurns)
    exchange_by_one_thread();
  else
    mode == kThread ? exchange_by_detached_tasks() : exchange_by_tasks();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && times) printf("%s: %.1f ms\n", names[mode], (omp_get_wtime() - began) * 1e3);
  atomic_store(&finished, 1);
  SPIN_UNTIL(atomic_load(&stopped));
  memset(own, 0, sizeof own);
}

int main(int argc, char** argv) {
  int provided, wanted = -1;
  for (int each = 0; argc > 1 && each < kModes; ++each)
    if (strcmp(argv[1], names[each]) == 0) wanted = each;
  times = argc > 1;
  if (argc > 2) steps = atoi(argv[2]);
  if (argc > 3) compute_us = atoi(argv[3]), calibrate();
  if (argc > 4) poll_ns = strtoull(argv[4], NULL, 10);
  if (chomp_task_self != NULL) chomp_task_self();
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  CHECK(steps <= kMostSteps);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int each = 0; each < kModes; ++each) {
    mode = each;
    if (wanted < 0 || each == wanted) run();
  }
  MPI_Finalize();
  return 0;
}
