"""Builds and tests everything: all that CI does.

Steps, in this order: style checks that need no build; the Release build with all of test/ and the checks of the finished
library; other machines' files read by chomp and by hwloc (tools/machines); then the fuzzers, for a minute, and forty
random programs; tools/explore, for a minute and a half; LLVM's own tests of its runtime on that library, where they can be had
(tools/conformance); the debug-checks build, AddressSanitizer + UBSan and ThreadSanitizer, each with the suites that run
tasks; a cross-build for 64-bit Arm. Every style check counts as one test, so does a build that fails. With `--clients`, and
only then, other people's programs run on the Release build (test/clients), nothing else. The last line is
`N passed, M failed`; the exit status is nonzero if anything failed or nothing ran.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "lib"))
from common import ROOT, Stopwatch, allowed_cpus, build, cache_value, clean_environment, die, has_module, say  # noqa: E402

CHECKS = ROOT / "tools" / "checks"
SKIPPED_STATUS = 77
TEST_LIMIT_SECONDS = 600

# Folders of test/ that say nothing new in a second build: models and unit tests do not link the library; what it exports and
# how it reads settings is tested in the Release library, and so are the benchmark, other people's programs and Fortran's.
RELEASE_ONLY = {"model", "abi", "env", "unit", "fuzz", "tools", "support", "clients", "fortran", "explore"}
PASSING = {"PASS", "XFAIL", "FLAKYPASS"}
FAILING = {"FAIL", "XPASS", "UNRESOLVED", "TIMEOUT"}


class Tally:
    """What ran, in the order it ran."""

    def __init__(self):
        self.rows = []
        self.failures = []

    def add(self, name, passed, failed, left_out, seconds):
        self.rows.append((name, passed, failed, left_out, seconds))

    def passed(self):
        return sum(row[1] for row in self.rows)

    def failed(self):
        return sum(row[2] for row in self.rows)


class Build:
    """One preset and what is tested in it."""

    def __init__(self, preset, title, sanitizer="none", checks=False):
        self.preset = preset
        self.title = title
        self.sanitizer = sanitizer
        self.checks = checks

    def folder(self):
        return ROOT / "build" / self.preset


RELEASE = Build("release", "Release")
OTHER_BUILDS = [
    Build("checks", "debug checks", checks=True),
    Build("address", "AddressSanitizer + UBSan", sanitizer="address", checks=True),
    Build("thread", "ThreadSanitizer", sanitizer="thread"),
]


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/check", description="Build and test everything, as CI does.")
    parser.add_argument("--quick", action="store_true", help="style checks, the Release build and its tests only")
    steps = ["style", *(b.preset for b in [RELEASE, *OTHER_BUILDS]), "machines", "packages", "fuzz", "explore", "conformance", "aarch64"]
    parser.add_argument("--only", metavar="PRESET", choices=steps, help=f"one step: {', '.join(steps)}")
    parser.add_argument("--clients", action="store_true", help="programs from packages on the Release build, and nothing else")
    parser.add_argument("--conformance", action="store_true",
                        help="fail if LLVM's tests cannot be had or run here; otherwise they are then left out")
    parser.add_argument("--tests", metavar="REGEX", help="only the tests whose path matches (lit --filter)")
    parser.add_argument("--fuzz", type=int, default=60, metavar="SECONDS", help="how long the fuzzers run, in all (60)")
    parser.add_argument("--explore", type=int, default=90, metavar="SECONDS", help="how long orders of events are explored (90)")
    parser.add_argument("-j", "--jobs", type=int, default=allowed_cpus(), metavar="N", help="tests at a time")
    return parser.parse_args()


def heading(text):
    say()
    say(f"==== {text} " + "=" * max(4, 110 - len(text)))


# ---- Style -----------------------------------------------------------------------------------------------------------

def run_check(tally, name, command):
    """One check, a program that prints its problems; status 77 says that it could not run here."""
    watch = Stopwatch()
    done = subprocess.run([str(word) for word in command], cwd=ROOT, env=clean_environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    skipped, good = done.returncode == SKIPPED_STATUS, done.returncode == 0
    word = "LEFT OUT" if skipped else "PASS" if good else "FAIL"
    lines = done.stdout.strip().splitlines() or [""]
    say(f"{word}: {name} ({lines[-1]})")
    if not good and not skipped:
        say("\n".join("  " + line for line in lines[:200]))
        tally.failures.append(f"{name} (tools/checks)")
    tally.add(name, int(good), int(not good and not skipped), int(skipped), watch.seconds())


def run_style(tally):
    heading("style")
    for script in ("memory_order", "layers", "files", "pages"):
        run_check(tally, f"style: {script} self-test", [sys.executable, CHECKS / f"{script}.py", "--self-test"])
        run_check(tally, f"style: {script}", [sys.executable, CHECKS / f"{script}.py"])
    run_check(tally, "style: format", [CHECKS / "format.sh"])


def run_library_checks(tally):
    library = RELEASE.folder() / "lib" / "libomp.so"
    soname = cache_value(RELEASE.preset, "CHOMP_SONAME") or "libomp.so.5"
    run_check(tally, "style: exports", [sys.executable, CHECKS / "exports.py", library, "--soname", soname])
    run_check(tally, "style: export lists", [sys.executable, CHECKS / "count_unimplemented", "--library", library])
    run_check(tally, "style: tidy", [CHECKS / "tidy.sh", RELEASE.folder()])
    run_check(tally, "style: install", [CHECKS / "install.sh", RELEASE.folder()])


def run_packages(tally):
    """Debian's, made and tried, where the tools for that are."""
    heading("packages")
    run_check(tally, "packages: debian", [CHECKS / "debian.sh"])


def run_machines(tally):
    """chomp's view of other machines beside hwloc's, where their files can be had."""
    heading("machines that nobody here has")
    run_check(tally, "machines", [sys.executable, ROOT / "tools" / "machines.d" / "machines.py"])


def run_fuzzers(tally, options):
    """What reads text from outside, for a short while; what is found once is a seed of the next run. Then random programs."""
    heading("fuzzers")
    run_check(tally, "fuzz", [ROOT / "tools" / "fuzz", "--seconds", options.fuzz])
    # The same forty each time: some seeds give programs that no runtime ends, and looking into one takes minutes. New ones
    # are for tools/fuzz programs by hand, and for tools/soak.
    run_check(tally, "fuzz programs", [ROOT / "tools" / "fuzz", "programs", "--seed", 1, "--count", 40, "--jobs", options.jobs])
    run_check(tally, "fuzz programs, Fortran", [ROOT / "tools" / "fuzz", "programs", "--fortran", "--seed", 1, "--count", 20, "--jobs", options.jobs])


def run_explore(tally, options):
    """Orders of events that no test meets, from a new seed each time; first the proof that it finds planted bugs."""
    heading("orders of events")
    explore = ROOT / "tools" / "explore"
    run_check(tally, "explore: planted bugs are found",
              [explore, "--seed", 1, "--plants", "--schedulers", "hierarchical", "--threads", "2,3",
               "--strategy", "random", "--runs", 3000])
    run_check(tally, "explore: every way with one preemption or old value",
              [explore, "--strategy", "exhaustive", "--depth", 1, "--threads", 2, "--schedulers", "hierarchical", "--runs", 100_000,
               *sorted((ROOT / "test" / "explore" / "exhaustive").glob("*.c"))])
    run_check(tally, "explore", [explore, "--runs", 10**9, "--seconds", options.explore])
    run_check(tally, "scale: programs whose result is known on paper", [ROOT / "tools" / "scale", "--check"])
    folder = ROOT / "build" / "virtual"
    run_check(tally, "simulate: build", ["cmake", "--build", folder, "--target", "chomp-replay", "chomp-simulate"])
    run_check(tally, "simulate: graphs and recordings are replayed",
              [*lit_command(), "-v", "-j", options.jobs, "--param", f"build={folder}", ROOT / "test" / "tools" / "simulate_replay.test",
               ROOT / "test" / "tools" / "virtual_runs_repeat.test",
               ROOT / "test" / "record" / "recorded_graph_is_the_programs.c"])


# ---- Builds and their tests ------------------------------------------------------------------------------------------

def suites(build_):
    """The arguments that name the tests of one build."""
    test = ROOT / "test"
    if build_ is RELEASE:
        return [test, ROOT / "bots", ROOT / "uts"]
    return sorted(p for p in test.iterdir() if p.is_dir() and p.name not in RELEASE_ONLY and any(p.rglob("*.*")))


def lit_command():
    python = ROOT / ".venv" / "bin" / "python"
    # Not .venv/bin/lit if it can be helped: its first line is wrong after the tree was moved.
    return [python, "-c", "import lit.main; lit.main.main()"] if has_module(python, "lit.main") else [ROOT / ".venv/bin/lit"]


def run_lit(tally, build_, options):
    watch = Stopwatch()
    python = ROOT / ".venv" / "bin" / "python"
    lit = lit_command()
    parameters = {"build": build_.folder(), "sanitizer": build_.sanitizer, "checks": int(build_.checks),
                  "clang": cache_value(build_.preset, "CMAKE_C_COMPILER") or "clang"}
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "lit.json"
        command = [*lit, "-v", "--no-progress-bar", "-j", options.jobs, "--output", record]
        if has_module(python, "psutil"):
            command += ["--timeout", TEST_LIMIT_SECONDS]
        if options.tests:
            command += ["--filter", options.tests, "--allow-empty-runs"]
        for name, value in parameters.items():
            command += ["--param", f"{name}={value}"]
        command += suites(build_)
        keep = ("CHOMP_STRESS", "CHOMP_SEED")
        done = subprocess.run([str(word) for word in command], cwd=ROOT, env=clean_environment(keep),
                              stdin=subprocess.DEVNULL, check=False)
        tests = json.loads(record.read_text())["tests"] if record.exists() else []
    passed = sum(test["code"] in PASSING for test in tests)
    failed = [test for test in tests if test["code"] in FAILING]
    # lit itself failed, by a broken configuration say; or it found nothing to do, which must not look like success.
    trouble = int(not failed and (done.returncode != 0 or not (tests or options.tests)))
    if trouble:
        tally.failures.append(f"lit in the {build_.title} build: {len(tests)} tests, exit status {done.returncode}")
    tally.failures += [f"{test['name']} [{build_.title}]" for test in failed]
    tally.add(f"lit: {build_.title}", passed, len(failed) + trouble, len(tests) - passed - len(failed), watch.seconds())


def run_build(tally, build_, options):
    """True if the library is there to be tested."""
    heading(build_.title)
    watch = Stopwatch()
    if not build(build_.preset):
        tally.failures.append(f"the {build_.title} build")
        tally.add(f"build: {build_.title}", 0, 1, 0, watch.seconds())
        return False
    tally.add(f"build: {build_.title}", 0, 0, 0, watch.seconds())
    if build_ is RELEASE:
        run_library_checks(tally)
    if (ROOT / "test" / "lit.cfg.py").exists():
        run_lit(tally, build_, options)
    return True


def run_clients(tally, options):
    """test/clients/run prints one line per client; those lines are the count."""
    heading("clients")
    if not build(RELEASE.preset):
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
    watch = Stopwatch()
    command = [sys.executable, ROOT / "tools" / "conformance.d" / "conformance.py", "-j", options.jobs]
    if options.tests:
        command += ["--filter", options.tests]
    done = subprocess.run([str(word) for word in command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    say(done.stdout.rstrip())
    counts = re.search(r"^(\d+) passed, (\d+) failed$", done.stdout, re.M)
    passed, failed = map(int, counts.groups()) if counts else (0, 0)
    skipped = done.returncode == SKIPPED_STATUS and not options.conformance
    trouble = int(done.returncode != 0 and not skipped and not failed)
    if failed or trouble:
        tally.failures.append("tools/conformance (its list is above)")
    tally.add("LLVM's tests: Release", passed, failed + trouble, int(skipped), watch.seconds())


# ---- The whole -------------------------------------------------------------------------------------------------------

def print_summary(tally, seconds):
    heading("summary")
    say(f"{'step':<44} {'passed':>7} {'failed':>7} {'left out':>9} {'seconds':>8}")
    for name, passed, failed, left_out, took in tally.rows:
        say(f"{name:<44} {passed:>7} {failed:>7} {left_out:>9} {took:>8.1f}")
    if tally.failures:
        say()
        say("failed:")
        for failure in tally.failures:
            say(f"  {failure}")
    say()
    say(f"{seconds / 60:.1f} minutes")
    say(f"{tally.passed()} passed, {tally.failed()} failed")


def main():
    options = parse_arguments()
    tally, watch = Tally(), Stopwatch()

    def wanted(step):
        if options.clients:
            return False
        if options.only:
            return options.only == step
        return not options.quick or step in ("style", "release")

    if wanted("style"):
        run_style(tally)
    if wanted("release"):
        run_build(tally, RELEASE, options)
    if wanted("machines"):
        run_machines(tally)
    if wanted("packages"):
        run_packages(tally)
    if wanted("fuzz"):
        run_fuzzers(tally, options)
    if wanted("explore"):
        run_explore(tally, options)
    if wanted("conformance"):
        run_conformance(tally, options)
    for build_ in OTHER_BUILDS:
        if wanted(build_.preset):
            run_build(tally, build_, options)
    if wanted("aarch64"):
        heading("cross-build for 64-bit Arm")
        run_check(tally, "cross-build: aarch64", [CHECKS / "aarch64.sh"])
    if options.clients:
        run_clients(tally, options)

    print_summary(tally, watch.seconds())
    if tally.failed() or not tally.passed():
        sys.exit(1)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        die("\nStopped.", 130)
