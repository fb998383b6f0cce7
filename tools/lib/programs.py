"""The programs of bots/ and uts/: which versions they have and with which inputs, small, medium and large, they are run.

One table for all that runs them: tools/quickstart, tools/bench programs and `lit bots uts`. Every program prints
`Verification = SUCCESSFUL` and `Time Program = <seconds>`, with `-s` also `Time Sequential`, and exits with 0 exactly if its
answer is right.

Sizes: small takes milliseconds, also in a build with a sanitizer; medium a few tenths of a second on two CPUs, checking
and serial run included; large about a second, on libomp sometimes many.
"""

import re
from dataclasses import dataclass

SIZES = ("small", "medium", "large")


@dataclass(frozen=True)
class Inputs:
    """Some versions of a program that are run with the same command lines.

    `cutoff`: the versions limit their tasks' number, by depth or by the size of a leaf; None where that is no question. Programs that do it by size alone have
    two inputs for one version, told apart by `grain`: "fine", whose leaves are so small that it stands for "without cut-off",
    and "coarse".
    """

    versions: tuple
    cutoff: bool | None
    small: str
    medium: str
    large: str
    grain: str = ""
    modelled: str = ""  # for tools/scale --versions, if small is too small: 1 to 20 ms of one thread of that machine


@dataclass(frozen=True)
class Program:
    name: str  # of the executable
    inputs: tuple


@dataclass(frozen=True)
class Case:
    """One version of a program on one of its inputs."""

    program: str
    version: str
    grain: str
    cutoff: bool | None
    arguments: str

    @property
    def test(self):
        """Its name inside the program."""
        return self.version + (f"-{self.grain}" if self.grain else "")

    @property
    def name(self):
        return f"{self.program}/{self.test}"

    @property
    def command(self):
        return f"{self.program} {self.arguments} -v {self.version} -c -s"


def both(*kinds):
    """The tied and the untied version of each kind; "" is the plain one."""
    return tuple(tied + (f"-{kind}" if kind else "") for kind in kinds for tied in ("tied", "untied"))


PLAIN = both("")
CLAUSES = both("if", "final")
MANUAL = both("manual")


def by_depth(name, none, clauses, manual, *more, modelled=("", "", "")):
    """A recursive program: every version of the suite. Without cut-off, with a clause and with the program's own test it does very
    different amounts of work, so each has sizes of its own."""
    return Program(name, (*(Inputs(versions, cutoff, *sizes, modelled=larger) for versions, cutoff, sizes, larger in
                            zip((PLAIN, CLAUSES, MANUAL), (False, True, True), (none, clauses, manual), modelled)), *more))


def by_size(name, versions, fine, coarse, modelled=("", "")):
    return Program(name, (Inputs(versions, False, *fine, "fine", modelled[0]), Inputs(versions, True, *coarse, "coarse", modelled[1])))


def kernel(name, versions, small, medium, large, modelled):
    return Program(name, (Inputs(versions, None, small, medium, large, modelled=modelled),))


CONCOM = ("-n 5000 -y 200", "-n 400000", "-n 2000000")
FLOORPLAN = ("-n 12", "-n 22", "-n 25")
HEALTH = ("-n 4 -t 40", "-n 6 -t 150", "-n 7 -t 200")
KNAPSACK = ("-n 30", "-n 50", "-n 60")
NQUEENS = ("-n 7", "-n 11", "-n 12")
UTS_MODELLED = "-t 0 -b 1000 -q 0.12 -m 8 -r 42"
STRASSEN = ("-n 128 -y 16", "-n 1024 -y 16", "-n 2048 -y 16")

TABLE = (
    Program("bots-alignment", (
        Inputs(both("", "for", "taskloop"), False, "-n 12 -a 20 -b 120", "-n 50", "-n 100"),)),
    by_size("bots-cholesky", both("", "depend"),
            ("-n 128 -y 8", "-n 640 -y 8", "-n 1024 -y 8"), ("-n 256 -y 64", "-n 2048 -y 64", "-n 4096 -y 64"),
            modelled=("-n 256 -y 8", "-n 512 -y 64")),
    by_depth("bots-concom", CONCOM, CONCOM, CONCOM, modelled=("-n 100000",) * 3),
    Program("bots-fft", (
        Inputs(both("", "taskloop"), False, "-n 16384 -y 16", "-n 2097152 -y 16", "-n 8388608 -y 16", "fine", "-n 65536 -y 16"),
        Inputs(both("", "taskloop"), True, "-n 65536", "-n 4194304", "-n 8388608", "coarse", "-n 262144"),
        Inputs(MANUAL, True, "-n 65536", "-n 4194304", "-n 8388608", modelled="-n 262144"))),
    by_depth("bots-fib", ("-n 18", "-n 28", "-n 30"), ("-n 20 -x 5", "-n 33 -x 12", "-n 35 -x 12"),
             ("-n 24 -x 6", "-n 40 -x 12", "-n 42 -x 12"), modelled=("-n 23", "-n 24 -x 9", "-n 30 -x 12")),
    by_depth("bots-floorplan", FLOORPLAN, FLOORPLAN, FLOORPLAN),
    by_depth("bots-health", HEALTH, HEALTH, HEALTH, modelled=("-n 5 -t 60",) * 3),
    by_depth("bots-knapsack", KNAPSACK, KNAPSACK, ("-n 30", "-n 60", "-n 70")),
    by_depth("bots-nqueens", NQUEENS, ("-n 7", "-n 12", "-n 13"), ("-n 8", "-n 12", "-n 13"),
             Inputs(both("reduction"), False, *NQUEENS, modelled="-n 9"), modelled=("-n 9", "-n 9", "-n 10")),
    by_size("bots-sort", PLAIN, ("-n 50000 -y 64 -a 64", "-n 1048576 -y 64 -a 64", "-n 4194304 -y 64 -a 64"),
            ("-n 100000", "-n 4194304", "-n 16777216")),
    by_size("bots-sparselu", both("", "for", "depend"),
            ("-n 12 -m 8", "-n 64 -m 8", "-n 96 -m 8"), ("-n 10 -m 16", "-n 28 -m 64", "-n 48 -m 64"),
            modelled=("-n 32 -m 8", "-n 16 -m 32")),
    by_depth("bots-strassen", STRASSEN, ("-n 128 -y 16", "-n 1024 -y 32", "-n 2048 -y 32"),
             ("-n 256 -y 32", "-n 1024 -y 64", "-n 2048 -y 64"), Inputs(both("depend"), False, *STRASSEN, modelled="-n 256 -y 16"),
             modelled=("-n 256 -y 16", "-n 256 -y 16", "")),
    # T3 is four million nodes: with a task for each of them on a slow runtime that is seconds, so medium is a smaller tree of its kind.
    Program("uts", (
        Inputs(both("", "reduction"), False, "-t 0 -b 200 -q 0.12 -m 8 -r 42", "-t 0 -b 500 -q 0.124875 -m 8 -r 42", "-T T3",
               modelled=UTS_MODELLED),
        Inputs(both("inner"), False, "-t 0 -b 200 -q 0.12 -m 8 -r 42", "-T T3", "-T T3", modelled=UTS_MODELLED))),
    kernel("epcc-data", ("copyprivate", "private", "firstprivate", "copyin", "reduction"), "-n 200", "-n 20000", "-n 400000", "-n 500"),
    kernel("epcc-schedules", ("static", "static-chunk", "dynamic", "dynamic-chunk", "monotonic-chunk", "guided", "guided-chunk", "auto"),
           "-n 1000 -t 5", "-n 100000 -t 20", "-n 1000000 -t 40", "-n 4000 -t 10"),
    kernel("epcc-sync", ("for", "barrier", "single", "critical", "lock", "atomic", "ordered", "parallel", "parallel-for", "reduction"),
           "-n 200", "-n 20000", "-n 400000", "-n 500"),
    kernel("epcc-tasks", ("parallel", "master", "busy", "conditional", "wait", "barrier", "nested", "nested-master", "branch", "leaf"),
           "-n 2000", "-n 200000", "-n 2000000", "-n 10000"),
    kernel("forkjoin-fib", PLAIN, "-n 18", "-n 28", "-n 34", "-n 20"),
    kernel("forkjoin-matmul", PLAIN, "-n 64 -y 24", "-n 512", "-n 1024", "-n 96"),
    kernel("forkjoin-nqueens", PLAIN, "-n 7", "-n 11", "-n 13", "-n 8"),
    kernel("forkjoin-skynet", PLAIN, "-n 3", "-n 6", "-n 7", "-n 4"),
    kernel("flow-jacobi", (*both("", "depend"), "for"), "-n 64 -y 16 -t 4", "-n 2048 -y 64 -t 20", "-n 4096 -y 64 -t 100",
           "-n 256 -y 32 -t 5"),
    kernel("flow-lu", both("", "depend"), "-n 64 -y 8", "-n 768 -y 16", "-n 2048 -y 32", "-n 192 -y 16"),
    kernel("flow-qr", both("", "depend"), "-n 64 -y 8", "-n 512 -y 16", "-n 1536 -y 32", "-n 128 -y 16"),
    kernel("loops-cg", ("team", "regions"), "-n 2000 -t 10", "-n 100000 -t 50", "-n 1000000 -t 50", "-n 5000 -t 10"),
    kernel("loops-ft", ("team", "regions"), "-n 3 -t 2", "-n 6 -t 4", "-n 7 -t 10", "-n 4 -t 2"),
    kernel("loops-lu", ("depend", "doacross", "diagonals"), "-n 16 -y 4 -t 2", "-n 128 -y 8 -t 6", "-n 256 -y 8 -t 10", "-n 32 -y 4 -t 3"),
    kernel("loops-mg", ("team", "regions"), "-n 3 -t 2", "-n 6 -t 8", "-n 7 -t 6", "-n 4 -t 2"),
)

TARGETS = [program.name for program in TABLE]


def cases(size="medium", pattern=""):
    """All of them, in the table's order; `pattern` is a regular expression that their names match."""
    every = [Case(program.name, version, inputs.grain, inputs.cutoff, getattr(inputs, size) or inputs.small)
             for program in TABLE for inputs in program.inputs for version in inputs.versions]
    return [case for case in every if re.search(pattern, case.name)]




def place_of(program):
    """Where a program's source is: its suite, a folder of the tree, and its folder there."""
    if program == "uts":
        return "uts", ""
    kind, _, name = program.partition("-")
    return ("bots", name) if kind == "bots" else ("bots/kernels", kind)


# What tools/quickstart runs, with the library built in three minutes of CPU time: of each program of bots/ and uts/ the plain version, where runtimes
# differ most, and of two their own cut-off.
FEW = r"^(bots|uts).*/tied(-fine)?$|^bots-(fib|nqueens)/tied-manual$"
