"""The command line."""

from __future__ import annotations

import json
import pathlib
import tempfile

import asked
import screen
from common import die
from virtual_build import read_costs
from . import profile, report
from .engine import Build

RECORDINGS = 5  # of --record: each computation counts where it is shortest


def parse(arguments):
    parser = screen.parser(
        "tools/scale replay", "[FILE ...]", "Replays a recorded OpenMP program on machines that nobody has.\n\n"
        "  tools/scale replay --record 'bots-sort -n 2000000' --topology 4x8 --schedulers all\n"
        "  tools/scale replay run.rec --curve 1024 --plot sort.svg\n\nMore: tools/laboratory/replay/README.md.")
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="recordings of one program (CHOMP_RECORD), or NAME.graph, fib:N[,NS], flat:N[,NS]")
    add("--record", metavar="COMMAND", help="run the program on chomp and record it first, five times")
    add("--record-threads", type=int, default=1, metavar="N", help="with how many threads (1)")
    add("--topology", action="append", type=asked.machine, metavar="CxK", help="chips x cores of a chip; may be given several times (4x8)")
    add("--schedulers", type=asked.schedulers, default="mts,steal", metavar="NAME,...", help="names, or all (mts,steal)")
    add("--curve", type=int, metavar="N", help="also all powers of two up to N cores, --cores of them on a socket")
    add("--cores", type=int, default=8, metavar="N", help="on a socket, in the curve (8)")
    add("--plot", metavar="FILE", help="the speed-ups as a picture (.svg, .png …)")
    add("--json", metavar="FILE", help="everything as JSON; - is standard output")
    add("--profile", default="epyc", metavar="NAME|FILE", help="what the machine's operations cost, as for tools/scale (epyc)")
    add("--calibrate", action="store_true", help="measure what recording costs on this machine, which is taken off again")
    add("--build", type=pathlib.Path, metavar="DIR", help="a build of chomp (build/release, made if need be)")
    add("-j", "--jobs", type=int, default=2, metavar="N", help="replays at a time (2)")
    screen.help_for(parser)
    return parser.parse_args(arguments)


def machines_of(options) -> list[str]:
    machines = list(options.topology or ([] if options.curve else ["4x8"]))
    count = 1
    while options.curve and count <= options.curve:
        machines.append(f"1x{count}" if count <= options.cores else f"{count // options.cores}x{options.cores}")
        count *= 2
    return list(dict.fromkeys(machines))


def simulate_files(options, build, costs, files: list[str]) -> None:
    made_up = any(file.endswith(".graph") or file.startswith(("fib:", "flat:")) for file in files)
    result = build.simulate(files, machines_of(options), options.schedulers, costs,
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
    build, costs = Build(options.build), read_costs("replay", options.profile)
    if options.calibrate:
        profile.measure(build)
    if options.record:
        with tempfile.TemporaryDirectory() as folder:
            files = build.record(options.record, RECORDINGS, folder, options.record_threads)
            simulate_files(options, build, costs, files)
    elif options.files:
        simulate_files(options, build, costs, options.files)
    elif not options.calibrate:
        die("replay: what? A recording, --record COMMAND or --calibrate; see --help", 2)
    return 0
