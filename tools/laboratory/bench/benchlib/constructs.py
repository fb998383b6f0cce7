"""tools/bench constructs: instructions of each construct on one thread, of both compilers' code, beside the peers. They repeat exactly."""

from __future__ import annotations

import argparse
import datetime
import pathlib
import re
import sys
import tempfile

from harness import files
from harness.machine import commit
from harness.running import Failed, run_program
from harness.tables import as_markdown, wrapped

from . import build as building
from . import crowd, inlined, runtimes, start

USES = 1536 - 512  # kMany - kFew of patterns/constructs.c
TIMEOUT_S = 600
PEERS = ("libomp", "libiomp5", "libgomp")
HEADING = "## One thread"
COLUMNS = {"Clang's code": ("chomp", PEERS[:2]), "GCC's code": ("chomp-gcc", PEERS[2:])}
VARIANTS = ("parallel_if", "parallel_copyin", "for_runtime", "critical_named", "taskloop_one")  # which the page leaves out
MOST_GROWTH = 1.02, 2  # a row may grow so much, and by so many instructions, that another compiler is no failure
HEADS = ("instructions", "chomp", "libomp", "libiomp5", "× best", "chomp-gcc", "libgomp", "× libgomp")


def count(program: pathlib.Path, runtime: runtimes.Runtime) -> dict[str, float]:
    """Instructions of one use of each construct. Callgrind writes a file for each call of measured(): two for each construct."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=measured", "--dump-after=measured",
                   "--fair-sched=try", str(program)]
        names = run_program(command, runtime.environment() | {"OMP_NUM_THREADS": "1"}, TIMEOUT_S).split()
        dumps = [pathlib.Path(folder) / f"out.{number}" for number in range(1, 2 * len(names) + 1)]
        totals = [int(found.group(1)) for dump in dumps if dump.exists() and (found := re.search(r"(?m)^totals: (\d+)", dump.read_text()))]
    if len(totals) != len(dumps):
        raise Failed("error", f"{len(totals)} counts instead of {len(dumps)}")
    return {name: (many - few) / USES for name, few, many in zip(names, totals[::2], totals[1::2])}


def over(counts: dict[str, dict[str, float]], name: str, ours: str, peers: tuple[str, ...]) -> str:
    """chomp's figure over the best peer's."""
    figures = [counts[peer][name] for peer in peers if name in counts.get(peer, {})]
    mine = counts.get(ours, {}).get(name)
    return f"{mine / min(figures):.2f}" if mine is not None and figures else "–"


def table(counts: dict[str, dict[str, float]]) -> list[list[str]]:
    """A line for each construct."""
    def cell(runtime: str, name: str) -> str:
        value = counts.get(runtime, {}).get(name)
        return "–" if value is None else f"{value:.0f}"

    names = dict.fromkeys(name for figures in counts.values() for name in figures)
    return [list(HEADS), *([name.replace("_", " "), *(cell(runtime, name) for runtime in HEADS[1:4]), over(counts, name, "chomp", PEERS[:2]),
                            *(cell(runtime, name) for runtime in HEADS[5:7]), over(counts, name, "chomp-gcc", PEERS[2:])] for name in names)]


def page_table(counts: dict[str, dict[str, float]]) -> list[list[str]]:
    """The table of the page: chomp's figure and the best peer's. Without variants, and where the library is not called."""
    lines = []
    for name in dict.fromkeys(name for figures in counts.values() for name in figures):
        figures = [(counts[ours].get(name), [counts[peer][name] for peer in peers if name in counts[peer]]) for ours, peers in COLUMNS.values()]
        if name not in VARIANTS and any(mine is not None and others != [mine] * len(others) for mine, others in figures):
            lines.append([name.replace("_", " "), *("–" if mine is None else f"{mine:.0f}/{min(others):.0f}" for mine, others in figures)])
    return [["chomp/best other", *COLUMNS], *lines]


def put_on_page(counts: dict[str, dict[str, float]]) -> None:
    """Before the page's next part."""
    text = wrapped("Instructions of a construct's smallest use by a thread alone, the compiler's too: chomp's, the fewer of libomp's and libiomp5's, or "
                   "libgomp's, whose taskyield does nothing; thread numbers lie in TLS. "
                   f"{datetime.date.today().isoformat()}, commit {commit()}, `tools/bench constructs`.")
    part = f"{HEADING}\n\n{text}\n\n{as_markdown(page_table(counts))}\n\n"
    page = re.sub(rf"{HEADING}\n.*?(?=## )", "", start.PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    files.write(start.PAGE, re.sub(rf"(?=(?:{inlined.HEADING}|{crowd.HEADING}|{start.HEADING})\n)", lambda _: part, page, count=1))


def grown(counts: dict[str, dict[str, float]]) -> list[str]:
    """The rows of the page that chomp now needs more instructions for."""
    part = start.PAGE.read_text(encoding="utf-8").partition(f"{HEADING}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"(?m)^\| ([a-z ]+?) +\| +(\d+|–)\S* \| +(\d+|–)\S* \|$", part)
    factor, more = MOST_GROWTH
    return [f"{name}: {column}, {now:.0f} instead of {before}" for name, *recorded in rows for (column, (ours, _)), before in zip(COLUMNS.items(), recorded)
            if (now := counts[ours].get(name.replace(" ", "_"))) is not None and before != "–" and now > int(before) * factor + more] if rows else ["no table"]


def main(argv: list[str]) -> int:
    """Counts, and prints the table."""
    p = argparse.ArgumentParser(prog="tools/bench constructs", description=__doc__)
    p.add_argument("--chomp", default="", metavar="DIR", help="folder of the libomp.so to measure; default: build one")
    p.add_argument("--peers", default=",".join(PEERS), metavar="LIST", help="default: %(default)s; 'none'")
    p.add_argument("--fetch-peers", action="store_true", help="install the peers that are missing, with apt or from PyPI")
    p.add_argument("--json", metavar="FILE", help="write the counts")
    p.add_argument("--page", action="store_true", help="put the table into measured.md")
    p.add_argument("--recorded", action="store_true", help="fail if chomp needs more instructions than the page says")
    p.add_argument("--build", default=str(building.ROOT / "build" / "bench"), metavar="DIR")
    p.add_argument("--clang", default="clang-19")
    p.add_argument("--gcc", default="gcc")
    args = p.parse_args(argv)
    build = pathlib.Path(args.build).resolve()
    peers = [] if args.peers == "none" else args.peers.split(",")
    if args.fetch_peers:
        runtimes.fetch_peers(peers, build, args.clang, args.gcc)
    chomp = building.chomp_library(args.chomp, build)
    found = [runtimes.with_soname(build, "chomp", "clang", chomp), *(runtimes.find_peer(name, build, chomp, args.clang, args.gcc)
                                                                     for name in ("chomp-gcc", *peers))]
    counts: dict[str, dict[str, float]] = {}
    try:
        for runtime in filter(None, found):
            program = building.build_c_program(build, runtime.compiler, getattr(args, runtime.compiler), "constructs")
            counts[runtime.name] = count(program, runtime)
    except Failed as failure:
        print(f"{runtime.name}: {failure}")
        return 1
    print(as_markdown(table(counts)))
    if args.json:
        rows = [{"runtime": name, "counts": figures} for name, figures in counts.items()]
        files.write(pathlib.Path(args.json), files.as_json({"date": datetime.date.today().isoformat(), "commit": commit()}, rows))
    if args.page:
        put_on_page(counts)
    worse = grown(counts) if args.recorded else []
    for line in worse:
        print(f"grown: {line}", file=sys.stderr)
    return 1 if worse else 0
