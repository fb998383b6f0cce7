! RUN: %each-message %t %s
! REQUIRES: gfortran
! SAYS: chomp explore: worksharing not met by all: of the parallel region at worksharing_missed.F90:12
! SAYS:     thread 1 meets a `single` at worksharing_missed.F90:1\d
! SAYS:     thread 0 does not
! SAYS:     All threads of a region must meet the same worksharing constructs in the same order, or none of them.
program missed
  use omp_lib
  implicit none
  integer :: one
  one = 0
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) then
    !$omp single
    one = 1
    !$omp end single nowait
  end if
  !$omp end parallel
  print *, one
end program
