"""Intel's library by ctypes: matrix products, a linear system, eigenvalues, vector functions; also from several threads
of the program at once. The argument is the path of libmkl_rt."""

import ctypes
import sys
import threading

import numpy as np

mkl = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
ROWS, NORMAL = 101, 111
random = np.random.default_rng(3)


def at(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def say(name, value):
    print(name, " ".join(f"{x:.15g}" for x in np.ravel(value)))


def product(a, b):
    n = len(a)
    c = np.zeros((n, n))
    mkl.cblas_dgemm(ROWS, NORMAL, NORMAL, n, n, n, ctypes.c_double(1), at(a), n, at(b), n, ctypes.c_double(0), at(c), n)
    return c


for size in (30, 500):
    left, right = random.random((size, size)), random.random((size, size))
    answer = product(left, right)
    assert abs(answer - left @ right).max() < 1e-9
    say("product", [answer.sum(), answer[1, 2]])

    system, solution = left + size * np.eye(size), right.copy()
    pivots = np.zeros(size, dtype=np.int32)
    assert mkl.LAPACKE_dgesv(ROWS, size, size, at(system), size, at(pivots), at(solution), size) == 0
    say("solve", solution.sum(axis=0)[:4])

    symmetric, values = left + left.T, np.zeros(size)
    assert mkl.LAPACKE_dsyevd(ROWS, ctypes.c_char(b"N"), ctypes.c_char(b"U"), size, at(symmetric), size, at(values)) == 0
    say("eigen", values[-4:])

numbers, logarithms = random.random(300000) + 1, np.zeros(300000)
mkl.vdLn(len(numbers), at(numbers), at(logarithms))
say("logarithms", [logarithms.sum(), mkl.cblas_idamax(len(numbers), at(numbers), 1)])

matrices = [random.random((150, 150)) for _ in range(4)]
results = [None] * 4


def multiply(i):
    value = matrices[i]
    for _ in range(20):
        value = product(value, matrices[i])
        value /= abs(value).max()
    results[i] = value.sum()


threads = [threading.Thread(target=multiply, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
say("threads", results)
