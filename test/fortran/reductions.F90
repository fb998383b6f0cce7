! Reductions of every intrinsic type and operator that Fortran has, of scalars and arrays, over regions and loops.
! UNSUPPORTED: sanitizer-address, sanitizer-thread
! RUN: %if flang %{ %flang-openmp %s -o %t.flang && %for-threads %t.flang %}
! RUN: %if gfortran && gomp %{ %gfortran-openmp %s -o %t.gfortran && %for-threads %t.gfortran %}
program reductions
  implicit none
  integer, parameter :: n = 240
  integer :: i, low, high, bits, either, exclusive
  integer(8) :: wide
  integer(2) :: narrow
  real :: single
  real(8) :: sum, product, least, most
  complex(8) :: c
  logical :: all_true, any_true, same, differ
  integer :: histogram(0:6)

  low = huge(low); high = -huge(high); bits = not(0); either = 0; exclusive = 0
  wide = 0; narrow = 0; single = 0; sum = 0; product = 1; least = huge(least); most = -huge(most)
  c = (0, 0)
  all_true = .true.; any_true = .false.; same = .true.; differ = .false.
  histogram = 0
  !$omp parallel do reduction(min:low, least) reduction(max:high, most) reduction(iand:bits) reduction(ior:either) &
  !$omp reduction(ieor:exclusive) reduction(+:wide, narrow, single, sum, c) reduction(*:product) &
  !$omp reduction(.and.:all_true) reduction(.or.:any_true) reduction(.eqv.:same) reduction(.neqv.:differ)
  do i = 1, n
    low = min(low, i)
    high = max(high, i)
    bits = iand(bits, ior(i, 256))
    either = ior(either, i)
    exclusive = ieor(exclusive, i)
    wide = wide + int(i, 8) * 10000000000_8
    narrow = narrow + 1_2
    single = single + 1.0
    sum = sum + dble(i)
    c = c + cmplx(i, -i, kind=8)
    if (mod(i, 24) == 0) product = product * 2
    least = min(least, dble(i))
    most = max(most, dble(i))
    all_true = all_true .and. i > 0
    any_true = any_true .or. i == 77
    same = same .eqv. mod(i, 2) == 0
    differ = differ .neqv. mod(i, 3) == 0
  end do
  if (low /= 1 .or. high /= n) error stop 'min and max'
  if (bits /= 256 .or. either /= 255 .or. exclusive /= n) error stop 'bits'
  if (wide /= 289200000000000_8 .or. narrow /= n) error stop 'integers'
  if (single /= n .or. sum /= 28920.0d0 .or. product /= 1024.0d0) error stop 'reals'
  if (c /= (28920.0d0, -28920.0d0)) error stop 'complex'
  if (least /= 1 .or. most /= n) error stop 'min and max of reals'
  if (.not. all_true .or. .not. any_true .or. .not. same .or. differ) error stop 'logicals'
#ifndef __flang__
  ! Flang 19's own code for arrays crashes, on any runtime.
  !$omp parallel do reduction(+:histogram)
  do i = 1, n
    histogram(mod(i, 7)) = histogram(mod(i, 7)) + 1
  end do
  if (histogram(0) /= 34 .or. histogram(2) /= 35 .or. histogram(6) /= 34) error stop 'array'
#endif
end program reductions
