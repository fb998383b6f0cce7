// Task-Aware MPI in every kind of task. Each kind passes numbers around the ring of ranks, and checks what arrives: by
// blocking calls, which stop the task, and by those that delay its end. Prints the kinds that were right on all ranks.
//
// task_aware_mpi time events|blocks|thread|turns STEPS ROUNDS prints the time of a halo exchange whose tasks compute
// that much. Without Task-Aware MPI: `thread`, one communicates for detached tasks; `turns`, one communicates, then all
// compute.
#include <mpi.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <TAMPI.h>

enum { kMessages = 32, kKindsAtMost = 64 };
static int rank, ranks, next, before, kind, wrong;
static int sent[2 * kMessages], got[2 * kMessages];

// ---- Messages -------------------------------------------------------------------------------------------------------

static int number_of(int of_rank, int i) { return (of_rank * kKindsAtMost + kind) * 1000 + i; }
static int tag_of(int i) { return kind * 1000 + i; }

static void send(int i) {
  sent[i] = number_of(rank, i);
  MPI_Ssend(&sent[i], 1, MPI_INT, next, tag_of(i), MPI_COMM_WORLD);
}
static void receive(int i) { MPI_Recv(&got[i], 1, MPI_INT, before, tag_of(i), MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
static void exchange(int i) {
  sent[i] = number_of(rank, i);
  MPI_Sendrecv(&sent[i], 1, MPI_INT, next, tag_of(i), &got[i], 1, MPI_INT, before, tag_of(i), MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}
static void send_later(int i) {
  sent[i] = number_of(rank, i);
  TAMPI_Isend(&sent[i], 1, MPI_INT, next, tag_of(i), MPI_COMM_WORLD);
}
static void receive_later(int i) {
  TAMPI_Irecv(&got[i], 1, MPI_INT, before, tag_of(i), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void is(int value, int expected) {
  if (value != expected) __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
}
static void check(int i) {
  is(__atomic_load_n(&got[i], __ATOMIC_RELAXED), number_of(before, i));
  got[i] = -1;
}
static void check_all(void) {
  for (int i = 0; i < kMessages; ++i) check(i);
}

// ---- Kinds ----------------------------------------------------------------------------------------------------------

static void initial_task(void) {
  int sum = -1;
  for (int i = 0; i < 4; ++i) exchange(i), check(i);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  is(sum, ranks * (ranks - 1) / 2);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void tasks_outside_of_regions(void) {
  for (int i = 0; i < kMessages; ++i) {
#pragma omp task depend(out : got[i])
    receive_later(i);
#pragma omp task
    send_later(i);
#pragma omp task depend(in : got[i])
    check(i);
  }
#pragma omp taskwait
}

static void region_of_one(void) {
#pragma omp parallel num_threads(1)
  for (int i = 0; i < kMessages; ++i) {
#pragma omp task depend(out : got[i])
    receive(i);
#pragma omp task depend(in : got[i])
    check(i);
#pragma omp task
    send(i);
  }
}

static void implicit_tasks(void) {
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kMessages; ++i) exchange(i);
#pragma omp for
    for (int i = 0; i < kMessages; ++i) check(i);
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < kMessages; ++i) {
      receive_later(i);
      send_later(i);
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < kMessages; ++i) check(i);
  }
}

// All receive before one sends.
static void more_than_threads(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 2 * kMessages; ++i) {
#pragma omp task
      {
        receive(i);
        check(i);
      }
    }
    for (int i = 2 * kMessages - 1; i >= 0; --i) {
#pragma omp task
      send(i);
    }
  }
}

static void descendants(void) {
#pragma omp parallel
#pragma omp single
  for (int part = 0; part < 4; ++part) {
#pragma omp task
    {
      for (int i = part * kMessages / 4; i < (part + 1) * kMessages / 4; ++i) {
#pragma omp task
        {
#pragma omp task
          receive(i);
#pragma omp task
          send(i);
#pragma omp taskwait
          check(i);
        }
      }
#pragma omp taskwait
    }
  }
}

static void groups(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kMessages; ++i) {
#pragma omp task
      receive_later(i);
#pragma omp task
      {
#pragma omp task
        send_later(i);
      }
    }
    check_all();
  }
}

static void waits_for_dependences(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kMessages; ++i) {
#pragma omp task depend(out : got[i])
    receive_later(i);
#pragma omp task
    send(i);
#pragma omp taskwait depend(in : got[i])
    check(i);
  }
}

static void final_and_undeferred(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < kMessages; ++i) {
#pragma omp task final(1)
      {
#pragma omp task
        send_later(i);
#pragma omp task
        receive_later(i);
      }
    }
    check_all();
    for (int i = 0; i < kMessages; ++i) {
#pragma omp task
      {
#pragma omp task if (0)
        send_later(i);
#pragma omp task if (0)
        receive(i);
        check(i);
      }
    }
  }
}

static void detached(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kMessages; ++i) {
    omp_event_handle_t event;
#pragma omp task depend(out : got[i]) detach(event)
    {
      receive_later(i);
      if (i % 2 == 0) {
#pragma omp task
        omp_fulfill_event(event);
      } else {
        omp_fulfill_event(event);
      }
    }
#pragma omp task
    send_later(i);
#pragma omp task depend(in : got[i])
    check(i);
  }
}

static void taskloops(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop nogroup grainsize(1)
    for (int i = 0; i < kMessages; ++i) send(i);
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < kMessages; ++i) receive_later(i);
    check_all();
#pragma omp taskloop nogroup num_tasks(7)
    for (int i = 0; i < kMessages; ++i) send_later(i);
#pragma omp taskloop num_tasks(5)
    for (int i = 0; i < kMessages; ++i) {
      receive(i);
      check(i);
    }
  }
}

static void untied_that_reduce(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < kMessages; ++i) {
#pragma omp task untied in_reduction(+ : sum) priority(i % 3)
    {
      receive(i);
      check(i);
      sum += i;
    }
#pragma omp task untied
    {
      send_later(i);
#pragma omp taskyield
    }
  }
  is(sum, kMessages * (kMessages - 1) / 2);
}

// A critical section in which nothing blocks.
static void critical_sections(void) {
  int count = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kMessages; ++i) {
#pragma omp task shared(count)
    {
      receive_later(i);
#pragma omp critical
      {
        send_later(i);
        usleep(10);
        ++count;
      }
    }
  }
  check_all();
  is(count, kMessages);
}

static void inner_regions(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int part = 0; part < 4; ++part) {
#pragma omp task
    {
#pragma omp parallel for num_threads(2) schedule(static, 1)
      for (int i = part * kMessages / 4; i < (part + 1) * kMessages / 4; ++i) {
        exchange(i);
        check(i);
      }
    }
  }
}

// Collectives of one communicator are in order; there are several.
static void collectives(void) {
  enum { kChains = 4, kLinks = 8 };
  MPI_Comm comms[kChains];
  int values[kChains][kLinks], sums[kChains][kLinks];
  for (int chain = 0; chain < kChains; ++chain) MPI_Comm_dup(MPI_COMM_WORLD, &comms[chain]);
#pragma omp parallel
#pragma omp single
  for (int link = 0; link < kLinks; ++link)
    for (int chain = 0; chain < kChains; ++chain) {
      int *value = &values[chain][link], *sum = &sums[chain][link];
      *value = rank == link % ranks ? 100 * chain + link : -1;
#pragma omp task depend(inout : comms[chain]) depend(out : *value)
      TAMPI_Ibcast(value, 1, MPI_INT, link % ranks, comms[chain]);
#pragma omp task depend(inout : comms[chain]) depend(in : *value)
      {
        is(*value, 100 * chain + link);
        MPI_Allreduce(value, sum, 1, MPI_INT, MPI_SUM, comms[chain]);
        is(*sum, ranks * *value);
      }
    }
  for (int chain = 0; chain < kChains; ++chain) MPI_Comm_free(&comms[chain]);
}

static void* exchange_alone(void* unused) {
  for (int i = kMessages; i < 2 * kMessages; ++i) exchange(i), check(i);
  return unused;
}

static void other_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, exchange_alone, NULL);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kMessages; ++i) {
#pragma omp task
    {
      exchange(i);
      check(i);
    }
  }
  pthread_join(thread, NULL);
}

static const struct {
  const char* name;
  void (*run)(void);
} kinds[] = {
    {"initial_task", initial_task},
    {"tasks_outside_of_regions", tasks_outside_of_regions},
    {"region_of_one", region_of_one},
    {"implicit_tasks", implicit_tasks},
    {"more_than_threads", more_than_threads},
    {"descendants", descendants},
    {"groups", groups},
    {"waits_for_dependences", waits_for_dependences},
    {"final_and_undeferred", final_and_undeferred},
    {"detached", detached},
    {"taskloops", taskloops},
    {"untied_that_reduce", untied_that_reduce},
    {"critical_sections", critical_sections},
    {"inner_regions", inner_regions},
    {"collectives", collectives},
    {"other_thread", other_thread},
};

static void run_kinds(int rounds) {
  enum { kKinds = sizeof kinds / sizeof kinds[0] };
  for (kind = 0; kind < kKinds; ++kind) {
    int anywhere = 0;
    wrong = 0;
    for (int round = 0; round < rounds; ++round) kinds[kind].run();
    MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("%s %s\n", kinds[kind].name, anywhere ? "wrong" : "right");
  }
}

// ---- Times ----------------------------------------------------------------------------------------------------------

enum { kBlocks = 16, kCells = 512 };
static double halo[kBlocks][2][kCells], own[kBlocks][kCells];

static void compute(int block, int rounds) {
  for (int i = 0; i < kCells; ++i) own[block][i] = 0.5 * (halo[block][0][i] + halo[block][1][i]) + 1;
  for (volatile int i = 0; i < rounds; i = i + 1) {
  }
}

static void steps_of_tasks(int steps, int rounds, int blocks) {
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < steps; ++step)
    for (int block = 0; block < kBlocks; ++block) {
      for (int side = 0; side < 2; ++side) {
        int to = side == 0 ? next : before, from = side == 0 ? before : next;
#pragma omp task depend(in : own[block])
        (blocks ? MPI_Send : TAMPI_Isend)(own[block], kCells, MPI_DOUBLE, to, 2 * block + side, MPI_COMM_WORLD);
#pragma omp task depend(out : halo[block][side])
        (blocks ? MPI_Recv(halo[block][side], kCells, MPI_DOUBLE, from, 2 * block + side, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE)
                : TAMPI_Irecv(halo[block][side], kCells, MPI_DOUBLE, from, 2 * block + side, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE));
      }
#pragma omp task depend(in : halo[block][0], halo[block][1]) depend(inout : own[block])
      compute(block, rounds);
    }
}

// What the communication thread is asked for: requests, and the events of the tasks that they belong to.
enum { kMostRequests = 1 << 16 };
static MPI_Request requests[kMostRequests];
static omp_event_handle_t events[kMostRequests];
static int asked, all_asked;

static void ask(MPI_Request request, omp_event_handle_t event) {
#pragma omp critical
  {
    if (asked == kMostRequests) abort();
    requests[asked] = request;
    events[asked++] = event;
  }
}

static void* communicate(void* unused) {
  static MPI_Request under_way[kMostRequests];
  static omp_event_handle_t their_events[kMostRequests];
  static int done[kMostRequests];
  for (int count = 0, taken = 0; !__atomic_load_n(&all_asked, __ATOMIC_ACQUIRE); sched_yield()) {
    int left = 0, several = 0;
#pragma omp critical
    {
      memcpy(&under_way[count], requests, asked * sizeof requests[0]);
      memcpy(&their_events[count], events, asked * sizeof events[0]);
      taken = asked;
      asked = 0;
    }
    count += taken;
    if (count > 0) MPI_Testsome(count, under_way, &several, done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < several; ++i) omp_fulfill_event(their_events[done[i]]);
    for (int i = 0; several > 0 && i < count; ++i) {
      if (under_way[i] == MPI_REQUEST_NULL) continue;
      under_way[left] = under_way[i];
      their_events[left++] = their_events[i];
    }
    if (several > 0) count = left;
  }
  return unused;
}

static void steps_beside_thread(int steps, int rounds) {
  pthread_t thread;
  pthread_create(&thread, NULL, communicate, NULL);
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < steps; ++step)
    for (int block = 0; block < kBlocks; ++block) {
      for (int side = 0; side < 2; ++side) {
        int to = side == 0 ? next : before, from = side == 0 ? before : next;
        omp_event_handle_t sent, received;
#pragma omp task depend(in : own[block]) detach(sent)
        {
          MPI_Request request;
          MPI_Isend(own[block], kCells, MPI_DOUBLE, to, 2 * block + side, MPI_COMM_WORLD, &request);
          ask(request, sent);
        }
#pragma omp task depend(out : halo[block][side]) detach(received)
        {
          MPI_Request request;
          MPI_Irecv(halo[block][side], kCells, MPI_DOUBLE, from, 2 * block + side, MPI_COMM_WORLD, &request);
          ask(request, received);
        }
      }
#pragma omp task depend(in : halo[block][0], halo[block][1]) depend(inout : own[block])
      compute(block, rounds);
    }
  __atomic_store_n(&all_asked, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
}

static void steps_in_turns(int steps, int rounds) {
  for (int step = 0; step < steps; ++step) {
    int count = 0;
    for (int block = 0; block < kBlocks; ++block)
      for (int side = 0; side < 2; ++side) {
        int to = side == 0 ? next : before, from = side == 0 ? before : next;
        MPI_Irecv(halo[block][side], kCells, MPI_DOUBLE, from, 2 * block + side, MPI_COMM_WORLD, &requests[count++]);
        MPI_Isend(own[block], kCells, MPI_DOUBLE, to, 2 * block + side, MPI_COMM_WORLD, &requests[count++]);
      }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
#pragma omp parallel
#pragma omp single
    for (int block = 0; block < kBlocks; ++block) {
#pragma omp task
      compute(block, rounds);
    }
  }
}

static void run_times(const char* how, int steps, int rounds) {
  double began = omp_get_wtime();
  if (strcmp(how, "turns") == 0)
    steps_in_turns(steps, rounds);
  else if (strcmp(how, "thread") == 0)
    steps_beside_thread(steps, rounds);
  else
    steps_of_tasks(steps, rounds, strcmp(how, "blocks") == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %.1f ms\n", how, 1e3 * (omp_get_wtime() - began));
}

int main(int argc, char** argv) {
  int provided, timed = argc > 4 && strcmp(argv[1], "time") == 0;
  int wanted = timed && argv[2][0] == 't' ? MPI_THREAD_MULTIPLE : MPI_TASK_MULTIPLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  if (provided != wanted) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  before = (rank + ranks - 1) % ranks;
  if (timed)
    run_times(argv[2], atoi(argv[3]), atoi(argv[4]));
  else
    run_kinds(argc > 1 ? atoi(argv[1]) : 3);
  MPI_Finalize();
  return 0;
}
