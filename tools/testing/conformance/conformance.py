"""Runs LLVM's own tests of its OpenMP runtime (openmp/runtime/test of the distribution's source package) on chomp.

Every test that libomp passes should pass here. What fails must stand in tools/testing/conformance/accepted.txt, with a
reason; what stands there must fail. --stock runs the tests on the system's libomp too, and on a library whose functions
do nothing, to see how many tests prove anything. Exit status: 0 all is as it should be, 1 it is not, 77 the tests
cannot be had or run on this machine.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "lib"))
import llvm_tests  # noqa: E402
from common import ROOT, Stopwatch, allowed_cpus, build, cache_value, clean_environment, die, has_module, say  # noqa: E402
from exported_names import exported_names  # noqa: E402
from llvm_tests import LLVM  # noqa: E402
from package_source import Unavailable  # noqa: E402

LISTS = ROOT / "tools" / "testing" / "conformance"
SKIPPED_STATUS = 77
TEST_LIMIT_SECONDS, IDLE_LIMIT_SECONDS = 400, 10  # the slowest, kmp_sch_simd_guided.c, takes minutes on a busy machine
MANY_THREADS = "OMP_NUM_THREADS=16 KMP_TEAMS_THREAD_LIMIT=8"
GOOD = {"PASS", "XFAIL", "FLAKYPASS"}
NOT_RUN = {"UNSUPPORTED", "EXCLUDED", "SKIPPED"}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/check conformance",
                                     description="Run the tests of LLVM's OpenMP runtime on chomp.")
    parser.add_argument("--filter", metavar="REGEX", default="", help="only the tests whose name matches")
    parser.add_argument("--llvm", metavar="N", type=int, default=llvm_tests.LLVM, choices=(llvm_tests.LLVM, *llvm_tests.NEWER),
                        help="whose tests: of LLVM %(choices)s (%(default)s)")
    parser.add_argument("-j", "--jobs", type=int, default=allowed_cpus(), metavar="N", help="tests at a time")
    parser.add_argument("--stock", action="store_true",
                        help="run them on the system's libomp and on a library that does nothing, too, and compare")
    parser.add_argument("--all", action="store_true", help="run also what left_out.txt names")
    parser.add_argument("--list", action="store_true", help="show the tests and what is known of them, run nothing")
    parser.add_argument("--cache", metavar="DIR", type=Path, default=ROOT / ".cache" / "conformance",
                        help="where the fetched tests are kept (%(default)s)")
    return parser.parse_args()


# ---- The tests and what is known of them -----------------------------------------------------------------------------

def read_list(name, version):
    """The lines `test reason` of a file, as a dictionary. `test@22` means the test as it is from LLVM 22 on."""
    lines = (line.split("#")[0].strip() for line in (LISTS / name).read_text().splitlines())
    words = (re.match(r"([^\s@]+)(?:@(\d+))?\s*(.*)", line).groups() for line in lines if line)
    return {test: reason for test, since, reason in words if version >= int(since or 0)}


class Suite:
    """The tests, by name (`folder/file.c`), in order."""

    def __init__(self, folder, options):
        self.folder = folder
        self.accepted, self.left_out, self.many_threads = (read_list(f"{name}.txt", options.llvm) for name in (
            "accepted", "left_out", "many_threads"))
        everything = sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if is_test(file))
        self.names = [name for name in everything if re.search(options.filter, name)]
        for name in {*self.accepted, *self.left_out, *self.many_threads} - set(everything):
            if not name.endswith("/"):
                say(f"note: the lists name {name}, which is no test")

    def why_left_out(self, name):
        return next((why for key, why in self.left_out.items()
                     if name == key or (key.endswith("/") and name.startswith(key))), None)

    def remark(self, name):
        if self.why_left_out(name) is not None:
            return f"left out: {self.why_left_out(name)}"
        if name in self.accepted:
            return f"accepted failure: {self.accepted[name]}"
        return "with 16 threads" if name in self.many_threads else ""


def is_test(file):
    return file.suffix in (".c", ".cpp") and re.search(r"\bRUN:", file.read_text(errors="replace")) is not None


# ---- What they are run with ------------------------------------------------------------------------------------------

class Toolchain:
    """Clang of the tests' version, with lit and FileCheck of the same. Raises Unavailable."""

    def __init__(self):
        chosen = cache_value("release", "CMAKE_C_COMPILER")
        candidates = [chosen, f"clang-{LLVM}", "clang"]
        self.clang = next((path for path in map(shutil.which, filter(None, candidates)) if self.major(path) == LLVM), None)
        if not self.clang:
            raise Unavailable(f"no Clang {LLVM}, which the tests belong to")
        self.bin = Path(os.path.realpath(self.clang)).parent
        self.lit = self.bin.parent / "build" / "utils" / "lit" / "lit.py"  # newer ones dropped %T, which the tests use
        for needed in (self.lit, self.bin / "FileCheck", self.bin / "not"):
            if not needed.exists():
                raise Unavailable(f"no {needed} (package llvm-{LLVM}-tools)")
        self.version = self.ask("-dumpversion")
        self.machine = self.ask("-dumpmachine").split("-")[0]
        self.headers = Path(self.ask("-print-resource-dir")) / "include"
        self.stock = Path(os.path.realpath(self.ask("-print-file-name=libomp.so"))).parent

    @staticmethod
    def major(clang):
        said = subprocess.run([clang, "-dumpversion"], capture_output=True, text=True, check=False).stdout
        return int(said.split(".")[0]) if said[:1].isdigit() else 0

    def ask(self, question):
        return subprocess.run([self.clang, question], capture_output=True, text=True, check=True).stdout.strip()

    def links(self, flag):
        return subprocess.run([self.clang, "-x", "c", "-", flag, "-o", os.devnull], input="int main(void) { return 0; }",
                              capture_output=True, text=True, check=False).returncode == 0


class Runtime:
    """A library to run the tests on; `folder` holds it as libomp.so and libomp.so.5."""

    def __init__(self, name, folder, limit):
        self.name = name
        self.folder = folder
        self.limit = limit  # seconds for one test
        self.work = ROOT / "build" / "conformance" / name
        self.results = {}   # name of a test: lit's verdict
        self.outputs = {}


SITE_CONFIGURATION = """# Made by tools/check conformance.
config.test_c_compiler = {clang!r}
config.test_cxx_compiler = {clangxx!r}
config.test_compiler_features = {features!r}
config.test_fortran_compiler = ''
config.compiler_frontend_variant = ''
config.compiler_simulate_id = ''
config.target_triple = ''
config.test_compiler_has_omp_h = True
config.test_filecheck = {filecheck!r}
config.test_not = {not_!r}
config.test_openmp_flags = '-fopenmp'
config.test_extra_flags = ''
config.libomp_obj_root = {work!r}
config.library_dir = {library!r}
config.omp_header_directory = {headers!r}
config.operating_system = 'Linux'
config.hwloc_library_dir = ''
config.using_hwloc = False
config.has_ompt = True
config.has_ompx_taskgraph = False
config.has_libm = True
config.has_libatomic = {libatomic!r}
config.is_standalone_build = True
config.has_omit_frame_pointer_flag = True
config.target_arch = {machine!r}
lit_config.load_config(config, {tests!r})
"""


def configure(runtime, suite, tools):
    """A folder from which lit finds the tests, set up for one library: what LLVM's own build would have made."""
    shutil.rmtree(runtime.work, ignore_errors=True)
    runtime.work.mkdir(parents=True)
    parts = tools.version.split(".")
    features = ["clang", *("clang-" + ".".join(parts[:count]) for count in range(1, len(parts) + 1)), tools.machine]
    (runtime.work / "lit.site.cfg").write_text(SITE_CONFIGURATION.format(
        clang=str(tools.bin / "clang"), clangxx=str(tools.bin / "clang++"), features=features,
        filecheck=str(tools.bin / "FileCheck"), not_=str(tools.bin / "not"), work=str(runtime.work),
        library=str(runtime.folder), headers=str(tools.headers), libatomic=tools.links("-latomic"),
        machine=tools.machine, tests=str(suite.folder / "lit.cfg")))


def make_library_that_does_nothing(tools):
    """Every function that libomp exports, returning 0 at once."""
    folder = ROOT / "build" / "conformance" / "nothing-lib"
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(name for name, about in exported_names().items() if "libomp-19" in about.who)
    text = "long nothing(void) { return 0; }\n"
    text += "".join(f'long {name}(void) __attribute__((alias("nothing")));\n' for name in names)
    subprocess.run([tools.clang, "-x", "c", "-", "-shared", "-fPIC", "-fno-builtin", "-w", "-Wl,-soname,libomp.so.5",
                    "-o", folder / "libomp.so"], input=text, text=True, check=True)
    shutil.copy(folder / "libomp.so", folder / "libomp.so.5")
    return folder


# ---- Running ---------------------------------------------------------------------------------------------------------

def run_tests(runtime, suite, names, options, tools):
    say(f"running {len(names)} tests on {runtime.name}")
    configure(runtime, suite, tools)
    many = [name for name in names if name in suite.many_threads]
    run_lit(runtime, [name for name in names if name not in suite.many_threads], "", options, tools)
    run_lit(runtime, many, MANY_THREADS, options, tools)
    missing = [name for name in names if name not in runtime.results]
    if missing:
        die(f"lit did not report {len(missing)} tests, {missing[0]} for one")


def run_lit(runtime, names, settings, options, tools):
    if not names:
        return
    record = runtime.work / "results.json"
    python = ROOT / ".venv" / "bin" / "python"
    limited = has_module(python, "psutil")
    command = [python if limited else sys.executable, tools.lit, "-q", "-j", options.jobs, "--output", record]
    if limited:
        command += ["--timeout", runtime.limit]
    command += [runtime.work / name for name in names]
    environment = clean_environment()
    environment["CHECK_OPENMP_ENV"] = settings  # the hook of the tests' own configuration
    subprocess.run([str(word) for word in command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    if not record.exists():
        die(f"lit failed; see: {' '.join(str(word) for word in command[:8])} …")
    for test in json.loads(record.read_text())["tests"]:
        name = test["name"].split(" :: ", 1)[1]
        runtime.results[name], runtime.outputs[name] = test["code"], test.get("output", "")
    record.unlink()


def check_what_was_loaded(runtime):
    """That the programs which lit has built load this OpenMP library and no other; counts them."""
    own = os.path.realpath(runtime.folder / "libomp.so.5")
    environment = {**clean_environment(), "LD_LIBRARY_PATH": str(runtime.folder), "LD_TRACE_LOADED_OBJECTS": "1"}
    with_it = without = 0
    for program in runtime.work.rglob("*.tmp"):
        if not os.access(program, os.X_OK) or program.read_bytes()[:4] != b"\x7fELF":
            continue
        said = subprocess.run([program], env=environment, capture_output=True, text=True, check=False).stdout
        loaded = {os.path.realpath(path) for path in re.findall(r"=> (\S*/lib(?:i?omp5?|gomp)\b\S*)", said)}
        if loaded - {own}:
            die(f"{program} loads {', '.join(loaded)}, not {own}: the results would say nothing")
        with_it, without = with_it + bool(loaded), without + (not loaded)
    return with_it, without


# ---- Reporting -------------------------------------------------------------------------------------------------------

def verdict(suite, runtime, name):
    """passed, failed, accepted, unexpected (passes, but an accepted failure), unsupported; or left out, when not run."""
    code = runtime.results.get(name)
    if code is None:
        return "left out"
    if code in NOT_RUN:
        return "unsupported"
    if name in suite.accepted:
        return "unexpected" if code in GOOD else "accepted"
    return "passed" if code in GOOD else "failed"


def print_table(suite, chomp, others):
    columns = ["passed", "failed", "accepted", "unsupported", "left out"]
    folders = sorted({name.split("/")[0] for name in suite.names})
    say()
    say(f"{'folder':<14} {'tests':>6}" + "".join(f" {column:>12}" for column in columns)
        + "".join(f" {other.name:>9}" for other in others))
    for folder in [*folders, "all"]:
        names = [name for name in suite.names if folder in ("all", name.split("/")[0])]
        verdicts = ["passed" if v == "unexpected" else v for v in (verdict(suite, chomp, name) for name in names)]
        counts = [verdicts.count(column) for column in columns]
        passed = [sum(other.results.get(name) in GOOD for name in names) for other in others]
        say(f"{folder:<14} {len(names):>6}" + "".join(f" {n:>12}" for n in counts) + "".join(f" {n:>9}" for n in passed))


def print_failures(suite, chomp, others):
    """What makes the exit status 1; returns how many."""
    failed = [name for name in suite.names if verdict(suite, chomp, name) == "failed"]
    unexpected = [name for name in suite.names if verdict(suite, chomp, name) == "unexpected"]
    for name in failed:
        known = "".join(f", {other.name}: {other.results[name]}" for other in others)
        say(f"\n{chomp.results[name]}: {name}{known}")
        said = [line for line in chomp.outputs[name].splitlines() if line.startswith(("# |", "# error"))]
        say("\n".join("  " + line[:160] for line in said[-12:]))
    for name in unexpected:
        say(f"\npasses, but is an accepted failure; delete its line: {name}")
    return len(failed) + len(unexpected)


def print_differences(suite, chomp, stock, nothing):
    def passes(runtime):
        return {name for name in suite.names if runtime.results.get(name) in GOOD}

    say(f"\npass on libomp only: {', '.join(sorted(passes(stock) - passes(chomp))) or 'none'}")
    say(f"pass on chomp only: {', '.join(sorted(passes(chomp) - passes(stock))) or 'none'}")
    say(f"of the {len(passes(chomp))} that pass on chomp, {len(passes(chomp) & passes(nothing))} also pass on a library "
        "that does nothing")


def print_list(suite):
    for name in suite.names:
        say(f"{name:<60} {suite.remark(name)}".rstrip())
    say(f"{len(suite.names)} tests")


def main():
    options, watch = parse_arguments(), Stopwatch()
    suite = Suite(llvm_tests.fetched(options.cache, options.llvm), options)
    if options.list:
        return print_list(suite)
    tools = Toolchain()
    if not build("release", targets=["omp"]):
        die("the library does not build")
    names = [name for name in suite.names if options.all or suite.why_left_out(name) is None]
    if not names:
        die("no test matches" if not suite.names else "all tests that match are left out; --all runs them")
    chomp = Runtime("chomp", ROOT / "build" / "release" / "lib", limit=TEST_LIMIT_SECONDS)
    others = []
    if options.stock:
        others = [Runtime("libomp", tools.stock, limit=TEST_LIMIT_SECONDS),
                  Runtime("nothing", make_library_that_does_nothing(tools), limit=IDLE_LIMIT_SECONDS)]
    for runtime in [chomp, *others]:
        run_tests(runtime, suite, names, options, tools)
        with_it, without = check_what_was_loaded(runtime)
        say(f"  {with_it} programs load {runtime.folder}/libomp.so.5 and no other OpenMP library; {without} load none")
    print_table(suite, chomp, others)
    wrong = print_failures(suite, chomp, others)
    if others:
        print_differences(suite, chomp, *others)
    passed = sum(code in GOOD for code in chomp.results.values())
    say(f"\nLLVM {llvm_tests.version(suite.folder)}, {watch.seconds() / 60:.1f} minutes")
    say(f"{passed} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unavailable as why:
        say(f"LLVM's tests left out: {why}")
        sys.exit(SKIPPED_STATUS)
    except KeyboardInterrupt:
        die("\nStopped.", 130)
