#!/usr/bin/env python3
"""Several threads of a Python program that each call parallel code: joblib's threading backend over scikit-learn, numba, OpenBLAS.

    PYTHON tools/laboratory/bench/callers/callers_python.py build/release/lib/libomp.so    PYTHON has joblib and what is to be called

Each case runs on the OpenMP libraries that the modules bring, on chomp, and on chomp with CHOMP_THREAD_BUDGET=auto, in turn,
each in a process of its own. Printed are medians over the rounds: calls a second, the median and the 99th percentile of the
time of a call, and the ratio to the modules' own libraries, round by round. What cannot be imported is left out.
"""

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import time

SIDES = {"own": {}, "chomp": {"CHOMP_THREAD_BUDGET": "off"}, "chomp, budget": {"CHOMP_THREAD_BUDGET": "auto"}}


def kmeans():
    """scikit-learn: the nearest of 16 centres, an OpenMP loop over chunks with a small matrix product in each."""
    import numpy
    from sklearn.cluster import KMeans
    points = numpy.random.default_rng(1).random((4000, 16))
    model = KMeans(16, n_init=1, max_iter=3, random_state=1).fit(points)
    return lambda: model.predict(points)


def trees():
    """scikit-learn: predictions of gradient-boosted trees, an OpenMP loop over the samples for each tree."""
    import numpy
    from sklearn.ensemble import HistGradientBoostingRegressor
    x = numpy.random.default_rng(2).random((2000, 8))
    model = HistGradientBoostingRegressor(max_iter=20, random_state=2).fit(x, x[:, 0] * x[:, 1])
    return lambda: model.predict(x)


def numba():
    """numba: a prange over 400 rows, by its layer omp."""
    import numba as nb
    import numpy

    @nb.njit(parallel=True, nogil=True)
    def rows(a):
        result = numpy.zeros(a.shape[0])
        for i in nb.prange(a.shape[0]):
            for j in range(a.shape[1]):
                result[i] += numpy.sin(a[i, j])
        return result
    matrix = numpy.arange(40000.0).reshape(400, 100)
    return lambda: rows(matrix)


def blas():
    """numpy: products of 300x300 matrices, on the OpenBLAS that numpy finds (Debian's openblas-openmp in the library path, say)."""
    import numpy
    a = numpy.random.default_rng(3).random((300, 300))
    return lambda: a @ a


CASES = {"kmeans": (kmeans, "sklearn"), "trees": (trees, "sklearn"), "numba": (numba, "numba"), "blas": (blas, "numpy")}


def work(case, callers, seconds):
    """In the child: the callers call for so long; prints the times of their calls, in milliseconds."""
    from joblib import Parallel, delayed
    call = CASES[case][0]()
    call()
    end = time.monotonic() + seconds

    def caller():
        times = []
        while (begin := time.monotonic()) < end:
            call()
            times.append((time.monotonic() - begin) * 1e3)
        return times
    begin = time.monotonic()
    times = sorted(t for many in Parallel(n_jobs=callers, backend="threading")(delayed(caller)() for _ in range(callers)) for t in many)
    print(len(times) / (time.monotonic() - begin), statistics.median(times), times[int(len(times) * 0.99)])


def measure(case, side, options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "KMP_", "GOMP_", "CHOMP_", "LD_PRELOAD"))}
    environment["NUMBA_THREADING_LAYER"] = "omp"
    if side != "own":
        environment |= {"LD_PRELOAD": os.path.realpath(options.library), **SIDES[side]}
    done = subprocess.run([sys.executable, __file__, options.library, "--work", case, "--callers", str(options.callers), "--seconds",
                           str(options.seconds)], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{case}, {side}: {done.stderr[-2000:]}")
    return [float(word) for word in done.stdout.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("library", help="chomp's libomp.so")
    parser.add_argument("--cases", default=",".join(CASES), help="of " + ", ".join(CASES))
    parser.add_argument("--callers", type=int, default=8, help="threads that call (8)")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each run (1)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", choices=CASES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.work, options.callers, options.seconds)
    print(f"{options.callers} callers, {len(os.sched_getaffinity(0))} CPUs, load {os.getloadavg()[0]:.1f}, {options.rounds} rounds")
    for case in options.cases.split(","):
        if importlib.util.find_spec(CASES[case][1]) is None:
            print(f"{case}: no {CASES[case][1]}")
            continue
        rounds = [{side: measure(case, side, options) for side in (list(SIDES) if turn % 2 == 0 else reversed(list(SIDES)))}
                  for turn in range(options.rounds)]
        for side in SIDES:
            rate, middle, late = (statistics.median(one[side][i] for one in rounds) for i in range(3))
            ratio = statistics.median(one[side][0] / one["own"][0] for one in rounds)
            print(f"{case:7} {side:14} {rate:9.0f} calls/s  median {middle:8.3f} ms  p99 {late:8.3f} ms  x {ratio:.2f}", flush=True)
    return None


if __name__ == "__main__":
    main()
