"""Runs the real runtime on a made-up machine, in virtual time (tools/laboratory/virtual, "Scaling")."""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parents[1] / "lib"), str(HERE.parent / "bench")]
sys.dont_write_bytecode = True
import asked  # noqa: E402
import screen  # noqa: E402
from benchlib import build as bench_build, catalog, loops_catalog, metg_catalog  # noqa: E402
import progress  # noqa: E402
from common import ROOT, clean_environment, die, say  # noqa: E402
from harness import plots  # noqa: E402
from beside import beside  # noqa: E402
from calibration import calibrate  # noqa: E402
from papers import papers  # noqa: E402
from peers import CHOMP, BUILDERS, runtime  # noqa: E402
from constructs import constructs  # noqa: E402
from known_answers import check  # noqa: E402
from monotone import monotone  # noqa: E402
from places import lines_of  # noqa: E402
from programs import TARGETS  # noqa: E402
from predictions import predict  # noqa: E402
from recorded import compare  # noqa: E402
from sweep import sweep  # noqa: E402
from robust import robust, robust_slice  # noqa: E402
from targets import targets  # noqa: E402
from versions import BLOCKS, versions  # noqa: E402
from virtual_build import BUILD, ScaledFailure, build_virtual, read_costs, scaled  # noqa: E402

REPS = 3  # of a pattern, but for those of metg, which repeat each point of their curve
PATTERNS = {pattern.name: pattern for pattern in (*catalog.CATALOG, *loops_catalog.LOOPS, *metg_catalog.METG)}
# The settings that --env takes: those of OpenMP runtimes, but for what has an option of its own.
SETTING = re.compile(r"(?!OMP_NUM_THREADS=|CHOMP_SCHEDULER=)(?:OMP|KMP|GOMP|CHOMP)_\w+=.*")


DESCRIPTION = """Runs the real runtime on a made-up machine, in virtual time. The same command gives the same numbers.

  tools/scale --machine 4x8 --threads 1,8,32 fib_tied

PROGRAM is a pattern of tools/bench, a program of bots/ or uts/, a C or C++ file with OpenMP in it, or
an executable, compiled with -fsanitize=thread -fsanitize-coverage=bb,no-prune,trace-pc -c, and linked without."""


def runtimes_asked(text):
    return asked.one_of(BUILDERS, "runtime", text).split(",")


def parse_arguments():
    parser = screen.parser("tools/scale", "[PROGRAM [ARGUMENT ...]]", DESCRIPTION)
    parser.add_argument("program", nargs="?", metavar="PROGRAM", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT", help=argparse.SUPPRESS)
    add = parser.add_argument_group("a program").add_argument
    add("--machine", type=asked.machine, default="1x4", metavar="CxK", help="chips x cores of a chip (1x4)")
    add("--threads", type=asked.threads, metavar="N,...", help="OMP_NUM_THREADS (1, 2, 4 ... up to the machine's cores)")
    add("--schedulers", type=asked.schedulers, default="hierarchical", metavar="NAME,...", help="CHOMP_SCHEDULER (hierarchical); all: each")
    add("--runtimes", type=runtimes_asked, default=["chomp"], metavar="NAME,...", help="whose runtime (chomp): " + ", ".join(BUILDERS))
    add("--profile", default="epyc", metavar="NAME|FILE", help="what things cost: tools/laboratory/scale/profiles (epyc)")
    add("--set", default="", metavar="COST=PS,...", help="single costs, in picoseconds (tools/laboratory/virtual/scale.h)")
    add("--env", action="append", default=[], metavar="NAME=VALUE", help="a setting of the program, like KMP_BLOCKTIME=0; repeatable")
    add("--size", help="of a pattern of tools/bench: its size (that of a quick run)")
    add("--measure", action="store_true", help="run it on this machine with one thread, to learn what a basic block costs")
    add("--where", type=int, default=0, metavar="N", help="the N lines of code that wait longest for transfers")
    add("--json", metavar="FILE", help="write all that is known of each run")
    add("--plot", metavar="FILE", help="speed-up against threads, as SVG or PNG (matplotlib)")
    add("-j", "--jobs", type=int, default=2, help="runs at a time (2)")
    add = parser.add_argument_group("questions without a program").add_argument
    add("--check", action="store_true", help="are programs right whose result is known on paper?")
    add("--recorded", action="store_true", help="has anything become slower than it was? --record writes the times anew")
    add("--sweep", metavar="NUMBER", help="those times with a quarter to four times a number of runtime/base/policy.h")
    add("--targets", action="store_true", help="what must four threads reach beside one: met or missed?")
    add("--constructs", action="store_true", help="what do regions, barriers and loops move and take?")
    add("--versions", action="store_true", help="the versions of tools/bench programs, beside one thread and the best of the schedulers")
    add("--robust", action="store_true", help="patterns and versions on drawn machines: which are slower than one thread?")
    add("--peers", action="store_true", help="patterns on six machines beside the peers' code; with --json what is there is not run again")
    add("--monotone", action="store_true", help="is a larger machine slower than a smaller one? --runs 1: without their spread; --json as above")
    add("--papers", action="store_true", help="the papers' tables on the papers' machines, predicted beside published")
    add("--predict", type=int, metavar="ROUNDS", help="eight programs, virtual and real (best of so many runs)")
    add("--calibrate", metavar="FILE", help="measure this machine's costs and write them as a profile")
    add("--filter", default="", metavar="REGEX", help="of --constructs, --versions, --robust, --peers, --monotone, --papers: only these")
    add("--runs", type=int, metavar="N", help="of --robust (100), of --monotone (5); --slice: the few runs of tools/check, with limits")
    add("--seed", type=int, metavar="S", help="of --robust (a new one each time, which is printed)")
    add("--record", action="store_true", help=argparse.SUPPRESS)
    add("--slice", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("-h", "--help", action="help", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.program and not (options.calibrate or options.check or options.predict or options.targets or options.versions
                                   or options.robust or options.recorded or options.sweep or options.constructs or options.peers
                                   or options.monotone or options.papers):
        parser.error("which program?")
    if options.runtimes != ["chomp"] and (options.schedulers != ["hierarchical"] or options.measure or not options.program):
        parser.error("--runtimes is for one program, without --schedulers and --measure: a peer has one scheduler")
    if options.runs is not None and options.runs < 1:
        parser.error("--robust and --monotone need a run")
    options.chips, options.cores = map(int, options.machine.split("x"))
    for setting in options.env:
        if not SETTING.fullmatch(setting):
            parser.error(f"--env {setting}: that is no NAME=VALUE of an OpenMP runtime's settings (OMP_, KMP_, GOMP_, CHOMP_), or there is "
                         "an option for it (--threads, --schedulers)")
    options.settings = dict(setting.split("=", 1) for setting in options.env)
    cpus = options.chips * options.cores
    if options.threads:
        options.thread_list = options.threads
    else:
        options.thread_list = sorted({1 << i for i in range(11) if 1 << i <= cpus} | {cpus})
    options.scheduler_list = options.schedulers
    return options


class Program:
    """What runs: its executables, instrumented and (`plain`) as usual, their arguments and how their time is read."""

    def __init__(self, name, arguments=(), size=None, plain=False, runtime=CHOMP):
        self.name = name
        self.arguments = list(arguments)
        self.runtime = runtime
        pattern = PATTERNS.get(name)
        flags, sources, self.pattern = ["-O2", "-gdwarf-4", "-ffp-contract=off", *bench_build.INCLUDES, f"-I{ROOT / 'test'}",
                                        f"-fmacro-prefix-map={ROOT}/="], None, None
        if pattern and not pattern.external:
            self.pattern = pattern
            sources = [bench_build.PATTERNS / f"{name}.c" for name in (pattern.program, "harness", "harness_omp")]
            size = size or pattern.size("quick")
            self.arguments = [pattern.twin if runtime.kind == "tbb" else pattern.case, "--size", str(size), "--reps", str(1 if pattern in metg_catalog.METG else REPS),
                              *(["--arg", str(pattern.argument)] if pattern.argument else []), *self.arguments]
        elif pattern or self.name in TARGETS:
            sources = bench_build.external_sources(pattern.program if pattern else self.name)
            flags += ["-std=c11", "-D_GNU_SOURCE"] if runtime.kind != "tbb" else []
            if pattern:
                size = size or pattern.size("quick")
                self.pattern = pattern if runtime.kind == "tbb" else None
                self.arguments = ([pattern.twin, "--size", str(size), "--reps", str(REPS)] if runtime.kind == "tbb" else
                                  [*(word.format(size=size) for word in pattern.arguments), "-v", pattern.case, *self.arguments])
        elif Path(self.name).suffix in (".c", ".cpp", ".cc"):
            sources = [Path(self.name)]
        if runtime.kind == "tbb":
            if not pattern or not pattern.twin:
                die(f"scale: {name} has no twin for oneTBB (tools/bench)", 2)
            sources = bench_build.tbb_sources(pattern.program.removeprefix("bots-"))
            flags.append(f"-I{bench_build.UTS}")
        if sources:
            missing = [str(source) for source in sources if not source.exists()]
            if missing:
                die(f"scale: there is no {', '.join(missing)}", 2)
            blocks = "trace-pc" if runtime.kind == "gcc" else "bb,no-prune,trace-pc"
            self.virtual = self.compile(sources, [*flags, "-fsanitize=thread", f"-fsanitize-coverage={blocks}"], "")
            self.real = self.compile(sources, flags, "-real") if plain else None
        else:
            self.virtual = self.real = Path(shutil.which(self.name) or self.name).resolve()
            if not self.virtual.exists():
                die(f"scale: there is no {self.name}: not a pattern of tools/bench, a program of bots/ or uts/, or a file", 2)

    def compile(self, sources, flags, suffix):
        kind, libraries = self.runtime.kind, self.runtime.folder
        clang, clangxx = ((shutil.which(f"{name}-19") or shutil.which(name) or die(f"scale: no {name}", 2)) for name in ("clang", "clang++"))
        cxx = any(source.suffix != ".c" for source in sources)
        compiler = "gcc" if kind == "gcc" else clangxx if cxx else clang
        program = self.pattern.program if self.pattern else Path(self.name).stem
        folder = BUILD / "scale" / (program + suffix + ("" if kind == "clang" else f"-{kind}"))
        folder.mkdir(parents=True, exist_ok=True)
        headers = [*sources[0].parent.glob("*.h"), *bench_build.external_headers()]
        openmp = ["-fopenmp"] if kind != "tbb" else []

        def language(source):
            if kind != "tbb":
                return [compiler]
            return [compiler, "-std=c++20", *self.runtime.flags] if source.suffix == ".cpp" else [clang, "-std=gnu11"]

        objects = [bench_build.compile_to(folder / f"{source.stem}.o", [source], [*language(source), *flags, *openmp, "-c"], headers)
                   for source in sources]
        more = [f"-L{libraries}", "-lm", *(["-ltbb"] if kind == "tbb" else []), *([] if suffix else ["-lchomp-virtual"])]
        return bench_build.compile_to(folder / program, objects, [compiler, *openmp, "-pthread"], [], more)

    def time_ns(self, output, whole_ns):
        found = re.search(r"^Time Program\s*=\s*([\d.]+) seconds", output, re.M)
        if found:
            return float(found[1]) * 1e9
        found = re.search(r"units=(\d+) ns_per_unit=([\d.]+)", output) if self.pattern else None
        if found:
            return float(found[2]) * (float(found[1]) if self.pattern.unit.startswith("ns/") or self.pattern.external else 1)
        return whole_ns

    def unit(self, output):
        """How many units the time is for, and their name."""
        found = re.search(r"units=(\d+) ns_per_unit", output)
        return (int(found[1]), self.pattern.unit) if found and self.pattern.unit.startswith("ns") else (None, "ms")


def try_virtual(program, machine, costs, threads, scheduler, settings=None, **limits):
    """What run_virtual() returns, or a ScaledFailure. `settings` and `limits` as in virtual_build.scaled()."""
    settings = program.runtime.settings | (dict(program.pattern.settings) if program.pattern else {}) | (settings or {})
    said, result = scaled([program.virtual, *program.arguments], machine, costs, threads, scheduler, settings,
                          **({"libraries_in": program.runtime.folder} | limits))
    result.update(threads=threads, scheduler=scheduler, machine=machine, said=said, program_ns=program.time_ns(said, result["time_ns"]))
    result["units"], result["unit"] = program.unit(said)
    found = re.search(r"ns_per_unit=([\d.]+)", said)
    result["ns_per_unit"] = float(found[1]) if found else None
    return result


def run_virtual(*arguments, **more):
    try:
        return try_virtual(*arguments, **more)
    except ScaledFailure as failure:
        die(f"scale: {failure}")


def measured_ns(program, library):
    """The best of thirty runs with one thread on this machine: other processes take a third of a CPU for a moment."""
    environment = clean_environment()
    environment.update({"OMP_NUM_THREADS": "1", "LD_LIBRARY_PATH": str(library)})
    best = None
    for _ in range(30):
        done = subprocess.run([str(program.real), *program.arguments], env=environment, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, check=False)
        ns = program.time_ns(done.stdout, 0)
        if done.returncode != 0 or not ns:
            die(f"scale: {program.name} does not print its time: --measure cannot be used")
        best = ns if best is None else min(best, ns)
    return best


def release_library():
    library = ROOT / "build" / "release" / "lib"
    if not library.exists():
        die("scale: this needs the release build: cmake --preset release && cmake --build --preset everything", 2)
    return library


def measure_block(program, costs):
    """What a block costs, such that one virtual thread takes as long as a real one. Virtual time is linear in it."""
    real = measured_ns(program, release_library())
    at = [run_virtual(program, "1x1", {**costs, "block": block}, 1, "hierarchical")["program_ns"] for block in (0, 1000)]
    if at[1] <= at[0]:
        die("scale: the program has no blocks that count; was it compiled here?")
    block = round((real - at[0]) / (at[1] - at[0]) * 1000)
    say(f"one thread on this machine: {real / 1e6:.3f} ms; a basic block takes {max(block, 0)} ps"
        + ("" if block >= 0 else f" (the runtime's part alone takes {at[0] / 1e6:.3f} ms)"))
    return max(block, 0)


def factor_of_fib(costs):
    """How much longer fib_tied takes on one thread of this machine than on a virtual one."""
    program = Program("fib_tied", size="24", plain=True)
    return measured_ns(program, release_library()) / run_virtual(program, "1x1", costs, 1, "hierarchical")["program_ns"]


def read_profile(options):
    costs = read_costs("scale", options.profile)
    for word in filter(None, options.set.split(",")):
        name, _, value = word.partition("=")
        costs[name] = int(value)
    return costs


def table(results, base):
    say(f"{'':13} {'threads':>7} {'time':>12} {'speed-up':>8} {'efficiency':>10} {'asleep':>7} {'transfers':>10} "
        f"{'waited':>7} {'membarrier':>10} {'sleeps':>7} {'wakes':>7} {'pauses':>8}")
    for r in results:
        time = f"{r['program_ns'] / r['units']:.2f} {r['unit']}" if r["units"] else f"{r['program_ns'] / 1e6:.3f} ms"
        speed = base[r["scheduler"]] / r["program_ns"] if r["scheduler"] in base else None
        efficiency = f"{100 * speed / r['threads']:.0f} %" if speed else ""
        transfers = sum(t["count"] for t in r["transfers"])
        waited = sum(t["waited_ns"] for t in r["transfers"])
        thread_time = r["time_ns"] * r["threads"]
        say(f"{r['scheduler']:13} {r['threads']:7} {time:>12} {f'{speed:.2f}' if speed else '':>8} "
            f"{efficiency:>10} {100 * r['asleep_ns'] / thread_time:6.0f}% {transfers:10} "
            f"{100 * waited / thread_time:6.0f}% {r['membarriers']:10} {r['sleeps']:7} {r['woken']:7} {r['pauses']:8}"
            + ("  threads wait for CPUs" if r["crowded"] else "") + (f"  CPUs lost for {r['lost_ns'] / 1e6:.1f} ms" if r["lost_ns"] else ""))


def show_places(result, count):
    say(f"\n{result['scheduler']}, {result['threads']} threads: transfers of cache lines, by the code that waits longest for them")
    say(f"{'transfers':>10} {'far':>8} {'waited ms':>10}  where")
    merged = {}
    for transfer, line in zip(result["transfers"], lines_of(result["transfers"])):
        sums = merged.setdefault(line, [0, 0, 0])
        for i, key in enumerate(("count", "far", "waited_ns")):
            sums[i] += transfer[key]
    for line, (number, far, waited) in sorted(merged.items(), key=lambda item: -item[1][2])[:count]:
        say(f"{number:10} {far:8} {waited / 1e6:10.3f}  {line}")


def plot(results, base, path, title):
    pyplot = plots.pyplot()
    if pyplot is None:
        return
    figure, axes = pyplot.subplots(figsize=(6, 4.5))
    most = max(r["threads"] for r in results)
    axes.plot([1, most], [1, most], color="0.8", linewidth=1, label="linear")
    for scheduler in dict.fromkeys(r["scheduler"] for r in results):
        mine = [r for r in results if r["scheduler"] == scheduler]
        axes.plot([r["threads"] for r in mine], [base[scheduler] / r["program_ns"] for r in mine], marker="o", label=scheduler)
    axes.set(xlabel="threads", ylabel="speed-up", title=title)
    if most > 16:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main():
    options = parse_arguments()
    build_virtual("scale", "omp")
    costs = read_profile(options)
    if options.calibrate:
        return calibrate(options.calibrate, costs, factor_of_fib)
    if options.check:
        return int(check(Program, run_virtual, costs) > 0)
    if options.predict:
        return int(predict(Program, run_virtual, costs, release_library(), options.predict) > 0)
    if options.targets:
        return targets(Program, run_virtual, costs)
    if options.constructs:
        return constructs(Program, run_virtual, costs, options)
    if options.recorded:
        return int(compare(Program, run_virtual, costs, options) > 0)
    if options.sweep:
        return sweep(Program, run_virtual, costs, options)
    if options.versions:
        times = versions(Program, run_virtual, costs, options)
        if options.json:
            Path(options.json).write_text(json.dumps({"costs_ps": costs, "blocks_ps": BLOCKS, "ns": times}))
        return 0
    if options.peers:
        return int(beside(Program, try_virtual, PATTERNS, costs, options) > 0)
    if options.monotone:
        return int(monotone(Program, try_virtual, costs, options) > 0)
    if options.papers:
        return papers(Program, try_virtual, options)
    if options.robust:
        return int((robust_slice if options.slice else robust)(Program, try_virtual, costs, options) > 0)
    if options.runtimes == ["chomp"]:
        program = Program(options.program, options.arguments, options.size, plain=options.measure)
        programs = {scheduler: program for scheduler in options.scheduler_list}
        if options.measure:
            costs["block"] = measure_block(program, costs)
    else:
        programs = {name: Program(options.program, options.arguments, options.size, runtime=runtime(name)) for name in options.runtimes}
        program = next(iter(programs.values()))
    jobs = [(name, threads) for name in programs for threads in options.thread_list]

    def run_job(job):
        name, threads = job
        scheduler = name if options.runtimes == ["chomp"] else "hierarchical"
        return run_virtual(programs[name], options.machine, costs, threads, scheduler, options.settings) | {"scheduler": name}

    with progress.Pool(options.jobs) as pool:
        results = list(pool.map(run_job, jobs))
    base = {r["scheduler"]: r["program_ns"] for r in results if r["threads"] == 1}
    say(f"{program.name} {shlex.join(program.arguments)} on {options.machine}, profile {options.profile}")
    table(results, base)
    for result in results if options.where else ():
        if result["threads"] == max(options.thread_list):
            show_places(result, options.where)
    if options.json:
        Path(options.json).write_text(json.dumps({"program": program.name, "arguments": program.arguments, "costs_ps": costs, "runs": results}))
    if options.plot:
        if len(base) != len(options.scheduler_list):
            die("scale: a plot needs a run with one thread", 2)
        plot(results, base, options.plot, f"{program.name} on {options.machine} (virtual time)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
