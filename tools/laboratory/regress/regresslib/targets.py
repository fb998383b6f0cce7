"""What chomp's figures must be: each target a line, met or missed, with the number. They are about our own programs, and compare with
the better of libomp and libiomp5 running the same executable, with libgomp as speed-up over each compiler's own serial code, with
chomp's other schedulers, and with its own one thread."""

from statistics import geometric_mean

from harness import engine

from .libraries import PEERS

WITHOUT_CUTOFF, WITH_CUTOFF, SLOWEST = 5.0, 1.1, 0.97
SCHEDULER_MEAN, SCHEDULER_WORST = 1.03, 1.15
NOISE = 1.03  # of two times
TREE, TREE_ARGUMENTS = "uts", "-T T3 -v {}-inner"  # a task for each inner node of T3


def apply(results, threads):
    """Whether there are targets for a run on so many threads: of all our programs, beside others, with a CPU for each thread."""
    beside = threads > 1 and bool(results.references()) or len(results.subjects()) > 1
    return results.about["own_programs"] and not results.about.get("few") and beside and threads <= results.about["machine"]["cpus"]


def settled(results, threads, subject, cutoff=None):
    """{program: verdict} of what is settled; `cutoff` takes those with, or those without."""
    return {entry: verdict for entry, verdict in results.verdicts(threads, subject).items()
            if verdict.settled and (cutoff is None or results.get(entry, threads, subject).cutoff == cutoff)}


def behind_gcc(results, threads, subject):
    """{program: verdict} of speed-ups beside libgomp's, settled or not."""
    found = {entry: results.speed_up_verdict(entry, threads, subject, "libgomp") for entry, line_threads in results.lines() if line_threads == threads}
    return {entry: verdict for entry, verdict in found.items() if verdict}


def efficiency(results, threads, subject):
    """Of the search of T3 with a task for each inner node, tied or untied, the lower one; None if it was not measured."""
    found = []
    for entry, line_threads in results.lines():
        series = results.get(entry, line_threads, subject)
        if line_threads == threads and entry.startswith(TREE) and series:
            if any(TREE_ARGUMENTS.format(kind) in series.arguments for kind in ("tied", "untied")):
                found.append(results.speed_up(entry, threads, subject) / threads)
    return min(found, default=None)


def beside_schedulers(results, threads):
    """[(the first scheduler's time over that of the best one, program)], the worst first; empty if there is one scheduler only."""
    found = []
    for entry, line_threads in results.lines():
        series = [results.get(entry, line_threads, name) for name in results.subjects()]
        if line_threads == threads and len(series) > 1 and all(series):
            found.append((_over_the_best([one.seconds for one in series]), entry))
    return sorted(found, reverse=True)


def _over_the_best(rounds):
    """The first scheduler's time over that of the best one; `rounds[scheduler]` are its times. Of several equal ones the best is the one
    that was lucky. So half of the rounds say which is the best, and the other half how much better it is; then the other way round."""
    if min(map(len, rounds)) < 2:
        return min(rounds[0]) / max(min(map(min, rounds)), 1e-9)
    halves = [[min(times[start::2]) for times in rounds] for start in (0, 1)]
    return geometric_mean(other[0] / max(other[half.index(min(half))], 1e-9) for half, other in (halves, halves[::-1]))


def beside_one_thread(results, threads, subject):
    """[(time over that of one thread, program)], the worst first."""
    found = []
    for entry, line_threads in results.lines():
        many, one = results.get(entry, threads, subject), results.get(entry, 1, subject)
        if line_threads == threads > 1 and many and one:
            found.append((many.best / max(one.best, 1e-9), entry))
    return sorted(found, reverse=True)


def _line(what, value, limit, unit="", remark="", at_most=False):
    verdict = "not measured" if value is None else "met" if (value <= limit if at_most else value >= limit) else "missed"
    return [verdict, what, "–" if value is None else f"{value:.3g}{unit}", f"{'≤' if at_most else '≥'} {limit:g}{unit}", remark]


def _worst(pairs, limit, at_most=False):
    """The worst value, and how many programs are on the wrong side of the limit."""
    if not pairs:
        return None, ""
    missed = sum(value > limit if at_most else value < limit for value, _ in pairs)
    return pairs[0][0], f"{pairs[0][1]}; {missed} of {len(pairs)} {'above' if at_most else 'below'}"


def own_lines(results, threads):
    """Beside the other schedulers, and beside one thread."""
    schedulers = beside_schedulers(results, threads)
    mean = geometric_mean(value for value, _ in schedulers) if schedulers else None
    worst, remark = _worst(schedulers, SCHEDULER_WORST, at_most=True)
    found = [_line("geometric mean of times over the best scheduler's", mean, SCHEDULER_MEAN, "", f"{len(schedulers)} versions", at_most=True),
             _line("worst version's time over the best scheduler's", worst, SCHEDULER_WORST, "", remark, at_most=True)]
    if threads > 1:
        worst, remark = _worst(beside_one_thread(results, threads, results.subjects()[0]), NOISE, at_most=True)
        found.append(_line("worst version's time over own one thread's", worst, NOISE, "", remark, at_most=True))
    return found


def lines(results, threads):
    """[[met or missed, what, number, limit, remark]] for the default library under test."""
    return [*(beside_others(results, threads) if threads > 1 else []), *own_lines(results, threads), all_right(results)]


def _of_verdicts(what, verdicts):
    """The worst of those that are settled, and how many are not."""
    worst, remark = _worst(sorted((verdict.ratio, entry) for entry, verdict in verdicts.items() if verdict.settled), SLOWEST)
    left = sum(not verdict.settled for verdict in verdicts.values())
    return _line(what, worst, SLOWEST, "", "; ".join(filter(None, [remark, f"{left} not settled" if left else ""])))


def beside_others(results, threads):
    """Beside other libraries."""
    subject = results.subjects()[0]
    peers = " and ".join(name for name in PEERS if name in results.references())
    better = f"times as fast as {'the better of ' if ' and ' in peers else ''}{peers}"
    found = []
    for word, cutoff, limit in (("without", False, WITHOUT_CUTOFF), ("with", True, WITH_CUTOFF)):
        those = settled(results, threads, subject, cutoff)
        found.append(_line(f"geometric mean {word} cut-off, {better}", engine.mean(those.values()), limit, "", f"{len(those)} versions are settled"))
    found.append(_of_verdicts(f"every program that is settled, {better}", results.verdicts(threads, subject)))
    found.append(_of_verdicts("every program, speed-up over libgomp's, each over its own serial code", behind_gcc(results, threads, subject)))
    measured = efficiency(results, threads, subject)
    found.append(_line("parallel efficiency of UTS T3, a task per inner node", None if measured is None else 100 * measured,
                       92 if threads <= 2 else 90, " %"))
    return found


def all_right(results):
    """How many answers of the library under test were right."""
    wrong = results.failures(results.subjects())
    ran = sum(name in results.subjects() for _, _, name in results.series)
    return ["missed" if wrong else "met", "all answers right", f"{ran - len(wrong)} of {ran}", "all", ""]
