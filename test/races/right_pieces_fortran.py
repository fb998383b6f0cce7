"""Pieces of generated programs (right_pieces.py) in Fortran."""


def fortran_loop(chance):
    count = chance.randint(5, 30)
    return (
        f"  integer, save :: NAME_list({count}), NAME_first = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel do reduction(+:total){chance.choice(["", " schedule(dynamic)", " schedule(static,2)"])}
    do i = 1, {count}
      if (i == {chance.randint(1, count)}) NAME_first = NAME_first + 1
      NAME_list(i) = 2 * i
      total = total + NAME_list(i)
    end do
    !$omp end parallel do
    total = total + NAME_first
""",
    )


def fortran_tasks(chance):
    count = chance.randint(2, 8)
    return (
        f"  integer, save :: NAME_list({count}) = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel
    !$omp single
    do i = 1, {count}
      !$omp task firstprivate(i)
      NAME_list(i) = NAME_list(i) + i
      !$omp end task
    end do
    !$omp taskwait
    total = sum(NAME_list)
    !$omp end single
    !$omp end parallel
""",
    )


def fortran_chain(chance):
    count = chance.randint(2, 6)
    return (
        f"  integer, save :: NAME_list(0:{count}) = 1\n",
        "    integer :: i\n",
        f"""    !$omp parallel
    !$omp master
    do i = 1, {count}
      !$omp task firstprivate(i) depend(in: NAME_list(i - 1)) depend(inout: NAME_list(i))
      NAME_list(i) = NAME_list(i) + NAME_list(i - 1)
      !$omp end task
    end do
    !$omp end master
    !$omp end parallel
    total = NAME_list({count})
""",
    )


def fortran_memory(chance):
    return (
        "  integer, save :: NAME_list(6) = 0\n",
        "    integer :: i\n    integer, allocatable :: own(:)\n    character(len=40) :: buffer\n",
        f"""    !$omp parallel
    !$omp single
    do i = 1, {chance.randint(2, 6)}
      !$omp task firstprivate(i) private(own, buffer)
      allocate (own({chance.choice([4, 100, 3000])}))
      own = i
      write (buffer, '(I0,A)') own(1), ' text'
      NAME_list(i) = own(2) + len_trim(buffer)
      deallocate (own)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    total = sum(NAME_list)
""",
    )


def fortran_exclusive(chance):
    how = chance.choice(["critical", "atomic"])
    end = "    !$omp end critical\n" if how == "critical" else ""
    return (
        "  integer, save :: NAME_count = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel do
    do i = 1, {chance.randint(3, 12)}
      !$omp {how}
      NAME_count = NAME_count + i
  {end}    end do
    !$omp end parallel do
    total = NAME_count
""",
    )


def fortran_own(chance):
    return (
        "  integer, save :: NAME_own = 0\n  !$omp threadprivate(NAME_own)\n",
        "    integer :: i\n",
        f"""    NAME_own = 2
    !$omp parallel copyin(NAME_own) reduction(+:total)
    NAME_own = NAME_own + 1
    !$omp do
    do i = 1, {chance.randint(2, 9)}
      total = total + i
    end do
    !$omp end do
    total = total + merge(0, 100, NAME_own == 3)
    !$omp end parallel
""",
    )


def fortran_workshare(chance):
    return (
        "  real(8), save :: NAME_a(8, 8) = 1, NAME_b(8, 8) = 2, NAME_c(8, 8) = 0\n",
        "",
        """    !$omp parallel
    !$omp workshare
    NAME_c = NAME_a + 2 * NAME_b
    NAME_a(:, 1) = NAME_c(1, :)
    !$omp end workshare
    !$omp sections
    !$omp section
    NAME_a(1, :) = 3
    !$omp section
    NAME_b = matmul(NAME_c, NAME_c)
    !$omp end sections
    !$omp end parallel
    total = int(sum(NAME_a) + sum(NAME_b))
""",
    )


def fortran_taskloop(chance):
    count = chance.randint(3, 12)
    return (
        f"  integer, save :: NAME_list({count}) = 0\n",
        "    integer :: i\n",
        f"""    !$omp parallel
    !$omp single
    !$omp taskloop grainsize({chance.randint(1, 3)})
    do i = 1, {count}
      NAME_list(i) = 3 * i
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    total = sum(NAME_list(1:{count}:2))
""",
    )


def fortran_contained(chance):
    count = chance.randint(3, 9)
    return (
        "",
        f"    integer :: i, list({count})\n    integer(1) :: small\n    real(8) :: sums(2)\n    real :: last\n    complex(8) :: pair\n    logical :: all\n    character(len=8) :: text\n",
        f"""    list = 1
    small = 3
    sums = 0
    last = 1.5
    pair = (1, 2)
    all = .true.
    text = 'abc'
    !$omp parallel do num_threads({chance.randint(2, 3)}) private(text)
    do i = 1, {count}
      call add(i)
      text = 'd' // text
    end do
    !$omp parallel sections
    !$omp section
    call change
    !$omp section
    if (.not. all) total = total + 1
    !$omp end parallel sections
    total = total + sum(list) + small + int(sums(1) + 2 * sums(2) + last + real(pair)) + merge(1, 0, text == 'abc')
  contains
    subroutine add(i)
      integer, intent(in) :: i
      list(i) = list(i) + i * small
      !$omp critical
      sums(1 + iand(i, 1)) = sums(1 + iand(i, 1)) + i * 0.5_8 * last
      !$omp end critical
    end subroutine
    subroutine change
      small = small + 1_1
      last = sqrt(last * last) + 1
      pair = pair * (0, 1)
    end subroutine
""",
    )


FORTRAN_PIECES = [
    fortran_contained,
    fortran_loop,
    fortran_tasks,
    fortran_chain,
    fortran_memory,
    fortran_exclusive,
    fortran_own,
    fortran_workshare,
    fortran_taskloop,
]
