! The table of constructs in Fortran (constructs.c): what the language has of it, and what it alone has. With RACY each
! has a fault, else none.
#ifdef RACY
#define FAULT(code) code
#define CURE(code)
#else
#define FAULT(code)
#define CURE(code) code
#endif

module shared_data
  use omp_lib
  implicit none
  integer, parameter :: count = 6
  integer :: x = 0, y = 0, a(0:count) = 0, b(0:count) = 0
  integer, save :: kept = 0
#ifndef RACY
  !$omp threadprivate(kept)
#endif
contains

subroutine threadprivate_variable
  !$omp parallel num_threads(2)
  kept = kept + 1
  !$omp end parallel
end subroutine

subroutine private_clause
  integer :: t
  !$omp parallel num_threads(2) CURE(private(t))
  t = omp_get_thread_num()
  a(iand(omp_get_thread_num(), 1)) = t
  !$omp end parallel
end subroutine

subroutine firstprivate_clause
  integer :: t
  t = 1
  !$omp parallel num_threads(2) CURE(firstprivate(t))
  t = t + 1
  !$omp end parallel
end subroutine

subroutine lastprivate_clause
  integer :: t, i
  !$omp parallel do CURE(lastprivate(t))
  do i = 1, count
    t = i
  end do
  if (t < 0) print *, t
end subroutine

subroutine reduction_clause
  integer :: t, i
  t = 0
  !$omp parallel do CURE(reduction(+:t))
  do i = 1, count
    t = t + i
  end do
end subroutine

subroutine reduction_of_an_array
  integer :: t(2), i
  t = 0
  !$omp parallel do CURE(reduction(+:t))
  do i = 1, count
    t(1 + iand(i, 1)) = t(1 + iand(i, 1)) + i
  end do
end subroutine

subroutine parallel_region
  !$omp parallel
  CURE(!$omp atomic)
  x = x + 1
  !$omp end parallel
end subroutine

subroutine teams_region
  integer :: t
  t = 0
  !$omp teams num_teams(2) FAULT(shared(t)) CURE(reduction(+:t))
  t = t + 1
  !$omp end teams
end subroutine

subroutine do_static
  integer :: i
  !$omp parallel do schedule(static)
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
end subroutine

subroutine do_dynamic
  integer :: i
  !$omp parallel do schedule(dynamic)
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
end subroutine

subroutine do_guided
  integer :: i
  !$omp parallel do schedule(guided)
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
end subroutine

subroutine do_runtime
  integer :: i
  !$omp parallel do schedule(runtime)
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
end subroutine

subroutine do_split_elsewhere
  integer :: i
  !$omp parallel do
  do i = 1, count
    if (i == 2) a(i FAULT(-1)) = i
    if (i /= 2) a(i) = i
  end do
end subroutine

subroutine do_collapse
  integer :: i, j
  !$omp parallel do collapse(2)
  do i = 0, 1
    do j = 0, 2
      a(CURE(3 * i +) j) = a(CURE(3 * i +) j) + 1
    end do
  end do
end subroutine

subroutine do_nowait
  integer :: i
  !$omp parallel num_threads(2)
  !$omp do schedule(static)
  do i = 0, count - 1
    a(i) = i
  end do
  !$omp end do nowait
  !$omp do schedule(static)
  do i = 0, count - 1
    b(i) = a(FAULT(count - 1 -) i)
  end do
  !$omp end do
  !$omp end parallel
end subroutine

subroutine do_ordered
  integer :: i
  !$omp parallel do ordered
  do i = 1, count
    CURE(!$omp ordered)
    x = iand(2 * x + i, 255)
    CURE(!$omp end ordered)
  end do
end subroutine

subroutine do_doacross
  integer :: i
  !$omp parallel do ordered(1)
  do i = 1, count
    !$omp ordered depend(sink: i - CURE(1) FAULT(2))
    a(i) = a(i - 1) + 1
    !$omp ordered depend(source)
  end do
end subroutine

subroutine do_simd
  integer :: i
  !$omp parallel do simd
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
end subroutine

subroutine workshare
  !$omp parallel num_threads(2)
  !$omp workshare
  b = a + 1
  !$omp end workshare FAULT(nowait)
  if (omp_get_thread_num() == 0) x = b(count)
  !$omp end parallel
end subroutine

subroutine sections
  !$omp parallel sections num_threads(2)
  !$omp section
  x = 1
  !$omp section
  FAULT(x) CURE(y) = 2
  !$omp end parallel sections
end subroutine

subroutine sections_nowait
  !$omp parallel num_threads(2)
  !$omp sections
  !$omp section
  x = 1
  !$omp section
  y = 2
  !$omp end sections FAULT(nowait)
  a(iand(omp_get_thread_num(), 1)) = x + y
  !$omp end parallel
end subroutine

subroutine single
  !$omp parallel num_threads(2)
  !$omp single
  x = 1
  !$omp end single FAULT(nowait)
  a(iand(omp_get_thread_num(), 1)) = x
  !$omp end parallel
end subroutine

subroutine single_copyprivate
  integer :: t
  !$omp parallel num_threads(2) CURE(private(t))
  !$omp single
  t = 1
  !$omp end single FAULT(nowait) CURE(copyprivate(t))
  a(iand(omp_get_thread_num(), 1)) = t
  !$omp end parallel
end subroutine

subroutine master
  !$omp parallel num_threads(2)
  !$omp master
  x = 1
  !$omp end master
  CURE(!$omp barrier)
  a(iand(omp_get_thread_num(), 1)) = x
  !$omp end parallel
end subroutine

subroutine masked
  !$omp parallel num_threads(2)
  !$omp masked
  x = 1
  !$omp end masked
  CURE(!$omp barrier)
  a(iand(omp_get_thread_num(), 1)) = x
  !$omp end parallel
end subroutine

subroutine scope
  integer :: t
  t = 0
  !$omp parallel num_threads(2)
  !$omp scope CURE(reduction(+:t))
  t = t + 1
  !$omp end scope
  !$omp end parallel
end subroutine

subroutine task
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task
  x = 1
  !$omp end task
  !$omp task
  FAULT(x) CURE(y) = 2
  !$omp end task
  !$omp end single
  !$omp end parallel
end subroutine

subroutine task_depend
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task depend(out: x)
  x = 1
  !$omp end task
  !$omp task depend(in: FAULT(y) CURE(x))
  y = x
  !$omp end task
  !$omp end single
  !$omp end parallel
end subroutine

subroutine task_in_reduction
  integer :: t, i
  t = 0
  !$omp parallel num_threads(2)
  !$omp single
  !$omp taskgroup CURE(task_reduction(+:t))
  do i = 1, 3
    !$omp task CURE(in_reduction(+:t)) FAULT(shared(t))
    t = t + 1
    !$omp end task
  end do
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel
end subroutine

subroutine taskwait
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task
  x = 1
  !$omp end task
  CURE(!$omp taskwait)
  y = x
  !$omp end single
  !$omp end parallel
end subroutine

subroutine taskgroup
  !$omp parallel num_threads(2)
  !$omp single
  CURE(!$omp taskgroup)
  !$omp task
  !$omp task
  x = 1
  !$omp end task
  !$omp end task
  CURE(!$omp end taskgroup)
  FAULT(!$omp taskwait)
  y = x
  !$omp end single
  !$omp end parallel
end subroutine

subroutine taskloop
  integer :: i
  !$omp parallel num_threads(2)
  !$omp single
  !$omp taskloop num_tasks(3)
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
  !$omp end taskloop
  !$omp end single
  !$omp end parallel
end subroutine

subroutine target
  !$omp target map(tofrom: x)
  !$omp parallel num_threads(2)
  CURE(!$omp atomic)
  x = x + 1
  !$omp end parallel
  !$omp end target
end subroutine

subroutine target_teams_loop
  integer :: i
  !$omp target teams distribute parallel do num_teams(2) map(tofrom: a)
  do i = 0, count - 1
    a(i) = a(i FAULT(+1)) + 1
  end do
end subroutine

subroutine critical
  !$omp parallel num_threads(2)
  CURE(!$omp critical)
  x = x + 1
  CURE(!$omp end critical)
  !$omp end parallel
end subroutine

subroutine barrier
  !$omp parallel num_threads(2)
  a(iand(omp_get_thread_num(), 1)) = 1
  CURE(!$omp barrier)
  b(iand(omp_get_thread_num(), 1)) = a(1 - iand(omp_get_thread_num(), 1))
  !$omp end parallel
end subroutine

subroutine atomic_capture
  integer :: t
  !$omp parallel num_threads(2) private(t)
  CURE(!$omp atomic capture)
  t = x
  x = x + 1
  CURE(!$omp end atomic)
  a(iand(t, 1) * 0 + iand(omp_get_thread_num(), 1)) = 1
  !$omp end parallel
end subroutine

subroutine lock
  integer(omp_lock_kind), save :: guard
  call omp_init_lock(guard)
  !$omp parallel num_threads(2)
  call omp_set_lock(guard)
  CURE(x = x + 1)
  call omp_unset_lock(guard)
  FAULT(x = x + 1)
  !$omp end parallel
  call omp_destroy_lock(guard)
end subroutine
subroutine internal_unit
  character(len=20) :: line
  integer :: i
  !$omp parallel do num_threads(2) CURE(private(line))
  do i = 1, count
    write (line, '(i5)') i
  end do
end subroutine

subroutine host_variable
  integer :: t, i
  t = 0
  !$omp parallel do num_threads(2)
  do i = 1, count
    call host(i)
  end do
  x = t
contains
  subroutine host(i)
    integer, intent(in) :: i
    CURE(!$omp critical)
    t = t + i
    CURE(!$omp end critical)
  end subroutine
end subroutine

subroutine host_variable_in_its_region
  integer :: t
  t = 0
  !$omp parallel num_threads(2)
  CURE(!$omp atomic)
  t = t + 1
  !$omp end parallel
  call host
contains
  subroutine host
    x = t
  end subroutine
end subroutine

subroutine host_variable_of_a_task
  real(8) :: t, x
  t = 0
  x = 0.5_8
  !$omp parallel num_threads(2)
  !$omp single
  !$omp task
  call host(1)
  !$omp end task
  CURE(!$omp taskwait)
  x = x + t
  !$omp end single
  !$omp end parallel
  y = int(x)
contains
  subroutine host(i)
    integer, intent(in) :: i
    t = t * 2 + i
  end subroutine
end subroutine
end module

program constructs
  use shared_data
  implicit none
  character(len=40) :: name
  name = ''
  if (command_argument_count() > 0) call get_command_argument(1, name)
  call try('threadprivate_variable', threadprivate_variable)
  call try('private_clause', private_clause)
  call try('firstprivate_clause', firstprivate_clause)
  call try('lastprivate_clause', lastprivate_clause)
  call try('reduction_clause', reduction_clause)
  call try('reduction_of_an_array', reduction_of_an_array)
  call try('parallel_region', parallel_region)
  call try('teams_region', teams_region)
  call try('do_static', do_static)
  call try('do_dynamic', do_dynamic)
  call try('do_guided', do_guided)
  call try('do_runtime', do_runtime)
  call try('do_split_elsewhere', do_split_elsewhere)
  call try('do_collapse', do_collapse)
  call try('do_nowait', do_nowait)
  call try('do_ordered', do_ordered)
  call try('do_doacross', do_doacross)
  call try('do_simd', do_simd)
  call try('workshare', workshare)
  call try('sections', sections)
  call try('sections_nowait', sections_nowait)
  call try('single', single)
  call try('single_copyprivate', single_copyprivate)
  call try('master', master)
  call try('masked', masked)
  call try('scope', scope)
  call try('task', task)
  call try('task_depend', task_depend)
  call try('task_in_reduction', task_in_reduction)
  call try('taskwait', taskwait)
  call try('taskgroup', taskgroup)
  call try('taskloop', taskloop)
  call try('target', target)
  call try('target_teams_loop', target_teams_loop)
  call try('critical', critical)
  call try('barrier', barrier)
  call try('atomic_capture', atomic_capture)
  call try('lock', lock)
  call try('internal_unit', internal_unit)
  call try('host_variable', host_variable)
  call try('host_variable_in_its_region', host_variable_in_its_region)
  call try('host_variable_of_a_task', host_variable_of_a_task)
contains
subroutine try(row, execute)
  character(len=*), intent(in) :: row
  interface
    subroutine execute
    end subroutine
  end interface
  if (name == '') print '(a)', row
  if (name == row .or. name == 'all') call execute
end subroutine
end program
