"""Writing a tree as Fortran. Each construct that one task executes is a procedure of its own, whose variables are new for every
execution; what adds to the variables of a construct outside gets these as arguments. The constructs of a team stand in the procedure of
its region, so that all threads see the same variables.

Flang 19 knows less of OpenMP than gfortran, and its code for `firstprivate` in tasks reads the variable when the task runs: for it
such clauses, and the checks of what they carry, are left out.
"""

from pathlib import Path

from programs.tree import Value
from programs.writer import Account, Here, Slot, Writer, flat, write_body

PRELUDE = (Path(__file__).resolve().parent / "prelude.F90").read_text()

MAIN = """
subroutine fuzz_run(number)
  use fuzz_programs
  integer, intent(in) :: number
  select case (number)
%s
  end select
end subroutine fuzz_run

function fuzz_count() result(count)
  integer :: count
  count = %d
end function fuzz_count
"""


class FortranWriter(Writer):
    """The lines of one program: procedures, of which one is being written."""

    def __init__(self, prefix):
        super().__init__(prefix, "fortran")
        self.declarations, self.privates = [], []

    def pragma(self, text):
        self.lines.append("!$omp " + " ".join(text.split()))

    def pragmas(self, clang, other):
        """One for Flang and one for gfortran."""
        for guard, text in (("#ifdef __flang__", clang), ("#else", other)):
            self.lines.append(guard)
            if text:
                self.pragma(text)
        self.lines.append("#endif")

    def end(self, directive):
        self.pragma(f"end {directive}")

    def open(self, text=""):
        if text:
            self.line(text)
        self.indent += 1

    def close(self, text=""):
        self.indent -= 1
        if text:
            self.line(text)

    def gfortran(self, *lines):
        """Lines that only gfortran sees."""
        self.lines.append("#ifndef __flang__")
        for line in lines:
            self.line(line)
        self.lines.append("#endif")

    def declare(self, ctype, letter, shape=""):
        """A variable of the procedure; returns its name."""
        name = self.name(letter)
        self.declarations.append(f"  {ctype} :: {name}{shape}")
        return name

    def private(self, ctype, letter, shape=""):
        """The same, private in the procedure's region."""
        name = self.declare(ctype, letter, shape)
        self.privates.append(name)
        return name

    def check(self, got, expected, what=None, line=None):
        what = (what or got).replace("'", "")
        (line or self.line)(f"call check_eq(__LINE__, '{what}', int({got}, 8), int({expected}, 8))")

    def procedure(self, here, write):
        """What write() writes becomes a procedure, which is called here; returns what write() does."""
        arguments = list(dict.fromkeys(str(account.main) for account in (here.account, here.group) if account))
        saved = self.lines, self.indent, self.declarations, self.privates
        self.lines, self.indent, self.declarations, self.privates = [], 1, [f"  integer(8), target :: {name}" for name in arguments], []
        result = write()
        name = self.global_name("u")
        self.globals.append(self.whole_procedure(name, arguments))
        self.lines, self.indent, self.declarations, self.privates = saved
        self.line(f"call {name}({', '.join(arguments)})")
        return result

    def whole_procedure(self, name, arguments):
        return "\n".join([f"recursive subroutine {name}({', '.join(arguments)})", *self.declarations, *flat(self.lines), f"end subroutine {name}"])


class FortranAccount(Account):
    """The variables that the body of one construct adds to. Each construct is written as often as it is repeated, so there is one of each."""

    def __init__(self, w, here):
        self.w, self.here, self.slots, self.ends = w, here, [], []
        self.hole = here.team.before if here.context == "team" else w.hole()
        name = w.declare("integer(8), target", "s")
        self.hole.line(f"{name} = 0")
        self.main = ScalarSlot(name, "integer(8)", 1, 0)
        self.slots.append(self.main)

    def check(self, mine, threads="1", line=None, everywhere=False):
        for slot in self.slots:
            a, b = mine.get(slot, (0, 0))
            self.w.check(slot.name, f"{a}" if not b else f"{a} + {b} * {threads}", line=line)


class ScalarSlot(Slot):
    """A variable by its name alone."""

    def __str__(self):
        return self.name


def credit(w, here, amount):
    """As in writer.py."""
    w.pragma("atomic")
    w.line(f"{here.account.main} = {here.account.main} + {amount}")
    return Value({here.account.main: (0, amount) if here.context == "team" else (amount, 0)})


def write_program(root, prefix):
    """The procedures of one program; the one called `prefix` is the whole of it."""
    w = FortranWriter(prefix)
    here = Here(context="one")
    account = FortranAccount(w, here)
    mine, rest = account.take(write_body(root.body, w, here.but(account=account)))
    assert not rest, rest
    account.check(mine)
    w.globals.append(w.whole_procedure(prefix, []))
    return "\n".join(w.globals) + "\n"


def whole(trees):
    """A source file of these trees: (name, tree)."""
    names = [name for name, _ in trees]
    cases = "\n".join(f"  case ({number})\n    call {name}()" for number, name in enumerate(names))
    programs = "\n".join(write_program(tree, name) for name, tree in trees)
    return "\n".join([PRELUDE, "module fuzz_programs", "use fuzz_base", "implicit none", "contains", programs, "end module fuzz_programs",
                      MAIN % (cases, len(names))])
