! The routines that only LLVM's and Intel's omp_lib have, and those whose names gfortran and Flang spell differently:
! locks with hints, allocators, kmp_*.
! UNSUPPORTED: sanitizer-address, sanitizer-thread
! RUN: %if flang %{ %flang-openmp %s -o %t.flang && %for-threads -t "1 2 8" %t.flang %}
program kmp_routines
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer(kmp_affinity_mask_kind) :: mask
  integer(kmp_pointer_kind) :: block
  integer :: members

  call omp_init_lock_with_hint(lock, omp_sync_hint_contended)
  call omp_set_lock(lock)
  call omp_unset_lock(lock)
  call omp_destroy_lock(lock)
  call omp_init_nest_lock_with_hint(nest, omp_sync_hint_speculative)
  call check(omp_test_nest_lock(nest) == 1, 'nested lock with a hint')
  call omp_unset_nest_lock(nest)
  call omp_destroy_nest_lock(nest)

  call kmp_set_blocktime(17)
  call check(kmp_get_blocktime() == 17, 'blocktime')
  call kmp_set_library(2)
  call check(kmp_get_library() == 2, 'library')
  call kmp_set_library_throughput()
  call kmp_set_library_turnaround()
  call kmp_set_library(2)
  call check(kmp_get_stacksize_s() > 0 .and. kmp_get_stacksize() > 0, 'stack size')
  call check(omp_get_cancellation() == 0, 'cancellation')
  call check(.not. kmp_get_cancellation_status(kmp_cancel_parallel), 'cancellation status')

  call kmp_create_affinity_mask(mask)
  call check(kmp_get_affinity(mask) == 0 .or. kmp_get_affinity_max_proc() >= 0, 'affinity')
  call kmp_destroy_affinity_mask(mask)

  block = kmp_malloc(1000_kmp_size_t_kind)
  call check(block /= 0, 'kmp_malloc')
  block = kmp_realloc(block, 2000_kmp_size_t_kind)
  call check(block /= 0, 'kmp_realloc')
  call kmp_free(block)
  call omp_set_default_allocator(omp_large_cap_mem_alloc)
  call check(omp_get_default_allocator() == omp_large_cap_mem_alloc, 'default allocator')

  members = 0
  !$omp parallel reduction(+:members)
  members = members + 1
  !$omp end parallel
  call check(members == omp_get_max_threads(), 'team')
contains
  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    print *, 'failed: ', what
    error stop 1
  end subroutine check
end program kmp_routines
