"""The command line."""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import tempfile

import asked
from common import die
from virtual_build import read_costs
from . import profile, report, slides, validate
from .engine import Build, scheduler_names


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="tools/scale replay", description="Replays a recorded OpenMP program on machines that nobody has. See "
        "tools/laboratory/replay/README.md.", epilog="tools/scale replay --record 'bots-sort -n 2000000' --topology 4x8 --schedulers all")
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="recordings of one program (CHOMP_RECORD), or one text file NAME.graph; "
        "or fib:N[,NS], flat:N[,NS]")
    add("--record", metavar="COMMAND", help="runs the program on chomp and records it first")
    add("--recordings", type=int, default=5, metavar="N", help="how many times (5): each computation counts where it is shortest")
    add("--record-threads", type=int, default=1, metavar="N", help="with how many threads (1)")
    add("--topology", action="append", type=asked.machine, metavar="CxK", help="chips x cores of a chip; may be given several times (4x8)")
    add("--schedulers", default="mts,steal", metavar="LIST", help="names, or all (mts,steal)")
    add("--curve", type=int, metavar="N", help="also all powers of two up to N cores, --cores of them on a socket")
    add("--cores", type=int, default=8, metavar="N", help="on a socket, in the curve (8)")
    add("--plot", metavar="FILE", help="the speed-ups as a picture (.svg, .png …)")
    add("--json", metavar="FILE", help="everything as JSON; - is standard output")
    add("--profile", default="epyc", metavar="NAME|FILE", help="what the machine's operations cost: tools/laboratory/scale/profiles, "
        "or what tools/scale --calibrate wrote (epyc)")
    add("--cost", action="append", default=[], metavar="NAME=PS", help="changes one cost, in picoseconds; --cost list names them")
    add("--far", type=float, default=1, metavar="FACTOR", help="a line from another socket costs that much more (1)")
    add("--calibrate", action="store_true", help="measures what recording costs on this machine, which is taken off again")
    add("--validate", action="store_true", help="predictions beside reality, into tools/laboratory/replay/results")
    add("--slides", action="store_true", help="MTS and WS on 4x8 beside the published table, likewise")
    add("--only", metavar="TEXT", help="of --validate and --slides, only programs with this in their name")
    add("--rounds", type=int, default=30, help="of --validate: runs whose best counts (30)")
    add("--results", type=pathlib.Path, default=validate.RESULTS, metavar="DIR", help="where these two write")
    add("--build", type=pathlib.Path, metavar="DIR", help="a build of chomp (build/release, made if need be)")
    add("-j", "--jobs", type=int, default=2, metavar="N", help="replays at a time (2)")
    return parser.parse_args(arguments)


def costs_of(options) -> dict[str, int]:
    costs = read_costs("replay", options.profile)
    for text in options.cost:
        found = re.fullmatch(r"(\w+)=([0-9]+)", text)
        if not found or found[1] not in costs:
            die(f"replay: --cost {text}: expected NAME=PS; tools/scale replay --cost list says the names")
        costs[found[1]] = int(found[2])
    costs["far"] = round(costs["far"] * options.far)
    return costs


def machines_of(options) -> list[str]:
    machines = list(options.topology or ([] if options.curve else ["4x8"]))
    count = 1
    while options.curve and count <= options.curve:
        machines.append(f"1x{count}" if count <= options.cores else f"{count // options.cores}x{options.cores}")
        count *= 2
    return list(dict.fromkeys(machines))


def simulate_files(options, build, costs, files: list[str]) -> None:
    made_up = any(file.endswith(".graph") or file.startswith(("fib:", "flat:")) for file in files)
    result = build.simulate(files, machines_of(options), scheduler_names(options.schedulers), costs,
                            () if made_up else profile.overheads(build), options.jobs)
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
    if options.cost == ["list"]:
        for name, ps in read_costs("replay", options.profile).items():
            print(f"{name} {ps}")
        return 0
    build = Build(options.build)
    costs = costs_of(options)
    if options.calibrate:
        profile.measure(build)
    for module, asked, work in ((validate, options.validate, lambda: validate.validate(build, costs, options.rounds, options.only)),
                                (slides, options.slides, lambda: slides.run(build, costs, options.only))):
        if not asked:
            continue
        result = work()
        text = module.describe(result)
        print(text)
        print("written:", validate.store(module.__name__.rsplit(".", 1)[-1], result, text, options.results))
    if options.record:
        with tempfile.TemporaryDirectory() as folder:
            files = build.record(options.record, options.recordings, folder, options.record_threads)
            simulate_files(options, build, costs, files)
    elif options.files:
        simulate_files(options, build, costs, options.files)
    elif not (options.calibrate or options.validate or options.slides):
        die("replay: what? A recording, --record COMMAND, --calibrate, --validate or --slides; see --help", 2)
    return 0
