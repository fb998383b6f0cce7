// A hybrid program: OpenMP loops and tasks between messages; the primary thread speaks to MPI, at MPI_THREAD_FUNNELED,
// and in turn all threads, where MPI allows MPI_THREAD_MULTIPLE.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { kCells = 20000, kSteps = 30 };
static long cells[kCells + 2], next[kCells + 2];

int main(int argc, char** argv) {
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
#pragma omp parallel for
  for (int i = 1; i <= kCells; i++) cells[i] = (rank * 7919L + i * 31L) % 1000;
  for (int step = 0; step < kSteps; step++) {
    MPI_Sendrecv(&cells[1], 1, MPI_LONG, left, 0, &cells[kCells + 1], 1, MPI_LONG, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&cells[kCells], 1, MPI_LONG, right, 1, &cells[0], 1, MPI_LONG, left, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(16)
    for (int i = 1; i <= kCells; i++) next[i] = (cells[i - 1] + 2 * cells[i] + cells[i + 1]) % 1000;
#pragma omp parallel for schedule(guided)
    for (int i = 1; i <= kCells; i++) cells[i] = next[i];
  }
  long sum = 0, total = 0, messages = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= kCells; i++) sum += cells[i] * (i % 11);
  if (provided == MPI_THREAD_MULTIPLE) {
#pragma omp parallel reduction(+ : messages)
    {
      long mine = omp_get_thread_num() + 1, theirs = 0;
      int tag = 100 + omp_get_thread_num();
      MPI_Sendrecv(&mine, 1, MPI_LONG, right, tag, &theirs, 1, MPI_LONG, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      messages += theirs;
    }
  }
  sum += messages;
  MPI_Reduce(&sum, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total %ld of %d processes\n", total, ranks);
  MPI_Finalize();
  return 0;
}
