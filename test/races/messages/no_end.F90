! RUN: %each-message %t %s
! REQUIRES: gfortran
! OPTIONS: --threads 2 --steps 1000000
! SAYS: chomp explore: no end: livelock: .*
! SAYS:     thread 0 of the parallel region at no_end.F90:13 is at no_end.F90:\d+
! SAYS:     thread 1 of the parallel region at no_end.F90:13 waits for a barrier at no_end.F90:\d+
program waits
  use omp_lib
  implicit none
  integer :: state, seen
  state = 0
  seen = 0
  !$omp parallel num_threads(2) firstprivate(seen)
  do while (omp_get_thread_num() == 0 .and. seen == 0)
    !$omp atomic read
    seen = state
  end do
  !$omp barrier
  !$omp atomic write
  state = 1
  !$omp end parallel
end program
