"""The pieces of generated programs (right_programs.py): each returns what a function does with memory of its own, and is right.

A piece is a function of a source of chance; it returns declarations and the body of a function without arguments whose result
is a whole number. `NAME` stands for a name that no other piece has.
"""

from right_pieces_c import C_HEAD, C_PIECES
from right_pieces_cxx import CXX_HEAD, CXX_PIECES
from right_pieces_fortran import FORTRAN_PIECES


def assemble_c(chance, pieces, head):
    text, names = head, []
    for i, piece in enumerate(pieces):
        declarations, body = piece(chance)
        name = f"piece{i}"
        names.append(name)
        text += f"\n{declarations}static __attribute__((noinline)) long NAME(void) {{\n{body}}}\n".replace("NAME", name)
    calls = "".join(f"  sum += {name}();\n" for name in names)
    return text + f'\nint main(void) {{\n  long sum = 0;\n{calls}  printf("%ld\\n", sum);\n  return 0;\n}}\n'


def assemble_fortran(chance, pieces):
    declarations, functions, calls = "", "", ""
    for i, piece in enumerate(pieces):
        shared, local, body = piece(chance)
        name = f"piece{i}"
        declarations += shared.replace("NAME", name)
        functions += f"  integer function NAME() result(total)\n{local}    total = 0\n{body}  end function\n".replace("NAME", name)
        calls += f"  all = all + {name}()\n"
    return (
        f"module pieces\n  use omp_lib\n  implicit none\n{declarations}contains\n{functions}end module\n\n"
        f"program right\n  use pieces\n  implicit none\n  integer :: all\n  all = 0\n{calls}  print *, all\nend program\n"
    )


def assemble(suffix, chance):
    """A program in the language with that suffix."""
    count = chance.randint(2, 5)
    if suffix == ".f90":
        return assemble_fortran(chance, [chance.choice(FORTRAN_PIECES) for _ in range(count)])
    if suffix == ".c":
        return assemble_c(chance, [chance.choice(C_PIECES) for _ in range(count)], C_HEAD)
    pieces = [chance.choice(CXX_PIECES if chance.random() < 0.7 else C_PIECES) for _ in range(count)]
    return assemble_c(chance, pieces, C_HEAD + CXX_HEAD)
