"""numba's parallel loops on its OpenMP layer: nested calls, reductions, and two threads of the program at once."""

import threading

import numba
import numpy as np


@numba.njit(parallel=True)
def pi(n):
    total = 0.0
    for i in numba.prange(n):
        total += 4.0 / (1.0 + ((i + 0.5) / n) ** 2)
    return total / n


@numba.njit(parallel=True)
def rows(a):
    result = np.zeros(a.shape[0])
    for i in numba.prange(a.shape[0]):
        for j in range(a.shape[1]):
            result[i] += np.sin(a[i, j])
    return result


matrix = np.arange(200000.0).reshape(400, 500)
for _ in range(20):
    answer = rows(matrix)
print("rows", f"{answer.sum():.12g}", "pi", f"{pi(3000000):.12g}", numba.threading_layer())
results = [None] * 2


def in_thread(i):
    results[i] = rows(matrix + i).sum()


threads = [threading.Thread(target=in_thread, args=(i,)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("threads", " ".join(f"{x:.12g}" for x in results))
