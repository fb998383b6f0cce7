! RUN: %each-message %t %s
! REQUIRES: gfortran
! OPTIONS: --threads 2
! SAYS: chomp explore: wrong output: line 1 of the output
! SAYS:     in the order (of seed \d+|x2:?): +\d+
! SAYS:     here: +\d+
program last_comes
  implicit none
  integer :: last = 0
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task
  !$omp critical
  last = 10 * last + 1
  !$omp end critical
  !$omp end task
  !$omp task
  !$omp critical
  last = 10 * last + 2
  !$omp end critical
  !$omp end task
  !$omp end single
  !$omp end parallel
  print *, last
end program
