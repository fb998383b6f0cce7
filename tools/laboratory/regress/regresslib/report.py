"""The lines that people read."""

from common import say
from harness import engine
from harness.tables import as_text

from . import targets


def _time(results, entry, threads, library):
    series = results.series.get((entry, threads, library))
    if series is None:
        return "–"
    if not series.right:
        return series.outcome.upper() if library in results.subjects() else series.outcome
    return f"{series.best:.4f}" if series.best < 10 else f"{series.best:.2f}"


def _ratio(value):
    return "–" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _built_otherwise(results):
    """The libraries for which another compiler built the programs, or twins stand in: speed-ups are compared, not times."""
    subject = results.subjects()[0]
    return [name for name in results.references() if not results.comparable(name, subject)]


def columns(results):
    """The heading of every line of the table."""
    names = results.libraries()
    subject, others = results.subjects()[0], _built_otherwise(results)
    heads = ["program", "threads", *(f"{name}, s" for name in names)]
    if results.references():
        heads.append("times as fast")
    if others:
        heads += [f"speed-up {name}" for name in (subject, *others)]
    return heads + ["MiB"]


def cells(results, entry, threads):
    """One line of the table: best times, what may be said of the first subject beside the best other library, its peak memory."""
    subject = results.subjects()[0]
    row = [entry, str(threads), *(_time(results, entry, threads, name) for name in results.libraries())]
    if results.references():
        row.append(str(results.verdict(entry, threads, subject) or "–"))
    if others := _built_otherwise(results):
        row += [_ratio(results.speed_up(entry, threads, name)) for name in (subject, *others)]
    series = results.get(entry, threads, subject)
    return row + [f"{series.peak_mib:.1f}" if series else "–"]


def say_table(results):
    say("\n" + as_text([columns(results), *(cells(results, entry, threads) for entry, threads in results.lines())]))


COUNTERS = ("stolen_operations", "failed_steals", "stolen_tasks")


def say_counters(counted):
    """A steal brought tasks from another queue, however many; a failed one saw tasks and got none."""
    say("\nOf one run each: steals, failed steals, tasks stolen.\n" + as_text(
        [["program", "threads", "library", "steals", "failed", "tasks"],
         *([entry, str(threads), library, *(f"{counters[name]:,.0f}" for name in COUNTERS)] for entry, threads, library, counters in counted)], (0, 2)))


def say_failures(results):
    """All that did not give the right answer, those under test first."""
    for names, title in ((results.subjects(), "Not right"), (results.references(), "Not right on the libraries that are compared with")):
        failures = results.failures(names)
        if failures:
            say(f"\n{title}:")
        for series in failures:
            say(f"  {series.entry} on {series.library}, {series.threads} threads: {series.outcome}: {series.why}")


def say_summary(results):
    """Means over all libraries under test, then the targets, for each number of threads."""
    for threads in dict.fromkeys(threads for _, threads in results.lines()):
        say(f"\n{threads} thread{'s' * (threads > 1)}:")
        for subject in results.subjects():
            say(f"  {subject}: {summary(results, threads, subject)}")
        if targets.apply(results, threads):
            for verdict, what, value, limit, remark in targets.lines(results, threads):
                say(f"  {verdict:<12}  {what}: {value} ({limit}){'; ' + remark if remark else ''}")


def summary(results, threads, subject):
    series = [one for (_, line_threads, name), one in results.series.items() if line_threads == threads and name == subject]
    words = [f"{sum(one.right for one in series)} of {len(series)} right"]
    for word, cutoff in (("where every step is a task ", False), ("where tasks end at a size ", True), ("", None)):
        those = {entry: verdict for entry, verdict in targets.settled(results, threads, subject).items()
                 if results.get(entry, threads, subject).cutoff is cutoff}
        if those:
            words.append(f"{word}{_ratio(engine.mean(those.values()))} times as fast as the best of the others, mean of the {len(those)} that are settled")
    return ", ".join([*words, *verdict_words(results, threads, subject)])


def verdict_words(results, threads, subject):
    """How many programs are faster, slower, level and not settled; the slower ones by name."""
    verdicts = results.verdicts(threads, subject)
    for word, count, by_cpu in engine.counts(verdicts.values()):
        names = [entry for entry, verdict in verdicts.items() if verdict.word == word] if word == engine.SLOWER else []
        yield f"{count} {word}" + (f" ({by_cpu} by CPU time)" if by_cpu else "") + (f": {', '.join(names)}" if names else "")
