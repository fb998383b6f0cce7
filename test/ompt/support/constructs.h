// One of each construct, for Clang and for GCC: whatever a tool may be told of. Returns how many of its answers are
// wrong.
#include <omp.h>

static int use_all_constructs(void) {
  int sum = 0, tasks = 0, wrong = 0, last = -1, x = 0, y = 0;
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(4)
  {
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp for schedule(dynamic, 3) lastprivate(last)
    for (int i = 0; i < 50; i++) last = i;
#pragma omp for schedule(guided) ordered
    for (int i = 0; i < 20; i++) {
#pragma omp ordered
      x = x * 3 + i;
    }
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      y++;
#pragma omp section
#pragma omp atomic
      y++;
    }
#pragma omp critical(name)
    y++;
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    if (omp_test_lock(&lock)) omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp barrier
#pragma omp single
    {
      for (int i = 0; i < 30; i++) {
#pragma omp task
        {
#pragma omp atomic
          tasks++;
#pragma omp taskyield
        }
#pragma omp task if (i % 3)
#pragma omp atomic
        tasks++;
      }
#pragma omp taskwait
#pragma omp taskgroup
      {
#pragma omp task untied
        {
#pragma omp task final(1)
          {
#pragma omp task
#pragma omp atomic
            tasks++;
          }
#pragma omp taskwait
        }
#pragma omp task depend(out : x)
#pragma omp atomic
        tasks++;
#pragma omp task depend(inout : x)
#pragma omp atomic
        tasks++;
#pragma omp task depend(in : x) if (0)
#pragma omp atomic
        tasks++;
      }
#pragma omp taskloop grainsize(7)
      for (int i = 0; i < 100; i++) {
#pragma omp atomic
        tasks++;
      }
    }
#pragma omp master
    {
#pragma omp parallel num_threads(2)
#pragma omp atomic
      y++;
    }
#pragma omp task // runs in the barrier, as a rule
#pragma omp parallel if (0)
#pragma omp atomic
    y++;
#pragma omp barrier
  }
#pragma omp parallel if (0)
  y++;
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  wrong += sum != 4950;
  wrong += last != 49;
  wrong += tasks != 164;
  return wrong;
}
