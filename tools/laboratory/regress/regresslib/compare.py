"""An earlier run beside this one: what is a regression, and what is noise.

A program is slower only if **every** round of this run took longer than **every** round of the earlier one, and the best by more than 3 %.
The first says that it is not chance (by ranks alone as rare as 1 in 20 for three rounds each, 1 in 252 for five; fewer than three
say nothing), the second that it matters. A hiccup in this run cannot make a regression; one in the earlier run can hide one.

A machine may be slower today as a whole. The libraries that were there for comparison in both runs tell: the median of their
times, now over then, is the drift, and this run's times are divided by it. Wrong answers are regressions whatever the times.
"""

from statistics import median

from harness.figures import chance, geometric_mean, separated

SLOWER = 1.03
RARE = 20  # what may come by chance more often than once in so many comparisons is not said
LARGER, LARGER_MIB = 1.10, 1.0  # of the peak memory, by both


def drift(old, new):
    """How much slower the machine is now, by the libraries that are not under test; 1 if nothing tells."""
    ratios = []
    for key, series in new.series.items():
        before = old.series.get(key)
        reference = series.library in new.references() and series.library in old.references()
        if reference and before and series.right and before.right:
            ratios.append(series.best / max(before.best, 1e-9))
    return median(ratios) if ratios else 1.0


def _comparable(old, new):
    """The pairs of series under test that both runs have, with the same arguments."""
    for key, series in new.series.items():
        before = old.series.get(key)
        if before and series.library in new.subjects() and before.arguments == series.arguments:
            yield series, before


def _slower(series, before, factor):
    """`factor`: the machine's drift. None, or the ratio of the best times."""
    now = [seconds / factor for seconds in series.seconds]
    if chance(len(now), len(before.seconds)) < RARE:
        return None
    ratio = min(now) / max(min(before.seconds), 1e-9)
    return ratio if ratio > SLOWER and separated(before.seconds, now) else None


def _larger(series, before):
    ratio = min(series.peak_kib) / max(max(before.peak_kib), 1)
    grown = (min(series.peak_kib) - max(before.peak_kib)) / 1024
    return ratio if ratio > LARGER and grown > LARGER_MIB else None


def compare(old, new):
    """([(program, what got worse)], [all else that is to be said]). No regression if the first is empty."""
    worse, notes, ratios = [], [], []
    factor = drift(old, new)
    if old.about["machine"]["cpu"] != new.about["machine"]["cpu"]:
        notes.append(f"Another machine: {old.about['machine']['cpu']} then. Times say nothing; answers and memory are compared.")
    same = not notes
    pairs = list(_comparable(old, new))
    for series, before in pairs:
        where = f"{series.entry} on {series.library}, {series.threads} threads"
        if not series.right:
            if before.right:
                worse.append((series.entry, f"{where}: was right, now {series.outcome} ({series.why})"))
            continue
        if not before.right:
            notes.append(f"{where}: right now, was {before.outcome}")
            continue
        ratios.append(series.best / factor / max(before.best, 1e-9))
        slower, faster = _slower(series, before, factor), _slower(before, series, 1 / factor)
        if slower and same:
            rare = chance(len(series.seconds), len(before.seconds))
            worse.append((series.entry, f"{where}: {slower:.2f} × the time, {before.best:.4g} s → {series.best:.4g} s (by chance 1 in {rare})"))
        if faster and same:
            notes.append(f"{where}: faster, {1 / faster:.2f} × the time")
        larger = _larger(series, before)
        if larger:
            worse.append((series.entry, f"{where}: {larger:.2f} × the memory, {before.peak_mib:.1f} MiB → {series.peak_mib:.1f} MiB"))
    notes.append(f"{len(pairs)} series compared with those of {old.about['date']}, commit {old.about['commit']}")
    if any(chance(len(series.seconds), len(before.seconds)) < RARE for series, before in pairs if series.right and before.right):
        notes.append("with fewer than three rounds in each run no time is called slower")
    if same and ratios:
        notes.append(f"geometric mean of the times, now over then: {geometric_mean(ratios):.3f}; the machine itself: {factor:.3f}")
    return worse, notes
