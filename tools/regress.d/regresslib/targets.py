"""What chomp's figures must be: each target a line, met or missed, with the number. They are about our own programs, and compare with
the better of libomp and libiomp5 running the same executable, and with libgomp as speed-up over each compiler's own serial code."""

from .libraries import PEERS
from .figures import geometric_mean

WITHOUT_CUTOFF, WITH_CUTOFF, SLOWEST = 5.0, 1.1, 0.97
TREE, TREE_ARGUMENTS = "uts", "-T T3 -v {}-inner"  # a task for each inner node of T3


def apply(results, threads):
    """Whether there are targets for a run on so many threads: of our programs, beside others, with a CPU for each thread."""
    return results.about["own_programs"] and bool(results.references()) and 1 < threads <= results.about["machine"]["cpus"]


def ratios(results, threads, subject, cutoff=None):
    """[(ratio, program)], the worst first; `cutoff` takes those with, or those without."""
    found = [(results.ratio(entry, line_threads, subject), entry) for entry, line_threads in results.lines() if line_threads == threads]
    series = {entry: results.get(entry, threads, subject) for _, entry in found}
    return sorted((ratio, entry) for ratio, entry in found
                  if ratio is not None and (cutoff is None or series[entry].cutoff == cutoff))


def behind_gcc(results, threads, subject):
    """[(our speed-up over theirs, program)], the worst first."""
    found = []
    for entry, line_threads in results.lines():
        if line_threads == threads:
            ours, theirs = (results.speed_up(entry, threads, name) for name in (subject, "libgomp"))
            if ours and theirs:
                found.append((ours / theirs, entry))
    return sorted(found)


def efficiency(results, threads, subject):
    """Of the search of T3 with a task for each inner node, tied or untied, the lower one; None if it was not measured."""
    found = []
    for entry, line_threads in results.lines():
        series = results.get(entry, line_threads, subject)
        if line_threads == threads and entry.startswith(TREE) and series:
            if any(TREE_ARGUMENTS.format(kind) in series.arguments for kind in ("tied", "untied")):
                found.append(results.speed_up(entry, threads, subject) / threads)
    return min(found, default=None)


def _line(what, value, limit, unit="", remark=""):
    verdict = "not measured" if value is None else "met" if value >= limit else "missed"
    return [verdict, what, "–" if value is None else f"{value:.3g}{unit}", f"≥ {limit:g}{unit}", remark]


def _worst(pairs, limit):
    """The worst value, and how many programs are below the limit."""
    if not pairs:
        return None, ""
    below = sum(value < limit for value, _ in pairs)
    return pairs[0][0], f"{pairs[0][1]}; {below} of {len(pairs)} below"


def lines(results, threads):
    """[[met or missed, what, number, limit, remark]] for the default library under test."""
    subject = results.subjects()[0]
    peers = " and ".join(name for name in PEERS if name in results.references())
    better = f"times as fast as {'the better of ' if ' and ' in peers else ''}{peers}"
    found = []
    for word, cutoff, limit in (("without", False, WITHOUT_CUTOFF), ("with", True, WITH_CUTOFF)):
        values = [ratio for ratio, _ in ratios(results, threads, subject, cutoff)]
        found.append(_line(f"geometric mean {word} cut-off, {better}", geometric_mean(values), limit, "", f"{len(values)} versions"))
    worst, remark = _worst(ratios(results, threads, subject), SLOWEST)
    found.append(_line(f"every program, {better}", worst, SLOWEST, "", remark))
    worst, remark = _worst(behind_gcc(results, threads, subject), SLOWEST)
    found.append(_line("every program, speed-up over libgomp's, each over its own serial code", worst, SLOWEST, "", remark))
    measured = efficiency(results, threads, subject)
    found.append(_line("parallel efficiency of UTS T3, a task per inner node", None if measured is None else 100 * measured,
                       92 if threads <= 2 else 90, " %"))
    wrong = results.failures(results.subjects())
    ran = sum(name in results.subjects() for _, _, name in results.series)
    found.append(["missed" if wrong else "met", "all answers right", f"{ran - len(wrong)} of {ran}", "all", ""])
    return found
