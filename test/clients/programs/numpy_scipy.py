"""Dense linear algebra through numpy and scipy: large enough that OpenBLAS uses all its threads; also from several
threads of the program at once."""

import threading

import numpy as np
import scipy.linalg

random = np.random.default_rng(7)


def say(name, value):
    print(name, " ".join(f"{x:.15g}" for x in np.ravel(value)))


def work(size):
    a = random.random((size, size))
    b = random.random((size, size))
    product = a @ b
    spd = a @ a.T + size * np.eye(size)
    yield "product", [product.sum(), product.trace(), product[3, 5]]
    yield "solve", np.linalg.solve(a + size * np.eye(size), b).sum(axis=0)[:5]
    yield "cholesky", np.diag(scipy.linalg.cholesky(spd))[:5]
    yield "singular", np.linalg.svd(a, compute_uv=False)[:5]
    yield "eigen", scipy.linalg.eigvalsh(spd)[-5:]
    yield "lu", [np.abs(np.diag(scipy.linalg.lu(a)[2])).sum()]
    yield "vector", [np.dot(a.ravel(), b.ravel()), np.linalg.norm(a)]


for dimension in (40, 400):
    for answer in work(dimension):
        say(*answer)

matrices = [random.random((200, 200)) for _ in range(4)]
results = [None] * 4


def multiply(i):
    value = matrices[i]
    for _ in range(20):
        value = value @ matrices[i]
        value /= np.abs(value).max()
    results[i] = value.sum()


threads = [threading.Thread(target=multiply, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
say("threads", results)

