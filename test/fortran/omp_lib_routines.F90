! Every routine of omp_lib that both compilers declare answers in Fortran as in C: arguments by reference, logicals,
! strings with blanks, arrays, locks.
! UNSUPPORTED: sanitizer-address, sanitizer-thread
! RUN: %if flang %{ %flang-openmp %s -o %t.flang && %for-threads -t "1 2 8" %t.flang %}
! RUN: %if gfortran && gomp %{ %gfortran-openmp %s -o %t.gfortran && %for-threads -t "1 2 8" %t.gfortran %}
program omp_lib_routines
  use omp_lib
  implicit none
  integer :: chunk, threads, i, count
  integer(omp_sched_kind) :: kind
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer, allocatable :: numbers(:)
  character(40) :: text
  real(8) :: before

  threads = omp_get_max_threads()
  call check(omp_get_num_threads() == 1 .and. omp_get_thread_num() == 0, 'outside')
  call check(.not. omp_in_parallel() .and. omp_get_level() == 0 .and. omp_get_active_level() == 0, 'levels outside')
  call check(omp_get_num_procs() >= 1 .and. omp_get_thread_limit() >= threads, 'processors and limit')
  call check(omp_get_supported_active_levels() >= 2, 'supported levels')

  call omp_set_num_threads(5)
  call check(omp_get_max_threads() == 5, 'set_num_threads')
  call omp_set_num_threads(threads)
  call omp_set_dynamic(.true.)
  call check(omp_get_dynamic(), 'dynamic on')
  call omp_set_dynamic(.false.)
  call check(.not. omp_get_dynamic(), 'dynamic off')
  call omp_set_max_active_levels(3)
  call check(omp_get_max_active_levels() == 3, 'max_active_levels')
  call omp_set_schedule(omp_sched_dynamic, 17)
  call omp_get_schedule(kind, chunk)
  call check(kind == omp_sched_dynamic .and. chunk == 17, 'schedule')
  call omp_set_default_device(0)
  call check(omp_get_default_device() == 0 .and. omp_get_num_devices() >= 0 .and. omp_is_initial_device(), 'devices')
  call check(omp_get_initial_device() >= 0, 'initial device')
  call check(omp_get_num_teams() == 1 .and. omp_get_team_num() == 0, 'teams')
  call check(omp_get_max_task_priority() >= 0, 'priority')
  call check(.not. omp_in_final(), 'final')
  call check(omp_get_proc_bind() >= 0, 'proc_bind')
  call check(omp_get_num_places() >= 0 .and. omp_get_partition_num_places() >= 0, 'places')
  if (omp_get_num_places() > 0) then
    allocate (numbers(max(1, omp_get_place_num_procs(0))))
    numbers = -1
    call omp_get_place_proc_ids(0, numbers)
    call check(all(numbers >= 0), 'place_proc_ids')
    deallocate (numbers)
    allocate (numbers(omp_get_partition_num_places()))
    call omp_get_partition_place_nums(numbers)
    call check(all(numbers >= 0), 'partition_place_nums')
  end if

  before = omp_get_wtime()
  call check(omp_get_wtick() > 0 .and. omp_get_wtime() >= before, 'time')

  call omp_init_lock(lock)
  call omp_set_lock(lock)
  call check(.not. omp_test_lock(lock), 'test of a lock that is held')
  call omp_unset_lock(lock)
  call check(omp_test_lock(lock), 'test of a free lock')
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call omp_init_nest_lock(nest)
  call omp_set_nest_lock(nest)
  call check(omp_test_nest_lock(nest) == 2, 'nested lock')
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  call omp_destroy_nest_lock(nest)
  call omp_init_lock(lock)
  count = 0
  !$omp parallel private(i)
  do i = 1, 100
    call omp_set_lock(lock)
    count = count + 1
    call omp_unset_lock(lock)
  end do
  !$omp end parallel
  call check(count == 100 * threads, 'a lock excludes')
  call omp_destroy_lock(lock)

  !$omp parallel num_threads(2)
  call check(omp_get_level() == 1 .and. omp_get_team_size(1) == omp_get_num_threads(), 'inside')
  call check(omp_get_ancestor_thread_num(1) == omp_get_thread_num() .and. omp_get_ancestor_thread_num(0) == 0, 'ancestors')
  call check(omp_get_ancestor_thread_num(7) == -1 .and. omp_get_team_size(7) == -1, 'no such level')
  !$omp end parallel

  call omp_set_affinity_format('level %L thread %n')
  text = 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'
  call check(omp_get_affinity_format(text) == 18, 'length of the affinity format')
  call check(text == 'level %L thread %n', 'affinity format')
  call check(omp_capture_affinity(text, 'n=%n L=%L') == 7, 'length of the captured affinity')
  call check(text == 'n=0 L=0', 'captured affinity')
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    print *, 'failed: ', what
    error stop 1
  end subroutine check
end program omp_lib_routines
