! An absent optional argument stays absent in a target region: firstprivate, has_device_addr, map. (Of what gfortran 12
! compiles to code that reads the argument before it calls the library, nothing is here: firstprivate of an integer.)
! REQUIRES: gfortran, gomp
! RUN: %gfortran-openmp -Wno-maybe-uninitialized %s -o %t && %for-threads %t
program absent_arguments
  implicit none
  integer :: i
  real(8) :: number
  integer :: values(4)
  integer, allocatable :: allocated_values(:)
  do i = 1, 3
    number = i
    values = i
    allocated_values = values
    call scalars()
    call scalars(number)
    call arrays()
    call arrays(values)
    call whole_arrays()
    call whole_arrays(values)
    call allocatables()
    call allocatables(allocated_values)
  end do
contains
  subroutine scalars(x)
    real(8), optional :: x
    !$omp target firstprivate(x)
    if (present(x)) then
      if (x /= i) error stop 1
    end if
    !$omp end target
    !$omp target map(tofrom: x)
    if (present(x)) then
      if (x /= i) error stop 2
    end if
    !$omp end target
    !$omp target nowait firstprivate(x)
    if (present(x)) then
      if (x /= i) error stop 3
    end if
    !$omp end target
    !$omp taskwait
  end subroutine
  subroutine arrays(list)
    integer, optional :: list(:)
    !$omp target firstprivate(list)
    if (present(list)) then
      if (sum(list) /= 4 * i) error stop 4
    end if
    !$omp end target
    !$omp target has_device_addr(list)
    if (present(list)) then
      if (sum(list) /= 4 * i) error stop 5
    end if
    !$omp end target
  end subroutine
  subroutine whole_arrays(list)
    integer, optional :: list(4)
    !$omp target firstprivate(list)
    if (present(list)) then
      if (sum(list) /= 4 * i) error stop 6
    end if
    !$omp end target
  end subroutine
  subroutine allocatables(list)
    integer, optional, allocatable :: list(:)
    !$omp target has_device_addr(list)
    if (present(list)) then
      if (sum(list) /= 4 * i) error stop 7
    end if
    !$omp end target
  end subroutine
end program
