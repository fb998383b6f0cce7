! RUN: %each-message %t %s
! REQUIRES: gfortran
! SAYS: chomp explore: barrier not met by all: of the parallel region at barrier_not_met.F90:9
! SAYS:     thread [01] waits at a barrier at barrier_not_met.F90:1\d
! SAYS:     thread [01] waits at the end of the parallel region
! SAYS:     All threads of a region must meet the same barriers in the same order, or none of them.
program not_met
  use omp_lib
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) then
    !$omp barrier
  end if
  !$omp end parallel
end program
