// A region and tasks, for libraries of other machines and of musl: cross.sh, musl.sh. It needs no headers.
int omp_get_num_threads(void);
int printf(const char*, ...);
static long sum;
static void add(int from, int to) {
  if (to - from < 8) {
    for (int i = from; i < to; i++) {
#pragma omp atomic
      sum += i;
    }
    return;
  }
#pragma omp task
  add(from, (from + to) / 2);
#pragma omp task
  add((from + to) / 2, to);
#pragma omp taskwait
}
int main(void) {
  int threads = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    threads = omp_get_num_threads();
    add(0, 10000);
  }
  printf("%ld\n", sum);
  return !(threads >= 1 && sum == 49995000);
}
