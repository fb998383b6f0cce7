"""The statistics of the tables: what they compute from samples."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def deviation_of_fastest(samples: Sequence[float]) -> float | None:
    """The sample standard deviation as a percentage of the fastest time, as the slides have it; None for fewer than two samples."""
    if len(samples) < 2 or min(samples) <= 0:
        return None
    return 100 * statistics.stdev(samples) / min(samples)


def efficiency(serial_s: float, threads: int, parallel_s: float) -> float:
    """Per cent of a perfect speed-up."""
    return 100 * serial_s / (threads * parallel_s)


def per_thread_and_second(moved: float, threads: int, seconds: float) -> float:
    """A rate of one thread."""
    return moved / (threads * seconds)


def median_of(rows: Sequence[dict[str, float]], key: str) -> float | None:
    """The median of one figure over the rounds that have it."""
    values = [row[key] for row in rows if key in row]
    return statistics.median(values) if values else None


def number(value: float | None, digits: int = 3) -> str:
    """So many significant digits, thousands in full; a dash for what there is not."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if abs(value) >= 10 ** digits:
        return f"{value:.0f}"
    text = f"{value:.{digits}g}"
    return f"{float(text):f}".rstrip("0").rstrip(".") if "e" in text else text


def count(value: float | None) -> str:
    """A whole number."""
    return "–" if value is None else f"{value:.0f}"
