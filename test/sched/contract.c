// What every scheduler owes, whatever its policy: exact answers from every kind of task graph, for any number of
// threads on any machine. Run by run_contract, which contract.each_scheduler calls for each scheduler.
#include "support/check.h"
#include "support/fib.h"
#include <omp.h>

static void recursion(void) {
  long tied = 0, untied = 0;
#pragma omp parallel
#pragma omp single
  {
    untied = fib_untied(14);
    tied = fib_tied(14);
  }
  CHECK_EQ(tied, fib_serial(14));
  CHECK_EQ(untied, fib_serial(14));
}

static long leaves;
static void forget(int depth) {
  if (depth == 0)
    ATOMIC_ADD(leaves, 1);
  else
    for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(depth)
      forget(depth - 1);
}

static void group_of_descendants(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 3; round++) {
    ATOMIC_STORE(leaves, 0);
#pragma omp taskgroup
    forget(5);
    CHECK_EQ(ATOMIC_LOAD(leaves), 243);
  }
}

static void dependences(void) {
  enum { kSide = 12 };
  long cell[kSide + 1][kSide + 1];
  for (int i = 0; i <= kSide; i++) cell[i][0] = cell[0][i] = 1;
  // Binomial coefficients: each cell after its upper and left neighbours.
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++)
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j]) firstprivate(i, j) shared(cell)
      cell[i][j] = cell[i - 1][j] + cell[i][j - 1];
  CHECK_EQ(cell[kSide][kSide], 2704156); // 24 over 12
}

static void producers(void) {
  enum { kItems = 2000 };
  static char ran[kItems];
  long sum = 0;
  for (int i = 0; i < kItems; i++) ran[i] = 0;
#pragma omp parallel
  {
    for (int i = omp_get_thread_num(); i < kItems; i += omp_get_num_threads())
#pragma omp task firstprivate(i) shared(sum)
    {
      ran[i]++;
#pragma omp task untied firstprivate(i) shared(sum)
      ATOMIC_ADD(sum, i);
    }
#pragma omp single nowait
    for (int i = 0; i < 100; i++)
#pragma omp task shared(sum) if (i % 3)
      ATOMIC_ADD(sum, 1);
  }
  for (int i = 0; i < kItems; i++) CHECK_EQ(ran[i], 1);
  CHECK_EQ(sum, kItems * (kItems - 1) / 2 + 100);
}

// The virtual machine (tools/explore) refuses the runtime threads now and then; there, a team may be smaller than asked
// for. On a real machine the function does not exist.
extern unsigned long chomp_virtual_cycles(void) __attribute__((weak));

static void check_team(int wanted) {
  int got = omp_get_num_threads();
  if (chomp_virtual_cycles == NULL || got > wanted) CHECK_EQ(got, wanted);
}

static void nested_teams(void) {
  long outer = 0, inner = 0, members = 0, inner_members = 0;
  int outer_size = omp_get_max_threads() < 4 ? omp_get_max_threads() : 4;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(outer_size)
  {
    check_team(outer_size);
    ATOMIC_ADD(members, 1);
    for (int i = 0; i < 5; i++)
#pragma omp task shared(outer)
      ATOMIC_ADD(outer, 1);
    long mine = 0, mine_members = 0;
#pragma omp parallel num_threads(3) shared(mine, mine_members)
    {
      check_team(3);
      ATOMIC_ADD(mine_members, 1);
      for (int i = 0; i < 5; i++)
#pragma omp task shared(mine)
      {
        CHECK_EQ(omp_get_level(), 2);
        ATOMIC_ADD(mine, 1);
      }
    }
    CHECK_EQ(mine, 5 * mine_members);
    ATOMIC_ADD(inner, mine);
    ATOMIC_ADD(inner_members, mine_members);
  }
  CHECK_EQ(outer, 5 * members);
  CHECK_EQ(inner, 5 * inner_members);
}

static void long_one_hides_none(void) {
  int ran = 0;
#pragma omp parallel
#pragma omp single
  if (omp_get_num_threads() > 1) {
#pragma omp task shared(ran)
    {
      for (int i = 0; i < 100; i++)
#pragma omp task shared(ran)
        ATOMIC_ADD(ran, 1);
      SPIN_UNTIL(ATOMIC_LOAD(ran) == 100);
    }
  }
}

int main(void) {
  recursion();
  group_of_descendants();
  dependences();
  producers();
  nested_teams();
  long_one_hides_none();
  recursion(); // after all that
  return 0;
}
