// A region between the calls of LLVM's record and replay is gone through once. Each later encounter runs the same
// tasks: with their dependences, groups, waits, loops, reductions, priorities and events, as final ones if they were,
// and with the values that their private variables had when they were recorded; also several of them at once, and of
// several graphs.
// RUN: %clang-openmp %s -o %t -L%lib && %for-threads %t
// RUN: env OMP_MAX_TASK_PRIORITY=10 OMP_CANCELLATION=true %for-threads %t
#include <omp.h>
#include <stdatomic.h>
#include <string.h>

#include "support/check.h"

int __kmpc_global_thread_num(void*);
int __kmpc_start_record_task(void*, int, int, int);
void __kmpc_end_record_task(void*, int, int, int);

enum { kNoWait = 1, kReset = 2 };
enum { kRounds = 25, kMany = 60 };

static int begin(int flags, int id) {
  return __kmpc_start_record_task(NULL, __kmpc_global_thread_num(NULL), flags, id);
}
static void end(int flags, int id) { __kmpc_end_record_task(NULL, __kmpc_global_thread_num(NULL), flags, id); }

// The variables of recorded tasks must be there when they are replayed: each function records anew.
#define ANEW (round == 1 ? kReset : 0)
// The statement that follows is the region of graph `id`.
#define GRAPH(flags, id)                                                                                               \
  for (int ends = 0, goes = begin(flags, id); !ends; end(flags, id), ends = 1)                                         \
    if (goes)

static void independent_and_private(void) {
  atomic_int ran = 0, recorded = 0, sum = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 1) {
      ++recorded;
      for (int i = 0; i < kMany; ++i) {
        struct Text { // (no array: Clang takes a private one to be aligned to 16 bytes, and does not align it)
          char chars[200];
        } text;
        memset(&text, i, sizeof text);
#pragma omp task firstprivate(i, text) shared(ran, sum)
        {
          sum += i;
          for (unsigned k = 0; k < sizeof text; ++k) CHECK_EQ(text.chars[k], (char)i);
          memset(&text, -1, sizeof text); // the next replay finds what was recorded
          i = -1;
          ran++;
        }
      }
    }
    CHECK_EQ(ran, kMany * round); // the construct has a taskgroup
    CHECK_EQ(sum, kMany * (kMany - 1) / 2 * round);
  }
  if (!omp_in_final()) CHECK_EQ(recorded, 1);
}

static void dependences(void) {
  static int grid[20][20];
  memset(grid, 0, sizeof grid);
  int last = 0, chain = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 2) {
      for (int i = 1; i < 20; ++i)
        for (int j = 1; j < 20; ++j) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j]) shared(grid)
          {
            if (i > 1) CHECK_EQ(grid[i - 1][j], grid[i][j] + 1);
            if (j > 1) CHECK_EQ(grid[i][j - 1], grid[i][j] + 1);
            grid[i][j]++;
          }
        }
      for (int i = 0; i < kMany; ++i) {
#pragma omp task depend(inout : chain) shared(chain, last)
        {
          CHECK_EQ(chain % kMany, i);
          chain++;
        }
      }
#pragma omp task depend(in : chain, grid[19][19]) shared(chain, last, grid)
      last = chain + grid[19][19];
    }
    CHECK_EQ(grid[19][19], round);
    CHECK_EQ(last, kMany * round + round);
  }
}

static void exclusive(void) {
  int count = 0, other = 0;
  atomic_int sets = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 3) {
      for (int i = 0; i < kMany; ++i) {
#pragma omp task depend(mutexinoutset : count) shared(count)
        count++;
#pragma omp task depend(mutexinoutset : count, other) shared(count, other)
        {
          count++;
          other++;
        }
#pragma omp task depend(inoutset : round) shared(sets)
        sets++;
      }
    }
    CHECK_EQ(count, 2 * kMany * round);
    CHECK_EQ(other, kMany * round);
    CHECK_EQ(sets, kMany * round);
  }
}

static void leaf(atomic_int* sum, int depth) {
  if (depth == 0) {
    ++*sum;
    return;
  }
  for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(sum, depth)
    leaf(sum, depth - 1);
  }
}

static void steps(void) {
  atomic_int first = 0, second = 0, deep = 0;
  int undeferred = 0, waited = 0, total = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 4) {
      for (int i = 0; i < kMany; ++i) {
#pragma omp task shared(first)
        ++first;
      }
#pragma omp taskwait
      for (int i = 0; i < kMany; ++i) {
#pragma omp task shared(first, second)
        {
          CHECK_EQ(first % kMany, 0);
          ++second;
        }
      }
#pragma omp taskgroup
      {
        for (int i = 0; i < 4; ++i) {
#pragma omp task shared(deep) // which does not wait for its children
          leaf(&deep, 3);
        }
      }
#pragma omp task shared(deep)
      CHECK_EQ(deep % (4 * 27), 0);
#pragma omp task depend(out : waited) shared(waited)
      ++waited;
#pragma omp taskwait depend(in : waited)
#pragma omp task if (0) depend(inout : waited) shared(undeferred, waited)
      {
        ++undeferred;
        CHECK_EQ(waited, undeferred);
      }
#pragma omp task shared(undeferred, waited)
      CHECK_EQ(undeferred, waited);
#pragma omp taskloop grainsize(3) shared(second)
      for (int i = 0; i < 50; ++i) ++second;
#pragma omp taskloop reduction(+ : total)
      for (int i = 0; i < 50; ++i) total += i;
#pragma omp taskgroup task_reduction(+ : total)
      {
        for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : total)
          total += 1;
        }
      }
    }
    CHECK_EQ(first, kMany * round);
    CHECK_EQ(second, (kMany + 50) * round);
    CHECK_EQ(deep, 4 * 27 * round);
    CHECK_EQ(undeferred, round);
    CHECK_EQ(total, (50 * 49 / 2 + 10) * round);
  }
}

// Below a final task a child has run when its construct ends.
static void runs_children_at_once(atomic_int* finals) {
  int ran = 0;
  CHECK(omp_in_final());
#pragma omp task shared(ran)
  ran = 1;
  CHECK_EQ(ran, 1);
  ++*finals;
}

static void children_and_kinds(void) {
  atomic_int leaves = 0, urgent = 0, parts = 0, finals = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 5) {
      for (int i = 0; i < 10; ++i) {
#pragma omp task shared(leaves)
        leaf(&leaves, 2);
#pragma omp task priority(i) shared(urgent)
        ++urgent;
#pragma omp task affinity(leaves) shared(urgent)
        ++urgent;
#pragma omp task untied shared(parts)
        {
          ++parts;
#pragma omp taskyield
          ++parts;
#pragma omp task shared(parts)
          ++parts;
#pragma omp taskwait
          ++parts;
        }
#pragma omp task final(i % 2) shared(finals) depend(inout : leaves)
        {
          if (i % 2 != 0) runs_children_at_once(&finals);
        }
#pragma omp task final(1) untied priority(i) shared(finals)
        runs_children_at_once(&finals);
#pragma omp task final(1) if (0) shared(finals)
        runs_children_at_once(&finals);
      }
#pragma omp taskloop final(1) shared(finals)
      for (int i = 0; i < 10; ++i) runs_children_at_once(&finals);
    }
    CHECK_EQ(leaves, 10 * 9 * round);
    CHECK_EQ(finals, 35 * round);
    CHECK_EQ(urgent, 20 * round);
    CHECK_EQ(parts, 40 * round);
  }
}

static void events(void) {
  int value = 0, seen = 0;
  omp_event_handle_t event = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 6) {
#pragma omp task detach(event) depend(out : value) shared(value)
      value++;
#pragma omp task firstprivate(event)
      omp_fulfill_event(event);
#pragma omp task depend(in : value) shared(value, seen)
      seen = value;
    }
    CHECK_EQ(seen, round);
  }
}

static void recorded_again(void) {
  atomic_int ran = 0;
  int recorded = 0;
  for (int round = 1; round <= kRounds; ++round) {
    int tasks = 1 + (round - 1) / 5;
    GRAPH(round % 5 == 1 ? kReset : 0, 7) {
      ++recorded;
      for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(ran)
        ++ran;
      }
    }
  }
  if (!omp_in_final()) CHECK_EQ(recorded, kRounds / 5);
  CHECK_EQ(ran, 5 * (1 + 2 + 3 + 4 + 5));
}

// Replays do not wait, and those of one task run one after the other if their tasks depend on each other.
static void without_waiting(void) {
  int chain = 0;
  atomic_int free = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(kNoWait | ANEW, 8) {
      for (int i = 0; i < kMany; ++i) {
#pragma omp task depend(inout : chain) shared(chain)
        {
          CHECK_EQ(chain % kMany, i);
          ++chain;
        }
      }
    }
    GRAPH(kNoWait | ANEW, 9) {
      for (int i = 0; i < kMany; ++i) {
#pragma omp task shared(free)
        ++free;
      }
    }
  }
#pragma omp taskwait
  CHECK_EQ(chain, kMany * kRounds);
  CHECK_EQ(free, kMany * kRounds);
}

static void nested(void) {
  atomic_int ran = 0;
  for (int round = 1; round <= kRounds; ++round) GRAPH(ANEW, 10) {
      GRAPH(ANEW, 11) {
#pragma omp task shared(ran)
        ++ran;
      }
#pragma omp task shared(ran)
      {
        GRAPH(ANEW, 12) {
#pragma omp task shared(ran)
          ++ran;
#pragma omp task shared(ran)
          ++ran;
        }
      }
    }
  CHECK_EQ(ran, 3 * kRounds);
}

static void cancelled(void) {
  atomic_int ran = 0;
  for (int round = 1; round <= kRounds; ++round) {
    GRAPH(ANEW, 13) {
      for (int i = 0; i < kMany; ++i) {
#pragma omp task shared(ran) depend(inout : ran)
        {
          ++ran;
          if (i == 3) {
#pragma omp cancel taskgroup
          }
        }
      }
    }
    if (omp_get_cancellation())
      CHECK_EQ(ran, 4 * round);
    else
      CHECK_EQ(ran, kMany * round);
  }
}

// Each thread has its own counters, all have the same graph: a task finds the ones of the thread that recorded it. So
// they add up there.
static atomic_int shared_sum, shared_chain;
static void by_all_threads(void) {
  int threads = 0;
  shared_sum = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int round = 1; round <= kRounds; ++round) {
      GRAPH(ANEW, 14) {
        for (int i = 0; i < kMany; ++i) {
#pragma omp task depend(inout : shared_chain)
          shared_sum++;
#pragma omp task
          leaf(&shared_sum, 1);
        }
      }
    }
  }
  CHECK_EQ(shared_sum, 4 * kMany * kRounds * threads);
}

// The same graph by a task, by its children and grandchildren, and with other settings: tasks have those of whoever
// replays them, and are its children.
static atomic_int settings_seen, replayed;
static void with_settings(int threads) {
  int before = replayed;
  omp_set_num_threads(threads);
  GRAPH(0, 15) {
    for (int i = 0; i < kMany; ++i) {
#pragma omp task
      {
        settings_seen += omp_get_max_threads();
#pragma omp task
        replayed++;
#pragma omp taskwait
        replayed++;
      }
    }
  }
  CHECK_EQ(replayed, before + 2 * kMany);
  CHECK_EQ(settings_seen, threads * kMany);
  settings_seen = 0;
}

static void by_different_tasks(void) {
  int threads = omp_get_max_threads();
  for (int round = 1; round <= kRounds; ++round) {
    for (int repeat = 0; repeat < 3; ++repeat) with_settings(3);
    with_settings(4);
#pragma omp task
    {
      with_settings(3);
#pragma omp taskgroup
      with_settings(3);
#pragma omp task
      with_settings(5);
#pragma omp taskwait
    }
#pragma omp taskwait
  }
  omp_set_num_threads(threads);
}

static void all(void) {
  independent_and_private();
  dependences();
  exclusive();
  steps();
  children_and_kinds();
  events();
  recorded_again();
  without_waiting();
  nested();
  cancelled();
  by_different_tasks();
}

int main(void) {
  all();
  for (int again = 0; again < 3; ++again) {
#pragma omp parallel
#pragma omp single
    all();
    by_all_threads();
  }
#pragma omp parallel
#pragma omp single
#pragma omp task final(1)
  all();
  return 0;
}
