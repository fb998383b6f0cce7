"""Figures of several runs. A time is judged by the best of its rounds: other load on a machine only ever adds to it, so the best
converges, where mean and median keep what the neighbours did."""

import math


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None
