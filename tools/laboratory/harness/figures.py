"""Figures of several runs. A time is judged by the best of its rounds: other load on a machine only ever adds to it, so the best
converges, where mean and median keep what the neighbours did."""

import math


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def separated(lower, upper):
    """Whether every value of `upper` is above every one of `lower`: the strongest that ranks can say, by chance alone as rare as
    one in C(n + m, n), 20 for three rounds each and 252 for five."""
    return bool(lower) and bool(upper) and min(upper) > max(lower)


def chance(first, second):
    """One in so many: how rare it is that so many values each are separated, in this direction, by chance."""
    return math.comb(first + second, first)
