! Common blocks and module variables that are threadprivate: kept from region to region, copied in, copied out of a
! single; larger than the stack that OMP_STACKSIZE gives a thread.
! UNSUPPORTED: sanitizer-address, sanitizer-thread
! RUN: %if flang %{ %flang-openmp %s -o %t.flang && %for-threads -t "1 2 3 8" env OMP_STACKSIZE=512K %t.flang %}
! RUN: %if gfortran && gomp %{ %gfortran-openmp %s -o %t.gfortran && %for-threads -t "1 2 3 8" env OMP_STACKSIZE=512K %t.gfortran %}
module own
  implicit none
  integer, save :: counter = 5
  !$omp threadprivate(counter)
end module own

program threadprivate_commons
  use omp_lib
  use own
  implicit none
  integer :: round, shared_value
  real(8) :: big(250000)
  integer :: mark
  common /large/ big, mark
  !$omp threadprivate(/large/)

  call omp_set_dynamic(.false.)
  mark = 100
  big = 1
  !$omp parallel copyin(mark)
  if (mark /= 100) error stop 'copyin'
  big(1) = omp_get_thread_num()
  big(250000) = big(1)
  mark = mark + omp_get_thread_num()
  counter = omp_get_thread_num()
  !$omp end parallel
  do round = 1, 10
    !$omp parallel
    if (mark /= 100 + omp_get_thread_num()) error stop 'kept: common'
    if (big(250000) /= omp_get_thread_num()) error stop 'kept: array'
    if (counter /= omp_get_thread_num() + round - 1) error stop 'kept: module'
    counter = counter + 1
    !$omp end parallel
  end do
  !$omp parallel private(shared_value)
  shared_value = -1
  !$omp single
  shared_value = 42
  !$omp end single copyprivate(shared_value)
  if (shared_value /= 42) error stop 'copyprivate'
  !$omp end parallel
end program threadprivate_commons
