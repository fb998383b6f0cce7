! RUN: %each-message %t %s
! REQUIRES: gfortran
! SAYS: chomp explore: data race: `bank::account`
! SAYS:     race_in_region.F90:14 (reads|writes) it, in thread 0 of the parallel region at race_in_region.F90:13
! SAYS:     race_in_region.F90:14 (reads|writes) it, in thread 1 of the parallel region at race_in_region.F90:13
! SAYS:     No barrier stands between, and no lock is common to both: is it meant to be `private`, or a `reduction`\?
module bank
  integer :: account = 0
end module
program race
  use bank
  implicit none
  !$omp parallel num_threads(2)
  account = account + 1
  !$omp end parallel
  print *, account > 0
end program
