! What statements of Fortran read and write by gfortran's library is seen. Each number is one beside a task that uses the
! same variable; number -1 is all of them in turn, on variables of their own, without a fault.
! REQUIRES: gfortran
! RUN: %each-call %t %s
module memory
  implicit none
  type item
    integer :: whole = 1
    real(8) :: number = 2
    complex(8) :: pair = (1, 2)
    logical :: flag = .true.
    character(len=12) :: text = 'text'
    integer :: list(8) = 3
    real(8) :: left(4, 4) = 1, right(4, 4) = 2, product(4, 4) = 0
  end type
contains
  subroutine call_it(number, x, known)
    integer, intent(in) :: number
    type(item), intent(inout) :: x
    logical, intent(out) :: known
    character(len=200) :: buffer
    character(len=40) :: other
    known = .true.
    select case (number)
    case (0)
      write (buffer, *) x%whole
    case (1)
      write (buffer, *) x%number, x%pair
    case (2)
      write (buffer, '(L1)') x%flag
    case (3)
      write (buffer, '(A)') x%text
    case (4)
      write (buffer, *) x%list(1:8:2)
    case (5)
      buffer = '17'
      read (buffer, *) x%whole
    case (6)
      buffer = '1 2 3 4'
      read (buffer, *) x%list(1:4)
    case (7)
      other = trim(x%text) // ' and more'
      if (other == 'x') x%whole = 3
    case (8)
      x%product = matmul(x%left, x%right)
    case (9)
      call random_number(x%left)
    case (10)
      write (buffer, *) x%list
    case default
      known = .false.
    end select
  end subroutine
  subroutine change(number, x)
    integer, intent(in) :: number
    type(item), intent(inout) :: x
    select case (number)
    case (0, 5)
      x%whole = 4
    case (1)
      x%pair = (3, 4)
    case (2)
      x%flag = .false.
    case (3, 7)
      x%text(1:1) = 'x'
    case (4, 6, 10)
      x%list(3) = 4
    case (8)
      x%product(2, 2) = 1
    case (9)
      x%left(2, 2) = 1
    end select
  end subroutine
end module

program statements
  use memory
  implicit none
  type(item), target, save :: shared, own(0:10)
  character(len=8) :: argument
  integer :: number, i
  logical :: known, each
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) number
    !$omp parallel sections num_threads(2)
    !$omp section
    call call_it(number, shared, known)
    !$omp section
    call change(number, shared)
    !$omp end parallel sections
    if (.not. known) call exit(77)
  else
    !$omp parallel private(each)
    !$omp single
    do i = 0, 10
      !$omp task firstprivate(i) private(each)
      call call_it(i, own(i), each)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    print *, 'ok'
  end if
end program
