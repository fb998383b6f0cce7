// RUN: %each-message %t %s
// OPTIONS: --threads 2
// SAYS: chomp explore: exit status: the program ends with status [12]; with status [12] in the order (of seed \d+|x2:?)
int main(void) {
  int last = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
#pragma omp atomic write
    last = 1;
#pragma omp section
#pragma omp atomic write
    last = 2;
  }
  return last;
}
