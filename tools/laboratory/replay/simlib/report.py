"""Tables and pictures of simulated runs."""

from __future__ import annotations

import pathlib

from harness import plots
from harness.tables import as_markdown


def markdown(header: list[str], rows: list[list]) -> str:
    return as_markdown([header, *([str(cell) for cell in row] for row in rows)]) + "\n"


def milliseconds(ns: float) -> str:
    return f"{ns / 1e6:.4g}"


def program_of(result: dict) -> str:
    """The command line, without the folder that the program lay in."""
    command, space, arguments = result["program"].partition(" ")
    return pathlib.PurePath(command).name + space + arguments


def summary(result: dict) -> str:
    text = (f"{program_of(result) or 'graph'}: {result['tasks']:,} tasks in {result['regions']} regions, work "
            f"{milliseconds(result['work_ns'])} ms, span {milliseconds(result['span_ns'])} ms, parallelism "
            f"{result['parallelism']:.1f}; {milliseconds(result['outside_ns'])} ms outside regions\n\n")
    rows = []
    for each in result["results"]:
        total = max(each["time_ns"] * each["cores"], 1e-9)
        rows.append([each["machine"], each["scheduler"], milliseconds(each["time_ns"]),
                     f"{result['work_ns'] / max(each['time_ns'], 1e-9):.2f}",
                     f"{100 * min(1, each['idle_ns'] / total):.1f}", f"{100 * each['overhead_ns'] / total:.1f}",
                     each["published"], each["acquired_local"], each["stolen_operations"], each["run_on_other_domain"],
                     each["parks"], f"{each['transfers'] / max(result['tasks'], 1):.2f}"])
    header = ["sockets x cores", "scheduler", "ms", "speed-up", "idle %", "overhead %", "published", "taken from own queue",
              "stolen", "run on another socket", "parks", "transfers per task"]
    return text + markdown(header, rows)


def plot(path: str, result: dict) -> None:
    """Speed-up against cores, one curve for each scheduler."""
    pyplot = plots.pyplot()
    if pyplot is None:
        return
    figure, axes = pyplot.subplots(figsize=(8, 5.5))
    names = list(dict.fromkeys(each["scheduler"] for each in result["results"]))
    cores = sorted({each["cores"] for each in result["results"]})
    for number, name in enumerate(names):
        points = sorted((each["cores"], result["work_ns"] / each["time_ns"]) for each in result["results"]
                        if each["scheduler"] == name)
        axes.plot([x for x, _ in points], [y for _, y in points], marker="osD^v<>*P"[number % 9], label=name)
    bound = [min(n, result["parallelism"]) for n in cores]
    axes.plot(cores, bound, color="grey", linestyle=":", label="cores, work / span")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_xticks(cores, [str(n) for n in cores])
    machines = dict.fromkeys(each["machine"] for each in sorted(result["results"], key=lambda each: each["cores"]))
    axes.set_xlabel("cores (" + ", ".join(machines) + ")", fontsize=7)
    axes.set_ylabel("speed-up over the serial work")
    axes.set_title(program_of(result), fontsize=8)
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
