! What every random program of tools/fuzz in Fortran begins with: checks, and the main program.
module fuzz_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use omp_lib
  implicit none
  integer, save :: fuzz_errors = 0
  integer, save :: fuzz_number = 0

  interface
    integer(c_int) function pthread_create(thread, attributes, start, argument) bind(c)
      import :: c_int, c_intptr_t, c_ptr, c_funptr
      integer(c_intptr_t) :: thread
      type(c_ptr), value :: attributes, argument
      type(c_funptr), value :: start
    end function pthread_create
    integer(c_int) function pthread_join(thread, result) bind(c)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: thread
      type(c_ptr), value :: result
    end function pthread_join
    subroutine c_exit(status) bind(c, name='exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine c_exit
  end interface
contains
  recursive subroutine check_eq(line, what, got, expected)
    integer, intent(in) :: line
    character(*), intent(in) :: what
    integer(8), intent(in) :: got, expected
    integer :: before
    if (got == expected) return
    !$omp atomic capture
    before = fuzz_errors
    fuzz_errors = fuzz_errors + 1
    !$omp end atomic
    if (before < 5) then
      write (error_unit, '(a,i0,3a,i0,a,i0)') 'wrong: line ', line, ': ', what, ': got ', got, ', expected ', expected
      flush (error_unit)
    end if
  end subroutine check_eq

  ! Adds one thing that a task does to the variable of the construct around.
  recursive subroutine add(account, amount)
    integer(8), target :: account
    integer, intent(in) :: amount
    !$omp atomic
    account = account + amount
  end subroutine add

  ! The same, and looks at what was there.
  recursive subroutine add_and_look(account, amount)
    integer(8), target :: account
    integer, intent(in) :: amount
    integer(8) :: before, more
    more = amount ! Flang 19 breaks down over operands of two kinds
    !$omp atomic capture
    before = account
    account = account + more
    !$omp end atomic
    call check_eq(__LINE__, 'before >= 0', merge(1_8, 0_8, before >= 0), 1_8)
  end subroutine add_and_look

  function fuzz_thread(argument) bind(c) result(nothing)
    type(c_ptr), value :: argument
    type(c_ptr) :: nothing
    external :: fuzz_run
    nothing = argument
    call fuzz_run(fuzz_number)
  end function fuzz_thread
end module fuzz_base

! [-r ROOTS] [NUMBER ...]: these programs (all of them), each in ROOTS threads at once.
program fuzz_main
  use fuzz_base
  implicit none
  integer :: roots, next, failed, count, i, j, number
  integer(c_intptr_t) :: threads(64)
  character(32) :: word
  logical :: listed
  integer, external :: fuzz_count
  external :: fuzz_run
  roots = 1
  next = 1
  failed = 0
  if (command_argument_count() > 1) then
    call get_command_argument(1, word)
    if (word == '-r') then
      call get_command_argument(2, word)
      read (word, *) roots
      next = 3
    end if
  end if
  listed = next <= command_argument_count()
  count = fuzz_count()
  if (listed) count = command_argument_count() - next + 1
  do i = 1, count
    number = i - 1
    if (listed) then
      call get_command_argument(next + i - 1, word)
      read (word, *) number
    end if
    write (error_unit, '(a,i0)') 'begin ', number
    flush (error_unit)
    !$omp atomic write
    fuzz_errors = 0
    if (roots == 1) then
      call fuzz_run(number)
    else
      fuzz_number = number
      do j = 1, roots
        if (pthread_create(threads(j), c_null_ptr, c_funloc(fuzz_thread), c_null_ptr) /= 0) call c_exit(3_c_int)
      end do
      do j = 1, roots
        if (pthread_join(threads(j), c_null_ptr) /= 0) call c_exit(3_c_int)
      end do
    end if
    if (fuzz_errors /= 0) then
      write (error_unit, '(a,i0)') 'failed ', number
      failed = 1
    end if
  end do
  write (error_unit, '(a)') 'end'
  flush (error_unit)
  call c_exit(int(failed, c_int))
end program fuzz_main
