"""Makes a program that fails smaller while it fails."""

import math
import time

from programs.tree import smaller_trees

MOST_RUNS = 40


def runs_for(rate):
    """How often to run a program that failed at this rate, to miss a failure once in 50 times only."""
    return 1 if rate >= 0.98 else min(MOST_RUNS, max(2, math.ceil(math.log(0.02) / math.log(1 - rate))))


def reduce(tree, fails, seconds):
    """The smallest tree found in that time for which fails(tree) is true."""
    end = time.monotonic() + seconds
    progress = True
    while progress:
        progress = False
        for smaller in smaller_trees(tree):
            if time.monotonic() > end:
                return tree
            if fails(smaller):
                tree, progress = smaller, True
                break
    return tree


def reduce_settings(settings, roots, fails, seconds):
    """Leaves out what does not matter. fails(settings, roots)"""
    end = time.monotonic() + seconds
    if roots > 1 and fails(settings, 1):
        roots = 1
    for name in list(settings):
        fewer = {key: value for key, value in settings.items() if key != name}
        if name != "OMP_NUM_THREADS" and time.monotonic() < end and fails(fewer, roots):
            settings = fewer
    return settings, roots
