! See places_are_those_of_the_source.c.
subroutine work()
  integer :: i
  integer, volatile :: kept
  do i = 1, 300
    kept = i
  end do
end subroutine

program places
  use omp_lib
  implicit none
  integer :: i, x
  x = 0
  !$omp parallel ! is: parallel, end of region
  !$omp single ! is: single
  do i = 1, 20
    !$omp task ! is: task
    call work()
    !$omp end task
    !$omp task depend(inout: x) ! is: task
    call work()
    !$omp end task
    !$omp task priority(1) ! is: task
    call work()
    !$omp end task
    !$omp task mergeable ! is: task
    call work()
    !$omp end task
    !$omp taskwait ! is: taskwait
  end do
  !$omp end single ! is: barrier
  !$omp do schedule(dynamic) ! is: dynamic loop
  do i = 1, 20
    call work()
  end do
  !$omp end do ! is: barrier
  !$omp critical ! is: wants critical
  call work()
  !$omp end critical
  !$omp barrier ! is: barrier
  call work()
  !$omp end parallel ! is: end of region
end program
