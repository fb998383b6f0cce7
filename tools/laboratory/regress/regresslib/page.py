"""tools/bench programs --page: measures what the page of results shows, and writes it: tools/docs/measured.md and the picture of the
first page. Each part is a result of record, of tools/bench or of tools/bench programs; the newest of each is shown."""

import re
import subprocess

from benchlib import constructs as one_thread, crowd, inlined, plot, start, results as bench_results, targets as bench_targets
from common import ROOT, die, say
from harness import engine, files
from harness.tables import as_markdown, wrapped

from . import results as own_results, targets as own_targets

PAGE, PICTURE = ROOT / "tools" / "docs" / "measured.md", ROOT / "tools" / "docs" / "results" / "measured.svg"
PEERS = ("libomp", "libiomp5", "libgomp", "tbb")
# What a user's program is made of; those with True are in the picture.
PATTERNS = {"fib_untied": True, "fib_tied": False, "spawn_serial": True, "taskloop_one": True,
            "depend_chains": False, "depend_cholesky": True, "flow_priority": False, "uts_t3": True,
            "grain_10us": True, "sync_fork_join": True, "sync_barrier": True, "loop_dynamic": False}
GRAPHS = ("stencil", "fft", "tree", "random_nearest", "all_to_all")
LOSSES = 4  # of each kind


# ---- Measuring ---------------------------------------------------------------------------------------------------------


def measure_bench(library):
    """The two parts that tools/bench measures, in some twenty minutes."""
    names = f"^({'|'.join(PATTERNS)})$"
    graphs = f"^metg_({'|'.join(GRAPHS)}).compute$"
    for words in (["--patterns", names, "--fetch-peers"], ["metg", "--patterns", graphs, "--threads", "2"]):
        done = subprocess.run([ROOT / "tools" / "bench", *words, "--chomp", library, "--record-results"], check=False)
        if done.returncode != 0:
            die("tools/bench fails: the page is not written")


# ---- What there is -----------------------------------------------------------------------------------------------------


def bench_records(catalog):
    """The runs of record, the newest last."""
    runs = [bench_results.from_json(file.read_text(encoding="utf-8")) for file in sorted(files.RESULTS.glob(f"{catalog}-*.json"))]
    return sorted(runs, key=lambda run: run.about["date"])


def own_records():
    return sorted((own_results.read(file) for file in sorted(files.RESULTS.glob("programs-*.json"))), key=lambda record: record.about["date"])


def about(record, command):
    """Where and when."""
    machine = record.about["machine"]
    return (f"{record.about['date']}, {machine['cpu']}, {machine['cpus']} CPUs, load {machine['load_before']}, commit "
            f"{record.about['commit']}, `{command}`")


def beside(verdict):
    """A verdict in a cell."""
    if verdict is None or not verdict.settled:
        return verdict.word if verdict else "–"
    return f"{verdict.ratio:.2f} ({verdict.low:.2f}–{verdict.high:.2f})" + (", CPU time" if verdict.by_cpu else "")


def figure(value):
    return "–" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


# ---- The parts of the page ---------------------------------------------------------------------------------------------


def constructs(run):
    """Best times of each pattern on two threads, chomp's on one, and what may be said of chomp beside the best other."""
    modes = [mode for mode in run.modes() if mode != "record"]
    peers = [name for name in PEERS if name in run.runtimes() and name != "libomp"]  # libiomp5 is the same code
    names = {mode: ["chomp", *(peers if mode != "1" else [])] for mode in modes}  # the instructions say more of one thread
    lines = [["best, ns", *(head for mode in modes for head in (*(f"{name} {mode}" for name in names[mode]), f"times as fast, {mode}"))]]
    for pattern in (p for p in run.patterns() if p.name in PATTERNS):
        row = [f"{pattern.name}, {pattern.unit.removeprefix('ns/')}"]
        for mode in modes:
            values = [run.best(pattern.name, mode, name) for name in names[mode]]
            row += [*map(figure, values), beside(run.verdict(pattern.name, mode))]
        lines.append(row)
    return lines


def granularities(run):
    """METG(50 %) in microseconds."""
    mode = run.modes()[-1]
    names = [name for name in ("chomp", *PEERS) if name in run.runtimes() and name != "libomp"]

    def cell(pattern, name):
        series = run.series.get((pattern.name, mode, name))
        ns = series.extra("metg50") if series and series.samples else None
        return "–" if ns is None else f"{ns / 1000:.3g}" if ns > 0 else "never"

    return [[f"METG(50 %), µs, {mode} threads", *names],
            *([pattern.name.removeprefix("metg_"), *(cell(pattern, name) for name in names)] for pattern in run.patterns())]


def programs(record, threads):
    """Each program beside the better of libomp and libiomp5."""
    groups = {}
    for entry, verdict in record.verdicts(threads, record.subjects()[0]).items():
        groups.setdefault(entry.partition("/")[0], {})[entry.partition("/")[2]] = verdict
    lines = [["program", "times as fast, mean of the settled", "faster, level, slower", engine.UNSETTLED, "of the settled, the worst"]]
    nothing = 0
    for name, verdicts in groups.items():
        settled = sorted((verdict.ratio, f"{beside(verdict)}, {version}")
                         for version, verdict in verdicts.items() if verdict.settled)
        mean = engine.mean(verdicts.values())
        if not settled:
            nothing += 1
            continue
        count = {word: sum(verdict.word == word for verdict in verdicts.values()) for word in engine.WORDS}
        lines.append([name, f"{mean:.2f}" if mean else "–", f"{count[engine.FASTER]}, {count[engine.LEVEL]}, {count[engine.SLOWER]}",
                      str(count[engine.UNSETTLED] or "–"), settled[0][1]])
    return [lines[0], *sorted(lines[1:])], f"Nothing is settled of {nothing} more." if nothing else ""


def of_other_commands():
    """The parts that tools/bench constructs, inlined, crowd and start write with --page, as they are."""
    headings = "|".join(command.HEADING for command in (one_thread, inlined, crowd, start))
    return re.findall(rf"(?:{headings})\n.*?(?=\n\n## )", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def losses(run, record, threads):
    """What is slower than the best other, the worst first."""
    slower = [f"{ratio:.2f} {where}" for ratio, where, word in bench_targets.beside_peers(run) if word == engine.SLOWER]
    verdicts = record.verdicts(threads, record.subjects()[0])
    programs_behind = [f"{1 / verdict.ratio:.2f} ({1 / verdict.high:.2f}–{1 / verdict.low:.2f}) {entry}"
                       for entry, verdict in sorted(verdicts.items(), key=lambda item: item[1].ratio or 1) if verdict.word == engine.SLOWER]
    speed_ups = own_targets.behind_gcc(record, threads, record.subjects()[0])
    behind_gcc = [f"{1 / verdict.ratio:.2f} {entry}" for entry, verdict in sorted(speed_ups.items(), key=lambda item: item[1].ratio or 1)
                  if verdict.word == engine.SLOWER]
    for what, found, total in (("constructs, times the best other's time", slower, len(bench_targets.beside_peers(run))),
                               ("versions, times the time on the better of libomp and libiomp5", programs_behind,
                                len(verdicts)),
                               ("versions, by speed-up over each compiler's serial code, behind libgomp", behind_gcc,
                                len(speed_ups))):
        yield wrapped(f"{len(found)} of {total} {what}{': ' if found else '.'}" + "; ".join(found[:LOSSES]) + ("; …" if len(found) > LOSSES else ""), "- ")


def compose():
    """The text of the page, and the run that the picture shows, of the newest records."""
    runs, graphs, records = bench_records("tasks"), bench_records("metg"), own_records()
    if not runs or not records:
        die("there are no results of record to make a page of")
    run, record = runs[-1], records[-1]
    threads = max(threads for _, threads in record.lines())
    parts = ["# Measured", wrapped("`tools/bench programs --page` measures all of it in some fifty minutes, and writes this page; wins and losses alike. How: "
                                   "[bench](../laboratory/bench/README.md), [regress](../laboratory/regress/README.md), "
                                   "[scale](../laboratory/scale/README.md)."),
             "## What one task or construct costs", "![Time of a task on one and two threads](results/measured.svg)",
             wrapped(f"Nanoseconds, the best of all rounds in turn, on one thread and on two; and how many times as fast "
                     f"chomp is as the best other: the median of the rounds, with its interval. libgomp's column is code of GCC. {about(run, 'tools/bench')}."),
             as_markdown(constructs(run))]
    if graphs:
        parts += [wrapped(f"The smallest mean length of a task at which half of the rate is reached. {about(graphs[-1], 'tools/bench metg')}."),
                  as_markdown(granularities(graphs[-1]))]
    table, nothing = programs(record, threads)
    parts += ["## Programs", wrapped(f"Beside the better of libomp and libiomp5 on {threads} threads, the same executable. Faster and slower are settled: "
                                     f"the interval of the ratio, of all rounds, leaves out 1 by more than 3 %. {about(record, 'tools/bench programs')}."),
              as_markdown(table), *([wrapped(nothing)] if nothing else []), *of_other_commands(), "## Where others are faster", "\n".join(losses(run, record, threads))]
    parts += [wrapped("Machines with more CPUs: [beside the peers](../laboratory/scale/results.md#beside-the-peers), in virtual time.")]
    return "\n\n".join(parts) + "\n", run


def write():
    text, run = compose()
    files.write(PAGE, text)
    plot.plot(PICTURE, run, [pattern for pattern in run.patterns() if PATTERNS.get(pattern.name)])
    say(f"written: {PAGE.relative_to(ROOT)}, {PICTURE.relative_to(ROOT)}")
