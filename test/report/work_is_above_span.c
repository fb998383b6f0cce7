// The longest chain of a region is part of its work: the work of regions inside it counts for both, whether they have
// threads of their own, stand in a task, or are serial.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && env CHOMP_RECORD=%t.rec OMP_MAX_ACTIVE_LEVELS=3 %chomp-run %t
// RUN: env CHOMP_RECORD=%t.serial.rec OMP_MAX_ACTIVE_LEVELS=1 %chomp-run %t
// RUN: %lib/../bin/chomp report --json --from %t.rec --from %t.serial.rec > %t.json
// RUN: %python -c "import json; all = [each for run in json.load(open('%t.json')) for each in run['regions']]; assert len(all) >= 10, all; assert not [each for each in all if each['span_ns'] > 1.000001 * each['work_ns']], all"
static volatile double sink;

static void compute(int steps) {
  for (int i = 0; i < steps; i++) sink = sink * 0.5 + i;
}

static void loop(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; i++) compute(20000);
}

static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    compute(20000);
  }
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    compute(100);
    loop();
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    tasks();
  }
#pragma omp parallel num_threads(1)
  loop();
  return 0;
}
