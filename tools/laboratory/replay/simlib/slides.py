"""What the real schedulers do as MTS and as WS on four chips of eight cores, beside the slides' table (papers:
Olivier, Porterfield, Wheeler, Prins). The slides' inputs are BOTS's largest; these are smaller."""

from __future__ import annotations

import datetime
import tempfile

from . import report
from .profile import machine_name, overheads

# steals and failed steals of MTS, of WS
PUBLISHED = {
    "Alignment (single)": (1016, 88, 3695, 255), "Fib": (633, 331, 467, 984), "Health": (28948, 10323, 295637, 47538),
    "NQueens": (102, 141, 1428, 389), "Sort": (1134, 404, 19330, 3283),
    "SparseLU (single)": (18045, 8133, 68927, 24506), "Strassen": (227, 157, 14042, 823),
}
PROGRAMS = {
    "Alignment (single)": "bots-alignment -n 60 -v untied", "Fib": "bots-fib -n 40 -v untied-manual -x 14",
    "Health": "bots-health -n 6 -t 100 -v untied-manual -x 4", "NQueens": "bots-nqueens -n 12 -v untied-manual -x 4",
    "Sort": "bots-sort -n 8000000 -v untied", "SparseLU (single)": "bots-sparselu -n 48 -m 40 -v untied",
    "Strassen": "bots-strassen -n 1024 -v untied-manual -x 4",
}
MACHINE = "4x8"


def run(build, costs: dict, only: str | None = None) -> dict:
    rows = []
    for name, program in PROGRAMS.items():
        if only and only.lower() not in name.lower():
            continue
        with tempfile.TemporaryDirectory() as folder:
            recordings = build.record(program, 5, folder)
            result = build.simulate(recordings, [MACHINE], ["mts", "steal"], costs, overheads(build))
        mts, ws = result["results"]
        rows.append({"program": name, "command": program, "published": PUBLISHED[name], "tasks": result["tasks"],
                     "mts": mts, "ws": ws, "work_ns": result["work_ns"], "parallelism": result["parallelism"]})
        print(f"replay: {name} done", flush=True)
    return {"date": datetime.date.today().isoformat(), "machine": machine_name(), "costs_ps": costs, "rows": rows}


def steals(run: dict) -> int:
    """Steals as Qthreads counts them: a chip's queue is shared, so only takings from another queue are steals."""
    return run["stolen_operations"]


def describe(result: dict) -> str:
    text = (f"# MTS and WS on {MACHINE}, of the real code on the virtual machine, and published\n\n{result['date']}, recorded on {result['machine']}. Steals "
            "are operations, as in the slides. Our programs are smaller than the slides' and cut off otherwise, so compare "
            "ratios, not numbers.\n\n")
    rows = []
    for row in result["rows"]:
        p, mts, ws = row["published"], row["mts"], row["ws"]
        ratio = p[2] / p[0]
        ours = steals(ws) / max(steals(mts), 1)
        agree = "yes" if (ratio > 1) == (ours > 1) else "**no**"
        rows.append([row["program"], f"{row['tasks']:,}", f"{p[0]:,} / {p[2]:,}", f"{ratio:.1f}",
                     f"{steals(mts):,} / {steals(ws):,}", f"{ours:.1f}", agree,
                     f"{row['work_ns'] / mts['time_ns']:.1f} / {row['work_ns'] / ws['time_ns']:.1f}",
                     f"{mts['failed_steals']:,} / {ws['failed_steals']:,}",
                     f"{mts['run_on_other_domain']:,} / {ws['run_on_other_domain']:,}"])
    return text + report.markdown(
        ["program", "tasks", "published steals MTS / WS", "ratio", "simulated steals MTS / WS", "ratio", "same side of 1",
         "simulated speed-up MTS / WS", "failed MTS / WS", "run on another chip MTS / WS"], rows)
