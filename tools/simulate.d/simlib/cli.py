"""The command line."""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import tempfile

from common import die
from . import profile as profiles
from . import report, slides, validate
from .engine import Build


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="tools/simulate", description="Replays a recorded OpenMP program on machines that nobody has. See "
        "tools/simulate.d/README.md.", epilog="simulate --record 'bots-sort -n 2000000' --topology 4x8 --schedulers all")
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="recordings of one program (CHOMP_RECORD), or one text file NAME.graph; "
        "or fib:N[,NS], flat:N[,NS]")
    add("--record", metavar="COMMAND", help="runs the program on chomp and records it first")
    add("--recordings", type=int, default=5, metavar="N", help="how many times (5): each computation counts where it is shortest")
    add("--record-threads", type=int, default=1, metavar="N", help="with how many threads (1)")
    add("--topology", action="append", metavar="SxC", help="sockets x cores; may be given several times (4x8)")
    add("--schedulers", default="mts,steal", metavar="LIST", help="names, or all (mts,steal)")
    add("--curve", type=int, metavar="N", help="also all powers of two up to N cores, --cores of them on a socket")
    add("--cores", type=int, default=8, metavar="N", help="on a socket, in the curve (8)")
    add("--plot", metavar="FILE", help="the speed-ups as a picture (.svg, .png …)")
    add("--json", metavar="FILE", help="everything as JSON; - is standard output")
    add("--seed", type=int, default=1, help="of chance: who sees a task first (1)")
    add("--profile", type=pathlib.Path, default=profiles.DEFAULT, metavar="FILE", help="what operations cost")
    add("--cost", action="append", default=[], metavar="NAME=NS", help="changes one cost; --cost list names them")
    add("--far", type=float, default=1, metavar="FACTOR", help="operations between sockets cost that much more (1)")
    add("--affinity", type=float, default=0, metavar="SHARE", help="the share of a task's time that waits for memory, from "
        "0 to 1: it loses that when it moves (0)")
    add("--calibrate", action="store_true", help="measures the costs on this machine and writes the profile")
    add("--validate", action="store_true", help="predictions beside reality, into tools/simulate.d/results")
    add("--slides", action="store_true", help="MTS and WS on 4x8 beside the published table, likewise")
    add("--only", metavar="TEXT", help="of --validate and --slides, only programs with this in their name")
    add("--rounds", type=int, default=30, help="of --validate: runs whose best counts (30)")
    add("--results", type=pathlib.Path, default=validate.RESULTS, metavar="DIR", help="where these two write")
    add("--build", type=pathlib.Path, metavar="DIR", help="a build of chomp (build/release, made if need be)")
    return parser.parse_args(arguments)


def costs_of(options, build) -> dict[str, float]:
    costs = {}
    for text in options.cost:
        found = re.fullmatch(r"(\w+)=([0-9.]+)", text)
        if not found:
            die(f"simulate: --cost {text}: expected NAME=NS")
        costs[found.group(1)] = float(found.group(2))
    return costs


def schedulers_of(options, build) -> list[str]:
    return build.policies(*([] if options.schedulers == "all" else options.schedulers.split(",")))


def machines_of(options) -> list[str]:
    machines = list(options.topology or ([] if options.curve else ["4x8"]))
    count = 1
    while options.curve and count <= options.curve:
        machines.append(f"1x{count}" if count <= options.cores else f"{count // options.cores}x{options.cores}")
        count *= 2
    return list(dict.fromkeys(machines))


def profile_of(options, build) -> profiles.Profile:
    if options.calibrate or (options.profile == profiles.DEFAULT and not options.profile.exists()):
        print(f"simulate: measuring what operations cost here, into {options.profile}", flush=True)
        profiles.calibrate(build).save(options.profile)
    return profiles.load(options.profile).changed(options.far, options.affinity, costs_of(options, build))


def simulate_files(options, build, profile, files: list[str]) -> None:
    result = build.simulate(files, machines_of(options), schedulers_of(options, build), profile, options.seed)
    if options.json == "-":
        print(json.dumps(result, indent=1))
    else:
        print(report.summary(result))
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n")
    if options.plot:
        report.plot(options.plot, result)


def main(arguments=None) -> int:
    options = parse(arguments)
    build = Build(options.build)
    if options.cost == ["list"]:
        for name, ns in build.default_costs().items():
            print(f"{name} {ns:g}")
        return 0
    profile = profile_of(options, build)
    if options.calibrate:
        print(report.markdown(["cost", "ns"], [[name, ns] for name, ns in profile.costs.items()]))
    for module, asked, work in ((validate, options.validate, lambda: validate.validate(build, profile, options.rounds, options.only)),
                                (slides, options.slides, lambda: slides.run(build, profile, options.only))):
        if not asked:
            continue
        result = work()
        text = module.describe(result)
        print(text)
        print("written:", validate.store(module.__name__.rsplit(".", 1)[-1], result, text, options.results))
    if options.record:
        with tempfile.TemporaryDirectory() as folder:
            files = build.record(options.record, options.recordings, folder, options.record_threads)
            simulate_files(options, build, profile, files)
    elif options.files:
        simulate_files(options, build, profile, options.files)
    elif not (options.calibrate or options.validate or options.slides):
        die("simulate: what? A recording, --record COMMAND, --calibrate, --validate or --slides; see --help", 2)
    return 0
