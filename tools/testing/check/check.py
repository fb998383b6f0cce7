"""Builds and tests everything; with `--all`, all that CI does.

Steps, in this order: style checks that need no build; the Release build with all of test/ and the checks of the finished
library; AddressSanitizer + UBSan, ThreadSanitizer and the debug checks, each with the suites that it can tell something
about; other machines' files read by chomp and by hwloc (tools/check machines); the fuzzers, for 30 s, and random programs;
tools/explore, for 30 s. With `--all`, as in CI: the first page's commands in a bare system (tools/check roots), and recipes.
What needs no result of a test is built and checked in the
background, while tests wait. Every style check counts as one test, so does a build that fails. With `--clients`, and only
then, other people's programs run on the Release build (test/clients), nothing else. What runs by its date alone:
tools/testing/checks/dated.txt. The last line is `N passed, M failed`; the exit status is nonzero if anything failed or nothing
ran.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import progress  # noqa: E402
from common import ROOT, Stopwatch, allowed_cpus, build, cache_value, clean_environment, die, has_module, say  # noqa: E402
from processes import Background, Clock, run  # noqa: E402

SCRIPTS = ROOT / "tools" / "testing" / "checks"
SKIPPED_STATUS = 77
TEST_LIMIT_SECONDS = 300
STEP_LIMIT_SECONDS = 1800  # one check, one build; all tests of a build have what --minutes leaves

# Folders of test/ that say nothing new in a second build: models and unit tests do not link the library; what it exports and
# how it reads settings is tested in the Release library, and so are the benchmark, other people's programs, Fortran's, and
# the reports, which are made of recordings.
RELEASE_ONLY = {"model", "abi", "env", "unit", "fuzz", "tools", "support", "clients", "fortran", "explore", "report", "recipes"}
# Benchmarks make what omp/ and stress/ make too, and synchronise only by OpenMP.
NOT_FOR_THREAD = {"uts_bots"}
CROSS = ("aarch64", "riscv64")
# AddressSanitizer's build has the same DCHECKs. Without it they tell something of GCC's programs, and where speed matters: the
# latter by their date.
CHECKS_FOLDERS = {"gomp"}
CHECKS_FOLDERS_BY_DATE = {"sched", "stress"}
TEST_SUFFIXES = {".c", ".cpp", ".test", ".each_scheduler"}
NOT_WITH_ADDRESS = re.compile(r"UNSUPPORTED:.*sanitizer-address|REQUIRES:.*gomp")
PASSING = {"PASS", "XFAIL", "FLAKYPASS"}
NOT_REPEATED = "not repeated:"  # test/support/lit_formats.py
FAILING = {"FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"}


class Tally:
    """What ran, in the order it ran; how long anything may still begin; and what was done meanwhile."""

    def __init__(self, minutes=None):
        self.rows = []
        self.failures = []
        self.no_time_for = []
        self.left_to_all = []
        self.clock = Clock(minutes)
        self.background = Background(STEP_LIMIT_SECONDS)

    def add(self, name, passed, failed, left_out, seconds, cpu=0):
        self.rows.append((name, passed, failed, left_out, seconds, cpu))

    def no_time(self, name):
        """True, and said, if it is too late to begin this step."""
        if not self.clock.over():
            return False
        say(f"LEFT OUT: {name} (no time)")
        self.no_time_for.append(name)
        self.add(name, 0, 0, 1, 0)
        return True

    def passed(self):
        return sum(row[1] for row in self.rows)

    def failed(self):
        return sum(row[2] for row in self.rows)


class Build:
    """One preset and what is tested in it."""

    def __init__(self, preset, title, sanitizer="none", checks=False, targets=("everything",)):
        self.preset = preset
        self.title = title
        self.sanitizer = sanitizer
        self.checks = checks
        self.targets = targets  # what its tests need

    def folder(self):
        return ROOT / "build" / self.preset


RELEASE = Build("release", "Release")
DEBUG_CHECKS = Build("checks", "debug checks", checks=True, targets=["omp", "uts"])
OTHER_BUILDS = [
    Build("address", "AddressSanitizer + UBSan", sanitizer="address", checks=True),
    Build("thread", "ThreadSanitizer", sanitizer="thread", targets=["omp", "bots-fib", "chomp", "chomp-analyse"]),
    DEBUG_CHECKS,
]


VIRTUAL_TARGETS = ["omp"]

QUICK_STEPS = ["style", "release", "tidy"]
ALL_STEPS = ["roots", "recipes"]  # with --all, or one of them with --only
DATED_STEPS = [*CROSS, "models", "packages", "explored_mutants", "conformance"]  # only with --only; tools/testing/checks/dated.txt says how often
STEPS = ["style", *(b.preset for b in [RELEASE, *OTHER_BUILDS]), "machines", "fuzz", "explore", "tidy", *ALL_STEPS, *DATED_STEPS]
LONG_SECONDS, SHORT_SECONDS = 30, 20  # of fuzzing, and of exploring: with --all, and without


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/check", description="Build and test everything, as CI does.")
    parser.add_argument("--quick", action="store_true", help="style checks, the Release build, its tests and clang-tidy only")
    parser.add_argument("--all", action="store_true", help="also the first page in a bare system, and recipes: as CI")
    parser.add_argument("--minutes", type=float, metavar="N", help="begin no step after N minutes; what is left out is named")
    parser.add_argument("--only", metavar="STEP", choices=STEPS, help=f"one step: {', '.join(STEPS)}")
    parser.add_argument("--clients", action="store_true", help="programs from packages on the Release build, and nothing else")
    parser.add_argument("--tests", metavar="REGEX", help="only the tests whose path matches (lit --filter)")
    parser.add_argument("--fuzz", type=int, metavar="SECONDS", help="how long the fuzzers run, in all (20; 30 with --all)")
    parser.add_argument("--explore", type=int, metavar="SECONDS", help="how long orders of events are explored (20; 30 with --all)")
    parser.add_argument("-j", "--jobs", type=int, default=allowed_cpus(), metavar="N", help="half of the tests at a time, and other jobs at a time")
    options = parser.parse_args()
    for name in ("fuzz", "explore"):
        if getattr(options, name) is None:
            setattr(options, name, LONG_SECONDS if options.all else SHORT_SECONDS)
    return options


def is_everyday(options):
    """Whether what an everyday run can hardly tell is left to --all. A run of named steps (--only) does the whole of each."""
    return not (options.all or options.only)


def heading(text):
    say()
    say(f"==== {text} " + "=" * max(4, 110 - len(text)))


# ---- Style -----------------------------------------------------------------------------------------------------------

def run_check(tally, name, command):
    """One check, a program that prints its problems; status 77 says that it could not run here. What it printed."""
    if not tally.background.has(name) and tally.no_time(name):
        return ""
    progress.doing(name)
    done = tally.background.result(name) or run(command, STEP_LIMIT_SECONDS)
    progress.doing(None)
    skipped, good = done.status == SKIPPED_STATUS, done.status == 0
    word = "LEFT OUT" if skipped else "PASS" if good else "FAIL"
    lines = done.output.strip().splitlines() or [""]
    say(f"{word}: {name} ({lines[-1]})")
    if not good and not skipped:
        say("\n".join("  " + line for line in [*lines[:200], *lines[200:][-1:]]))
        tally.failures.append(f"{name} (tools/testing/checks)")
    tally.add(name, int(good), int(not good and not skipped), int(skipped), done.seconds, done.cpu)
    return done.output


def run_style(tally):
    heading("style")
    for script in ("memory_order", "layers", "files", "pages", "mutants_apply", "dated"):
        run_check(tally, f"style: {script} self-test", [sys.executable, SCRIPTS / f"{script}.py", "--self-test"])
        run_check(tally, f"style: {script}", [sys.executable, SCRIPTS / f"{script}.py"])
    run_check(tally, "style: format", [SCRIPTS / "format.sh"])


def run_library_checks(tally):
    library = RELEASE.folder() / "lib" / "libomp.so"
    soname = cache_value(RELEASE.preset, "CHOMP_SONAME") or "libomp.so.5"
    run_check(tally, "style: exports", [sys.executable, SCRIPTS / "exports.py", library, "--soname", soname])
    explored = library.parent / "chomp-explore" / library.name
    if explored.exists():  # on x86-64
        run_check(tally, "style: exports of explore", [sys.executable, SCRIPTS / "exports.py", explored, "--names"])
    run_check(tally, "style: install", [SCRIPTS / "install.sh", RELEASE.folder()])


def tidy_command(options):
    return [SCRIPTS / "tidy.py", *([] if options.only else ["--changed"]), RELEASE.folder()]


def run_tidy(tally, options):
    heading("clang-tidy")
    output = run_check(tally, "style: tidy", tidy_command(options))
    left = re.search(r"^tidy: (\d+) files of which only headers have changed$", output, re.M)
    if left:
        tally.left_to_all.append(f"clang-tidy of {left[1]} files of which only headers have changed")


def run_models(tally):
    """All searches, those too that are known to end well."""
    heading("models")
    run_check(tally, "models", [ROOT / "test" / "model" / "run_spin", "all"])


def run_packages(tally):
    """Debian's, made and tried, where the tools for that are."""
    heading("packages")
    run_check(tally, "packages: debian", [SCRIPTS / "debian.sh"])


def roots_command():
    return [ROOT / "tools" / "check", "roots", "--ci"]


def run_roots(tally):
    """The first page's commands, where nothing is installed."""
    heading("a bare system")
    run_check(tally, "roots: the first page in a bare system", roots_command())


def recipes_command(options):
    return [ROOT / "tools" / "check", "recipes", "--jobs", options.jobs]


def run_recipes(tally, options):
    """How one adds a thing, tried."""
    heading("recipes")
    say("\n".join(re.findall(r"^recipe .*", run_check(tally, "recipes", recipes_command(options)), re.M)))


def run_machines(tally):
    """chomp's view of other machines beside hwloc's, where their files can be had."""
    heading("machines that nobody here has")
    run_check(tally, "machines", [sys.executable, ROOT / "tools" / "testing" / "machines" / "machines.py"])


def run_fuzzers(tally, options):
    """What reads text from outside, for a short while; what is found once is a seed of the next run. Then random programs."""
    heading("fuzzers")
    run_check(tally, "fuzz", [ROOT / "tools" / "fuzz", "--seconds", options.fuzz])
    # The same forty each time: some seeds give programs that no runtime ends, and looking into one takes minutes. New ones
    # are for tools/fuzz programs by hand.
    run_check(tally, "fuzz programs", [ROOT / "tools" / "fuzz", "programs", "--seed", 1, "--count", 40, "--jobs", options.jobs])
    run_check(tally, "fuzz programs, Fortran", [ROOT / "tools" / "fuzz", "programs", "--fortran", "--seed", 1, "--count", 20, "--jobs", options.jobs])
    run_check(tally, "fuzz programs, explored", [ROOT / "tools" / "fuzz", "programs", "--explore", 8, "--seed", 38, "--count", 4, "--jobs", options.jobs])


def explore_commands(options):
    """Orders of events that no test meets, from a new seed each time; first the proof that faults are found. Then machines that
    nobody here has. (name, command); all in virtual time, so they may run beside anything."""
    explore, scale, test = ROOT / "tools" / "explore", ROOT / "tools" / "scale", ROOT / "test"
    finds = ["--seed", 1, "--schedulers", "hierarchical", "--threads", "2,3", "--strategy", "random"]
    # The rarest of them show in one of some 7,000 runs; right ones have some 10,000 steps, and a million is soon done.
    if options.only == "explored_mutants":
        return [("explore: mutants are found", [explore, "--mutants", "--jobs", options.jobs, *finds, "--runs", 10_000, "--steps", 1_000_000])]
    return [
        ("explore: weakened orders are found", [explore, "--weakenings", "1-5", *finds, "--runs", 3000]),
        ("explore: every way with one preemption or old value",
         [explore, "--strategy", "exhaustive", "--depth", 1, "--threads", 2, "--schedulers", "hierarchical", "--runs", 100_000,
          *sorted((test / "explore" / "exhaustive").glob("*.c"))]),
        ("explore", [explore, "--runs", 10**9, "--seconds", options.explore]),
        ("explore: two chips that the runtime tells apart",
         [explore, "--machine", "package:2 l3:1 core:3 pu:1", "--threads", 6, "--runs", 10**9, "--seconds", options.explore // 2]),
        ("scale: programs whose result is known on paper", [scale, "--check"]),
        ("scale: nothing slower than recorded", [scale, "--recorded", "--jobs", options.jobs]),
        ("scale: machines drawn by a seed", [scale, "--robust", "--slice", "--jobs", options.jobs]),
        ("virtual: the same run, whatever the environment",
         [*lit_command(), "-v", "-j", options.jobs, "--param", f"build={ROOT / 'build' / 'virtual'}",
          test / "tools" / "virtual_runs_repeat.test"])]


def run_explore(tally, options):
    heading("orders of events")
    progress.doing("build: virtual")
    tally.background.result("build: virtual")
    for name, command in explore_commands(options):
        run_check(tally, name, command)


# ---- Builds and their tests ------------------------------------------------------------------------------------------

def suites(build_, options):
    """The arguments that name the tests of one build."""
    test = ROOT / "test"
    if build_ is RELEASE:
        return [test, ROOT / "bots", ROOT / "uts"]
    folders = sorted(p for p in test.iterdir() if p.is_dir() and p.name not in RELEASE_ONLY and any(p.rglob("*.*")))
    if build_.sanitizer == "thread":
        return [folder for folder in folders if folder.name not in NOT_FOR_THREAD]
    if build_ is not DEBUG_CHECKS:
        return folders
    whole = [folder for folder in folders if folder.name in CHECKS_FOLDERS | (CHECKS_FOLDERS_BY_DATE if options.only else set())]
    alone = [file for folder in folders if folder not in whole for file in sorted(folder.iterdir())
             if file.suffix in TEST_SUFFIXES and NOT_WITH_ADDRESS.search(file.read_text())]
    return [*whole, *alone]


def lit_command():
    python = ROOT / ".venv" / "bin" / "python"
    # Not .venv/bin/lit if it can be helped: its first line is wrong after the tree was moved.
    return [python, "-c", "import lit.main; lit.main.main()"] if has_module(python, "lit.main") else [ROOT / ".venv/bin/lit"]


def count_not_begun(report):
    """The tests that lit had no time for. Its JSON leaves them out; what xUnit calls an interruption is --max-time too."""
    return report.read_text(errors="replace").count('"User interrupt"') if report.exists() else 0


def run_lit(tally, build_, options):
    python = ROOT / ".venv" / "bin" / "python"
    lit = lit_command()
    parameters = {"build": build_.folder(), "sanitizer": build_.sanitizer, "checks": int(build_.checks),
                  "clang": cache_value(build_.preset, "CMAKE_C_COMPILER") or "clang"}
    with tempfile.TemporaryDirectory() as folder:
        record, report = Path(folder) / "lit.json", Path(folder) / "lit.xml"
        # Tests wait and sleep for more than half of their time.
        command = [*lit, "-v", "--no-progress-bar", "-j", 2 * options.jobs, "--output", record, "--xunit-xml-output", report]
        if tally.clock.left() is not None:
            command += ["--max-time", max(1, int(tally.clock.left()))]
        if has_module(python, "psutil"):
            command += ["--timeout", TEST_LIMIT_SECONDS]
        if options.tests:
            command += ["--filter", options.tests, "--allow-empty-runs"]
        if is_everyday(options) and not options.tests:
            parameters["unchanged"] = "skip"
        for name, value in parameters.items():
            command += ["--param", f"{name}={value}"]
        command += suites(build_, options)
        keep = ("CHOMP_STRESS", "CHOMP_SEED")
        progress.doing(f"lit: {build_.title}")
        done = run(command, 0, shown=True, keep=keep)
        tests = json.loads(record.read_text())["tests"] if record.exists() else []
        late = count_not_begun(report)
    passed = sum(test["code"] in PASSING for test in tests)
    if late:
        tally.no_time_for.append(f"{late} tests of lit: {build_.title}")
    failed = [test for test in tests if test["code"] in FAILING]
    same = sum(test["output"].startswith(NOT_REPEATED) for test in tests)
    if same:
        tally.left_to_all.append(f"{same} tests of tools that are as they were: {build_.title}")
    # lit itself failed, by a broken configuration say; or it found nothing to do, which must not look like success.
    trouble = int(not failed and (done.status != 0 or not (tests or late or options.tests)))
    if trouble:
        tally.failures.append(f"lit in the {build_.title} build: {len(tests)} tests, exit status {done.status}")
    tally.failures += [f"{test['name']} [{build_.title}]" for test in failed]
    tally.add(f"lit: {build_.title}", passed, len(failed) + trouble, len(tests) - passed - len(failed) + late, done.seconds, done.cpu)


def run_build(tally, build_, options):
    """The build and its tests. What was built in the background is there already, or failed and says so again."""
    heading(build_.title)
    if tally.no_time(f"build: {build_.title}"):
        return
    progress.doing(f"build: {build_.title}")
    done = tally.background.result(f"build: {build_.preset}")
    if not done or done.status != 0:
        done = run(build_command(build_.preset, build_.targets), STEP_LIMIT_SECONDS, shown=True)
    tally.add(f"build: {build_.title}", 0, int(done.status != 0), 0, done.seconds, done.cpu)
    if done.status != 0:
        tally.failures.append(f"the {build_.title} build")
        return
    if build_ is RELEASE:
        tally.background.start(background_commands(options))
        run_library_checks(tally)
    if (ROOT / "test" / "lit.cfg.py").exists() and not tally.no_time(f"lit: {build_.title}"):
        run_lit(tally, build_, options)


def build_command(preset, targets):
    make = ["cmake", "--build", ROOT / "build" / preset, *(["--target", *targets] if targets else [])]
    # Configuring prints much that nobody reads, so its output is shown only when it fails.
    return ["sh", "-c", f'said=$(cmake --preset {preset} 2>&1) || {{ echo "$said"; exit 1; }}; {" ".join(map(str, make))}']


def background_commands(options):
    """What is done while the tests of the Release build run, and those after them: (name, command), in the order of need."""
    tidy = ("style: tidy", tidy_command(options))
    if options.quick or options.only:
        return [tidy] if wanted("tidy", options) else []
    builds = [(f"build: {b.preset}", build_command(b.preset, b.targets)) for b in OTHER_BUILDS]
    virtual = ("build: virtual", build_command("virtual", VIRTUAL_TARGETS))
    cross = [(f"cross-build: {machine}", [SCRIPTS / "cross.sh", machine]) for machine in CROSS if wanted(machine, options)]
    roots = [("roots: the first page in a bare system", roots_command())] if options.all else []
    recipes = [("recipes", [*recipes_command(options), "--built"])] if options.all else []
    return [*builds, virtual, *roots, *recipes, tidy, *cross, *explore_commands(options)]


def run_clients(tally, options):
    """test/clients/run prints one line per client; those lines are the count."""
    heading("clients")
    if not build(RELEASE.preset, RELEASE.targets):
        tally.failures.append("the Release build")
        tally.add("build: Release", 0, 1, 0, 0)
        return
    watch = Stopwatch()
    command = [sys.executable, "test/clients/run", RELEASE.folder(), "--clang", cache_value(RELEASE.preset, "CMAKE_C_COMPILER") or "clang"]
    if options.tests:
        command += ["--only", options.tests]
    counts = dict.fromkeys(("PASS", "FAIL", "LEFT OUT"), 0)
    with subprocess.Popen([str(word) for word in command], cwd=ROOT, env=clean_environment(["CHOMP_NO_INSTALL"]), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, errors="replace") as running:
        for line in running.stdout:
            say(line.rstrip())
            word, _, name = line.partition(": ")
            if word in counts:
                counts[word] += 1
                if word == "FAIL":
                    tally.failures.append(f"{name.split(' (')[0].rstrip()} (test/clients)")
    tally.add("clients", counts["PASS"], counts["FAIL"], counts["LEFT OUT"], watch.seconds())


def run_conformance(tally, options):
    heading("LLVM's own tests of its runtime, on the Release build")
    if tally.no_time("LLVM's tests: Release"):
        return
    command = [sys.executable, ROOT / "tools" / "testing" / "conformance" / "conformance.py", "-j", options.jobs]
    if options.tests:
        command += ["--filter", options.tests]
    progress.doing("LLVM's tests: Release")
    done = run(command, STEP_LIMIT_SECONDS)
    say(done.output.rstrip())
    counts = re.search(r"^(\d+) passed, (\d+) failed$", done.output, re.M)
    passed, failed = map(int, counts.groups()) if counts else (0, 0)
    skipped = done.status == SKIPPED_STATUS
    trouble = int(done.status != 0 and not skipped and not failed)
    if failed or trouble:
        tally.failures.append("tools/check conformance (its list is above)")
    tally.add("LLVM's tests: Release", passed, failed + trouble, int(skipped), done.seconds, done.cpu)


# ---- The whole -------------------------------------------------------------------------------------------------------

def left_to_all(tally, options):
    """What this run was not asked for, in words: the steps, and the rest of the minutes of fuzzing and exploring."""
    if options.clients or options.only:
        return []
    left = [step for step in STEPS if not wanted(step, options) and step not in DATED_STEPS]
    return left + tally.left_to_all + [f"{LONG_SECONDS - getattr(options, name)} s of {name}" for name in ("fuzz", "explore")
                   if wanted(name, options) and getattr(options, name) < LONG_SECONDS]


def print_summary(tally, options):
    heading("summary")
    say(f"{'step':<52} {'passed':>7} {'failed':>7} {'left out':>9} {'seconds':>8} {'of CPU':>7}")
    for name, passed, failed, left_out, took, cpu in tally.rows:
        say(f"{name:<52} {passed:>7} {failed:>7} {left_out:>9} {took:>8.1f} {cpu:>7.1f}")
    if tally.failures:
        say()
        say("failed:")
        for failure in tally.failures:
            say(f"  {failure}")
    if tally.no_time_for:
        say()
        say(f"left out for want of time: {', '.join(tally.no_time_for)}")
    left = left_to_all(tally, options)
    if left:
        say()
        say(f"left to tools/check --all: {', '.join(left)}")
    say()
    say(f"{tally.clock.seconds() / 60:.1f} minutes, {sum(row[-1] for row in tally.rows) / 60:.1f} of CPU time")
    say(f"{tally.passed()} passed, {tally.failed()} failed")


def wanted(step, options):
    if options.clients:
        return False
    if options.only:
        return options.only == step
    if options.quick:
        return step in QUICK_STEPS
    return step not in DATED_STEPS and (options.all or step not in ALL_STEPS)


def run_steps(tally, options):
    """What finds most comes first: where time runs out, the rest is left out."""
    if wanted("style", options):
        run_style(tally)
    for build_ in [RELEASE, *OTHER_BUILDS]:
        if wanted(build_.preset, options):
            run_build(tally, build_, options)
    if wanted("machines", options):
        run_machines(tally)
    if wanted("fuzz", options):
        run_fuzzers(tally, options)
    if wanted("explore", options) or wanted("explored_mutants", options):
        run_explore(tally, options)
    if wanted("tidy", options):
        run_tidy(tally, options)
    if wanted("roots", options):
        run_roots(tally)
    if wanted("recipes", options):
        run_recipes(tally, options)
    if wanted("conformance", options):
        run_conformance(tally, options)
    for machine in CROSS:
        if wanted(machine, options):
            heading(f"cross-build for {machine}")
            run_check(tally, f"cross-build: {machine}", [SCRIPTS / "cross.sh", machine])
    if wanted("models", options):
        run_models(tally)
    if wanted("packages", options):
        run_packages(tally)
    if options.clients:
        run_clients(tally, options)


def main():
    options = parse_arguments()
    # What an earlier build has compiled is not compiled again. In CI there was none, and precompiled headers are worth more.
    if shutil.which("ccache") and not options.all:
        os.environ.setdefault("CMAKE_C_COMPILER_LAUNCHER", "ccache")
        os.environ.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    tally = Tally(options.minutes)
    try:
        run_steps(tally, options)
    finally:
        tally.background.stop()
    print_summary(tally, options)
    if tally.failed() or not tally.passed():
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        die("\nStopped.", 130)
