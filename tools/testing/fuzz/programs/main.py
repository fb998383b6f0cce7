"""Generates random conforming OpenMP programs, and runs them on the library under random settings. Each checks its own answer.

  tools/fuzz programs                              a minute
  tools/fuzz programs --count 1000 --seed 7        the programs 7 to 1006
  tools/fuzz programs --fortran                    the same in Fortran
  tools/fuzz programs --seed 12345 --count 1 --show  the source of one
  tools/fuzz programs --add build/fuzz/found/program-7.c taskwait_sees_all   a test of test/regression from one

A failure of this library alone is reduced, and kept in build/fuzz/found/. Exit status: 0 no failure of the library, 1
some, 2 a program that did not compile, 77 there is no compiler or library. More: tools/testing/fuzz/README.md.
"""

import collections
import concurrent.futures
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

import screen
from programs import compilers, found, reducing, settings as settings_, source
from programs.generator import kinds_in
from programs.running import ROOT, Runner, signs
from programs.tree import KINDS, Unfit, smaller_trees

NOTHING_TO_RUN = 77
ALONE_RUNS = 12
REDUCE_S = 240


def say(text=""):
    print(text, flush=True)


def shown(path):
    """A path as people read it."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def signs_of(outcomes):
    return {sign for outcome in outcomes for sign in signs(outcome.how, outcome.said)}


class Session:
    """What was run and found."""

    def __init__(self, options):
        self.options = options
        self.compilers = compilers.find(options.compilers.split(",") if options.compilers else None, options.fortran)
        self.runner = Runner(options.library, options.preload, options.sanitizer)
        self.folder = Path(tempfile.mkdtemp(prefix="chomp-fuzz-"))
        self.programs = self.runs = 0
        self.stopped = False
        self.kinds, self.kind_failures = collections.Counter(), collections.Counter()
        self.ours, self.others, self.uncompiled = [], [], []

    def extra(self):
        """A sanitizer's run time comes from the program."""
        if not self.options.sanitizer:
            return []
        flags = {"address": ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"], "thread": ["-fsanitize=thread"]}
        return [*flags[self.options.sanitizer], f"-L{self.options.library}", f"-Wl,-rpath,{self.options.library}"]

    def configs(self, rng):
        """How a batch is compiled: by every family of compilers once, at a random level; or in every way."""
        found_ = [c for c in self.compilers if not self.options.sanitizer or c.family == "clang"]
        if self.options.every_way:
            return [compilers.Config(c, level) for c in found_ for level in compilers.LEVELS]
        return [compilers.Config(c, rng.choice(compilers.LEVELS)) for c in found_]

    # ---- One batch ---------------------------------------------------------------------------------------------------

    def batch(self, first, count):
        language = source.language_of(first, self.options.fortran)
        rng = random.Random(f"settings {first} {self.options.salt}")
        trees = source.batch(first, count, language, self.options.only)
        file = self.folder / f"batch-{first}{found.suffix(language)}"
        file.write_text(source.whole(trees, language))
        for config in self.configs(rng):
            chosen = [settings_.random_settings(rng) for _ in range(self.options.settings)]
            if "threadprivate" in file.read_text():  # light threads share such variables
                chosen = [({name: value for name, value in each.items() if name != "CHOMP_NESTED"}, roots) for each, roots in chosen]
            self.one_config(file, trees, first, language, config, chosen)
        file.unlink()
        self.programs += len(trees)
        for _, tree in trees:
            self.kinds.update(kinds_in(tree))

    def one_config(self, file, trees, first, language, config, chosen):
        program = file.with_suffix(f".{config.compiler.c}{config.level}")
        said = compilers.compile_source(config, file, program, language, self.extra())
        if said is not None:
            kept = self.options.found / file.name
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, kept)
            self.uncompiled.append(f"seeds from {first}, {compilers.title(config)}")
            say(f"does not compile: {self.uncompiled[-1]}, kept in {shown(kept)}\n" + "\n".join(said.splitlines()[:12]))
            return
        for settings, roots in chosen if not self.stopped else ():
            numbers, bad = list(range(len(trees))), set()
            while numbers:  # after a crash, the rest
                outcome = self.runner.run(program, settings, roots, numbers)
                self.runs += 1
                bad.update((number, outcome.how, outcome.said) for number in outcome.failed)
                if outcome.how in ("", "wrong") or not outcome.failed:
                    if outcome.how and not outcome.failed:
                        bad.add((numbers[0], outcome.how, outcome.said))
                    break
                numbers = [number for number in numbers if number > outcome.failed[0]]
            for number, how, text in sorted(bad) if not self.stopped else ():
                self.investigate(trees[number][1], first + number, number, language, config, settings, roots, how, text, program)
        program.unlink()

    # ---- One failure -------------------------------------------------------------------------------------------------

    def investigate(self, tree, seed, number, language, config, settings, roots, how, text, batch):
        self.kind_failures.update(kinds_in(tree))
        where = f"seed {seed}, {compilers.title(config)}, {settings_.as_text(settings, roots)}"
        say(f"{how}: {where}")
        say("\n".join("  " + line for line in text.splitlines()[-25:] if not line.startswith("begin")))
        alone = self.build(tree, language, config)
        if alone is None:
            return
        limit = 20 if how == "hang" else 60
        runs = 4 if how == "hang" else ALONE_RUNS
        ours = self.failures(alone, settings, roots, runs, limit)
        control = [] if self.options.sanitizer else self.failures(alone, settings, roots, runs, limit, control=True)
        other = compilers.Config(config.compiler, next(level for level in compilers.LEVELS if level != config.level))
        second = self.build(tree, language, other, "-other")
        others = self.failures(second, settings, roots, runs, limit) if second else []
        report = [f"{how}: {where}", f"alone {len(ours)} of {runs} runs fail, at {other.level} {len(others)}; on the compiler's own runtime {len(control)}"]
        only_here = (signs(how, text, number) | signs_of(ours)) - signs_of(control)
        if control and only_here:
            report.append("what the compiler's own runtime does not do: " + ", ".join(f"{each} {what}" for each, what in sorted(only_here)))
        say("\n".join("  " + line for line in report[1:]))
        smaller = self.fails_only_here(tree, language, config, settings, roots, runs, limit) if control and not only_here else None
        if smaller:
            report.append("a part of it fails here alone")
            say("  " + report[-1])
            tree, control = smaller, []
        elif control and not only_here:
            self.others.append(where)
            say("  verdict: compiler or program")
            found.keep(self.options.found, f"{seed}-control", tree, language, config, settings, roots, report)
            return
        again = 0
        if not ours:
            again = sum(bool(self.runner.run(batch, settings, roots, range(number + 1)).how) for _ in range(5))
            report.append(f"after the programs before it, {again} of 5 runs fail")
            say("  " + report[-1])
        self.ours.append(where)
        if ours:
            tree, settings, roots = self.reduce(tree, language, config, settings, roots, len(ours) / runs, limit, bool(control))
        path = found.keep(self.options.found, seed, tree, language, config, settings, roots, report)
        said = text.splitlines()[-200:]
        path.with_suffix(".txt").write_text("\n".join([*report, *said]) + "\n")
        say(f"  verdict: the library's; kept in {shown(path)} ({tree.size() - 1} constructs). To make a test of it:")
        say(f"    tools/fuzz programs --add {shown(path)} NAME_OF_THE_PROPERTY")

    def build(self, tree, language, config, name=""):
        file = self.folder / f"alone{name}{found.suffix(language)}"
        try:
            file.write_text(source.whole([("program", tree)], language))
        except Unfit:
            return None
        program = file.with_suffix("")
        return None if compilers.compile_source(config, file, program, language, ["-g", *self.extra()]) else program

    def failures(self, program, settings, roots, runs, limit, control=False):
        """The outcomes of those runs that fail."""
        if control:
            settings = settings_.for_control(settings)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            done = [pool.submit(self.runner.run, program, settings, roots, (), control, limit) for _ in range(runs)]
            return [each.result() for each in done if each.result().how]

    def fails_only_here(self, tree, language, config, settings, roots, runs, limit):
        """A hang is like any other, and so is a crash: what the compiler's own runtime does not survive may hide a fault of ours elsewhere in
        the program. A smaller tree that fails here and not there, or nothing."""
        end = time.monotonic() + self.options.reduce / 4
        for smaller in smaller_trees(tree):
            if self.stopped or time.monotonic() > end:
                return None
            program = self.build(smaller, language, config, "-smaller")
            if program and self.failures(program, settings, roots, runs, limit) and not self.failures(program, settings, roots, runs, limit, control=True):
                return smaller
        return None

    def reduce(self, tree, language, config, settings, roots, rate, limit, control):
        """control: the compiler's own runtime fails too, in another way: so does what is left, or the other failure is what would be kept."""
        runs = reducing.runs_for(rate)
        say(f"  reducing {tree.size() - 1} constructs, {runs} runs for each step")

        def fails_here(program, settings, roots):
            for _ in range(runs):
                outcome = self.runner.run(program, settings, roots, (), False, limit)
                if outcome.how:
                    seen = signs(outcome.how, outcome.said)
                    return not control or bool(seen - signs_of(self.failures(program, settings, roots, runs, limit, control=True)))
            return False

        def fails(smaller):
            if self.stopped:
                return False
            program = self.build(smaller, language, config, "-smaller")
            return program is not None and fails_here(program, settings, roots)

        tree = reducing.reduce(tree, fails, self.options.reduce)
        program = self.build(tree, language, config, "-smaller")
        if program is None:
            return tree, settings, roots
        return (tree, *reducing.reduce_settings(settings, roots, lambda fewer, r: fails_here(program, fewer, r), self.options.reduce / 4))

    # ---- The whole ---------------------------------------------------------------------------------------------------

    def table(self):
        say(f"{'construct':<22} {'programs':>9} {'failures':>9}")
        for name in sorted(KINDS):
            if self.kinds[name]:
                say(f"{name:<22} {self.kinds[name]:>9} {self.kind_failures[name]:>9}")

    def summary(self, seconds):
        say()
        self.table()
        say(f"{self.programs} programs, {self.runs} runs in {seconds:.0f} s, seeds from {self.options.seed}: {len(self.ours)} failures of the library, "
            f"{len(self.others)} of compiler or program, {len(self.uncompiled)} files that do not compile")
        for where in self.ours:
            say(f"  failed: {where}")


def parse(arguments):
    parser = screen.parser("tools/fuzz programs", "", __doc__)
    parser.add_argument("--count", type=int, help="so many programs")
    parser.add_argument("--seconds", type=float, help="for so long (60)")
    parser.add_argument("--seed", type=int, help="the number of the first program (random)")
    parser.add_argument("--fortran", action="store_true", help="programs in Fortran, not in C and C++")
    parser.add_argument("--compilers", metavar="NAMES", help="by comma: clang-19, clang-22, gcc; gfortran, flang-new-19 (those that are here)")
    parser.add_argument("--every-way", action="store_true", help="each program at every level of each compiler, not one level of each")
    parser.add_argument("--settings", type=int, default=2, help="runs of each compiled file, each under other settings (2)")
    parser.add_argument("--only", metavar="KINDS", help="these kinds of constructs, by comma")
    parser.add_argument("--without", metavar="KINDS", help="no such constructs, by comma")
    parser.add_argument("--jobs", type=int, default=1, help="batches at a time (1)")
    parser.add_argument("--sanitizer-build", metavar="DIR", help="a build with a sanitizer, such as build/address or build/thread")
    parser.add_argument("--library", type=Path, default=ROOT / "build" / "release" / "lib", help="the folder of the library (build/release/lib)")
    parser.add_argument("--preload", metavar="FILE", help="preloaded before the library: to try the tool on a library that is wrong")
    parser.add_argument("--found", type=Path, default=found.FOUND, metavar="DIR", help="where failures are kept (build/fuzz/found)")
    parser.add_argument("--reduce", type=float, default=REDUCE_S, metavar="SECONDS", help="for how long a failure is reduced (240)")
    parser.add_argument("--explore", type=int, metavar="RUNS", help="each under `chomp explore`, and once more with a race planted: are the verdicts right?")
    parser.add_argument("--show", action="store_true", help="print the source of the programs, run nothing")
    parser.add_argument("--add", nargs=2, metavar=("FILE", "NAME"), help="make a test of test/regression from what was found")
    screen.help_for(parser)
    options = parser.parse_args(arguments)
    options.only = set(options.only.split(",")) if options.only else set(KINDS)
    options.without = set(options.without.split(",")) if options.without else set()
    for name in options.only | options.without:
        if name not in KINDS:
            parser.error(f"no such kind: {name}; there are {', '.join(sorted(KINDS))}")
    options.only -= options.without
    if options.only == set(KINDS):
        options.only = None
    options.sanitizer = None
    if options.sanitizer_build:
        folder = Path(options.sanitizer_build).resolve()
        options.sanitizer = "thread" if "thread" in folder.name else "address"
        options.library = folder / "lib"
    options.library, options.found = options.library.resolve(), options.found.resolve()
    options.salt = options.seed if options.seed is not None else "new"
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**6, 10**8) // source.BATCH * source.BATCH
        options.salt = options.seed
    return options


def batches(options):
    """(first seed, count), until the programs or the seconds are used up."""
    seed, left = options.seed, options.count if options.count else 10**12
    end = time.monotonic() + (options.seconds or (60 if not options.count else 10**9))
    while left > 0 and time.monotonic() < end:
        count = min(left, source.BATCH - seed % source.BATCH)
        yield seed, count
        seed, left = seed + count, left - count


def main(arguments):
    options = parse(arguments)
    if options.add:
        path = found.add(Path(options.add[0]), options.add[1])
        say(f"{path.relative_to(ROOT)}: now say in its first line what went wrong")
        return 0
    if options.show:
        for seed, count in batches(options):
            language = source.language_of(seed, options.fortran)
            say(source.whole(source.batch(seed, count, language, options.only), language))
        return 0
    if not (options.library / "libomp.so.5").exists():
        say(f"fuzz: no library in {options.library}; build it, or say --library")
        return NOTHING_TO_RUN
    if options.explore:
        return explore(options)
    session = Session(options)
    if not session.compilers:
        say("fuzz: no compiler")
        return NOTHING_TO_RUN
    say(f"programs from seed {options.seed}; compilers {', '.join(c.c for c in session.compilers)}")
    return run(session, options)


def explore(options):
    from programs.exploring import Exploration  # only here are there kinds with a fault
    exploration = Exploration(options)
    if not exploration.compilers:
        say("fuzz: no compiler")
        return NOTHING_TO_RUN
    say(f"programs from seed {options.seed}; compilers {', '.join(c.c for c in exploration.compilers)}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for first, count in batches(options):
            list(pool.map(lambda seed: exploration.one(seed, say), range(first, first + count)))
    say(exploration.summary())
    return 1 if exploration.count["wrong"] else 0


def run(session, options):
    watch = time.monotonic()

    def stop(*_):
        # What runs already ends first; nothing more is begun.
        session.stopped = True
        say("stopping")

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            waiting = set()
            for first, count in batches(options):
                waiting.add(pool.submit(session.batch, first, count))
                if len(waiting) >= options.jobs:
                    done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
                    for each in done:
                        each.result()
                if session.stopped:
                    break
            for each in waiting:
                each.result()
    finally:
        session.summary(time.monotonic() - watch)
        shutil.rmtree(session.folder, ignore_errors=True)
    return 1 if session.ours else 2 if session.uncompiled else 0
