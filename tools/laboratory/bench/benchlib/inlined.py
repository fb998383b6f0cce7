"""tools/bench inlined: programs that `chomp cc --inline` has compiled, without and with its pass, beside the same on the shared library."""

from __future__ import annotations

import argparse
import datetime
import pathlib
import re
import shlex
import statistics

from harness import engine, files
from harness.machine import commit, load_average, machine
from harness.running import Failed, run_program
from harness.tables import as_markdown, wrapped
from harness.turns import Progress, in_turn
from programs import Case, cases

from . import build as building
from . import catalog, crowd, runtimes, start
from .callgrind import instructions_per_unit
from .measure import Mode

VARIANTS = ("shared", "inlined", "pass")
FIB = {"fib_tied": "tied", "fib_untied": "untied", "fib_call_one": "fork-call", "fib_if_zero": "`if(0)`"}
TIMED = r"^forkjoin-(fib/tied|skynet/untied|nqueens/untied)$"
KERNELS = r"^bots.*/tied(-fine)?$"  # one version of each
LIMIT_S = 120
HEADING = "## Inlined programs"


def parse_arguments(argv: list[str]) -> argparse.Namespace:
    """The options."""
    p = argparse.ArgumentParser(prog="tools/bench inlined", description=__doc__)
    p.add_argument("--chomp", default=str(building.ROOT / "build" / "release" / "lib"), metavar="DIR",
                   help="folder of libomp.so, chomp-inline.bc and the pass (the targets omp and inlined; default: build/release/lib)")
    p.add_argument("--threads", default="1,2", metavar="LIST", help="for times; the last is that of the kernels (default: %(default)s)")
    p.add_argument("--filter", default="", metavar="REGEX", help="only the programs whose name/version it finds")
    p.add_argument("--quick", action="store_true", help="small inputs")
    p.add_argument("--rounds", type=int, default=11, metavar="N", help="processes of each, in turn; 0: instructions alone (default %(default)s)")
    p.add_argument("--times", action="store_true", help="times alone, which need no valgrind")
    p.add_argument("--build-only", action="store_true", help="only compile the programs; a machine without the compiler runs what is there")
    p.add_argument("--page", action="store_true", help="put the tables into measured.md")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR")
    p.add_argument("--clang", default="clang-19", help="the version that built the pass (default: %(default)s)")
    return p.parse_args(argv)


class Builds:
    """Each program, compiled in each way."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.folder, self.library = args, pathlib.Path(args.build).resolve(), pathlib.Path(args.chomp).resolve()
        self.runtime = runtimes.with_soname(self.folder, "chomp", "clang", self.library / "libomp.so")
        bitcode = self.library / "chomp-inline.bc"
        passes = sorted(self.library.glob(f"chomp-inline-clang{re.sub('[^0-9]', '', pathlib.Path(args.clang).name) or '*'}.so"))
        if not bitcode.exists() or not passes:
            raise SystemExit(f"bench: {self.library} has no chomp-inline.bc, or no pass for {args.clang}: build the target inlined")
        inlined = ["-Xclang", "-mlink-bitcode-file", "-Xclang", str(bitcode)]
        self.flags: dict[str, list[str]] = {"shared": [], "inlined": inlined, "pass": [*inlined, f"-fpass-plugin={passes[-1]}"]}
        self.known = [bitcode, *passes]

    def of(self, name: str, variant: str) -> pathlib.Path:
        """The executable of a program of bots/, or of a pattern."""
        compiler = f"inlined-{variant}"
        build = building.build_external if "-" in name else building.build_c_program
        program = build(self.folder, compiler, self.args.clang, name, self.flags[variant], self.known)
        assert program is not None  # the tree has bots/
        return program


def instructions(builds: Builds) -> list[list[str]]:
    """A column for each way in which fib makes tasks."""
    patterns = [pattern for pattern in catalog.CATALOG if pattern.name in FIB]
    lines = [["instructions", *(FIB[pattern.name] for pattern in patterns)]]
    for variant in VARIANTS:
        counts = (instructions_per_unit(builds.of("fib", variant), pattern, builds.runtime, Mode("1", 1)) for pattern in patterns)
        lines.append([variant, *(f"{count:.0f}" for count in counts)])
    return lines


class Times:
    """Seconds of each case, with so many threads, in each variant."""

    def __init__(self, builds: Builds, chosen: list[tuple[Case, str, tuple[str, ...]]], rounds: int) -> None:
        self.seconds: dict[tuple[str, str, str], list[float]] = {}
        progress = Progress("bench inlined", rounds * len(chosen))
        for turn in range(rounds):
            for case, threads, variants in chosen:
                progress.show(f"{case.name}, {threads} threads, round {turn + 1}")
                for variant in in_turn(variants, turn):
                    command = [str(builds.of(case.program, variant)), *shlex.split(case.arguments), "-v", case.version, "-c"]
                    said = run_program(command, {**builds.runtime.environment(), "OMP_NUM_THREADS": threads}, LIMIT_S)
                    found = re.search(r"Time Program\s*=\s*([0-9.eE+-]+)", said)
                    if found is None or "UNSUCCESSFUL" in said:
                        raise Failed("wrong", f"{case.name}, {variant}")
                    self.seconds.setdefault((case.name, threads, variant), []).append(float(found[1]))
                progress.finished(f"{case.name}, {threads} threads, round {turn + 1}")
        progress.end()

    def beside(self, case: str, threads: str, variant: str) -> engine.Verdict:
        """The variant beside the shared library."""
        return engine.judge(self.seconds[case, threads, variant], self.seconds[case, threads, "shared"])

    def table(self, timed: list[Case], threads: list[str]) -> list[list[str]]:
        """Medians, and how many times as fast."""
        heads = [f"{variant}, {count}" for count in threads for variant in VARIANTS]
        lines = [["ms, median; times as fast as shared", *heads]]
        for case in timed:
            row = [case.name.partition("-")[2].replace("/", ", ")]
            for count in threads:
                for variant in VARIANTS:
                    cell = f"{1000 * statistics.median(self.seconds[case.name, count, variant]):.3g}"
                    row.append(cell if variant == "shared" else f"{cell}; {said(self.beside(case.name, count, variant))}")
            lines.append(row)
        return lines

    def summary(self, timed: list[Case], kernels: list[Case], threads: list[str]) -> list[list[str]]:
        """The pass beside the shared library: each program; of the kernels the mean and the worst, settled or not."""
        lines = [["times as fast", *(case.program.partition("-")[2] for case in timed), "kernels", "worst"]]
        for count in threads:
            beside = {case.program.partition("-")[2]: self.beside(case.name, count, "pass") for case in kernels if count == threads[-1]}
            mean = f"{statistics.geometric_mean(verdict.ratio or 1 for verdict in beside.values()):.2f}" if beside else "–"
            worst = min(beside, key=lambda name: beside[name].ratio or 0, default="")
            lines.append([f"{count} thread{'s' * (count != '1')}", *(said(self.beside(case.name, count, "pass")) for case in timed), mean,
                          f"{said(beside[worst])}, {worst}" if worst else "–"])
        return lines


def said(verdict: engine.Verdict) -> str:
    """A ratio with its interval."""
    return f"{verdict.ratio:.2f}" + ("" if verdict.low is None else f" ({verdict.low:.2f}–{verdict.high:.2f})")


def put_on_page(text: str) -> None:
    """In place of the section of that name."""
    page = re.sub(rf"{HEADING}\n.*?(?=## )", "", start.PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    files.write(start.PAGE, re.sub(rf"(?=(?:{crowd.HEADING}|{start.HEADING})\n)", lambda _: f"{HEADING}\n\n{text}\n\n", page, count=1))


def main(argv: list[str]) -> int:
    """Measures, and prints the tables."""
    args = parse_arguments(argv)
    threads = args.threads.split(",")
    builds = Builds(args)
    timed, kernels = ([case for case in cases("small" if args.quick else size, of) if re.search(args.filter, case.name)]
                      for size, of in (("large", TIMED), ("medium", KERNELS)))
    chosen = [*((case, count, VARIANTS) for case in timed for count in threads), *((case, threads[-1], ("shared", "pass")) for case in kernels)]
    for name, variants in {"fib": VARIANTS, **{case.program: ways for case, _, ways in chosen}}.items():
        for variant in variants:
            builds.of(name, variant)
    if args.build_only:
        return 0
    host, load, parts = machine(), load_average(), []
    try:
        if not args.times:
            parts.append(as_markdown(instructions(builds)))
        if args.rounds > 0:
            times = Times(builds, chosen, args.rounds)
            print(as_markdown(times.table(timed, threads)) + "\n")
            parts.append(as_markdown(times.summary(timed, kernels, threads)))
    except Failed as failure:
        print(f"bench inlined: {failure}")
        return 1
    text = "\n\n".join([wrapped(f"`chomp cc --inline` beside the shared library. {datetime.date.today().isoformat()}, {host['cpu']}, {host['cpus']} CPUs, "
                                f"load {load:.2f}, commit {commit()}, `tools/bench inlined`."), *parts])
    print(text)
    if args.page:
        put_on_page(text)
    return 0
