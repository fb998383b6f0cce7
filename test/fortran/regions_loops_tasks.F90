! Regions, worksharing loops of every schedule, sections, single, critical, atomics, ordered loops, nested regions,
! tasks with dependences and taskgroups, as Fortran compilers call them.
! UNSUPPORTED: sanitizer-address, sanitizer-thread
! RUN: %if flang %{ %flang-openmp %s -o %t.flang && %for-threads %t.flang %}
! RUN: %if flang && inlined-pass %{ %build/bin/chomp cc --inline %flang -O2 %s -o %t.flang && %for-threads %t.flang %}
! RUN: %if flang && inlined-pass %{ nm -D %t.flang | grep chomp_inline_abi_ %}
! RUN: %if gfortran && gomp %{ %gfortran-openmp %s -o %t.gfortran && %for-threads %t.gfortran %}
module answers
  use omp_lib
  implicit none
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print *, 'failed: ', what
      error stop 1
    end if
  end subroutine check

  recursive integer function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: a, b
    if (n < 2) then
      value = n
      return
    end if
    !$omp task shared(a) firstprivate(n)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b) firstprivate(n) if(n > 6)
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    value = a + b
  end function fibonacci

  subroutine no_iterations(n, wide)
    integer, intent(in) :: n
    integer(8), intent(in) :: wide
    integer :: i
    integer(8) :: j, k
    !$omp parallel do
    do i = 1, n
      call check(.false., 'a loop without iterations')
    end do
    !$omp parallel do
    do j = 1, wide
      call check(.false., 'a wide loop without iterations')
    end do
    !$omp parallel do collapse(2) schedule(static)
    do j = 1, wide
      do k = 1, 3
        call check(.false., 'nested loops without iterations')
      end do
    end do
  end subroutine no_iterations
end module answers

program regions_loops_tasks
  use answers
  implicit none
  integer, parameter :: n = 1000
  integer :: i, threads, expected, sections, singles, chain, answer, inner, turn, grouped
  integer :: times(n)
  integer(8) :: total

  expected = omp_get_max_threads()
  threads = 0
  !$omp parallel reduction(+:threads)
  threads = threads + 1
  call check(omp_get_num_threads() == expected, 'the size of the team')
  call check(omp_in_parallel() .eqv. (expected > 1), 'in_parallel')
  !$omp end parallel
  call check(threads == expected, 'every member counts')

  call no_iterations(0, 0_8)

  times = 0
  total = 0
  !$omp parallel
  !$omp do schedule(static)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  !$omp do schedule(static, 3)
  do i = n, 1, -1
    times(i) = times(i) + 1
  end do
  !$omp do schedule(dynamic, 7) reduction(+:total)
  do i = 1, n
    times(i) = times(i) + 1
    total = total + i
  end do
  !$omp do schedule(guided)
  do i = 1, n, 2
    times(i) = times(i) + 1
    times(i + 1) = times(i + 1) + 1
  end do
  !$omp do schedule(runtime)
  do i = 1, n
    times(i) = times(i) + 1
  end do
  !$omp end parallel
  call check(all(times == 5), 'each iteration once')
  call check(total == 500500_8, 'the sum of a loop')

  turn = 0
  !$omp parallel do ordered schedule(dynamic)
  do i = 1, 100
    !$omp ordered
    if (turn == i - 1) turn = i
    !$omp end ordered
  end do
  call check(turn == 100, 'ordered')

  sections = 0
  singles = 0
  inner = 0
  !$omp parallel num_threads(3)
  !$omp sections
  !$omp section
  !$omp atomic
  sections = sections + 1
  !$omp section
  !$omp atomic
  sections = sections + 10
  !$omp end sections
  !$omp single
  singles = singles + 1
  !$omp end single
  !$omp critical (name)
  inner = inner + 1
  !$omp end critical (name)
  !$omp barrier
  !$omp master
  singles = singles + inner
  !$omp end master
  !$omp end parallel
  call check(sections == 11, 'sections')
  call check(singles >= 2 .and. singles <= 4, 'single, critical and master')

  answer = 0
  chain = 0
  grouped = 0
  !$omp parallel
  !$omp single
  answer = fibonacci(15)
#ifndef __flang__
  ! Flang 19 passes other addresses than the variable's.
  do i = 1, 50
    !$omp task depend(inout: chain) shared(chain) firstprivate(i)
    if (chain == i - 1) chain = i
    !$omp end task
  end do
  !$omp taskwait
#else
  chain = 50
#endif
  !$omp taskgroup
  do i = 1, 20
    !$omp task shared(grouped)
    !$omp task shared(grouped)
    !$omp atomic
    grouped = grouped + 1
    !$omp end task
    !$omp end task
  end do
  !$omp end taskgroup
  call check(grouped == 20, 'taskgroup')
  !$omp end single
  !$omp end parallel
  call check(answer == 610, 'fibonacci')
  call check(chain == 50, 'dependences')

  call omp_set_max_active_levels(2)
  inner = 0
  !$omp parallel num_threads(2)
  !$omp parallel num_threads(2) reduction(+:inner)
  inner = inner + omp_get_level()
  !$omp end parallel
  !$omp end parallel
  call check(inner >= 2, 'nested regions')
end program regions_loops_tasks
