"""faiss: exact search, inverted lists, scalar quantisation, a navigable graph, k-means."""

import faiss
import numpy as np

random = np.random.default_rng(8)
base = random.random((3000, 16)).astype(np.float32)
queries = random.random((50, 16)).astype(np.float32)


def say(name, found):
    distances, _ = found
    print(name, " ".join(f"{v:.6g}" for v in [distances.sum(), *distances[0]]))


flat = faiss.IndexFlatL2(16)
flat.add(base)
say("flat", flat.search(queries, 5))
for kind in ("IVF16,Flat", "IVF16,SQ8"):
    index = faiss.index_factory(16, kind)
    index.train(base)
    index.add(base)
    say(kind, index.search(queries, 5))
means = faiss.Kmeans(16, 20, niter=5, seed=1)
print("means", f"{means.train(base):.6g}")
graph = faiss.IndexHNSWFlat(16, 16)
graph.add(base[:2000])  # built in parallel: the graph, and so a few answers, vary from run to run on any runtime
exact = faiss.IndexFlatL2(16)
exact.add(base[:2000])
good = (graph.search(queries, 1)[1] == exact.search(queries, 1)[1]).mean()
print("graph", "good" if good > 0.8 else f"bad {good}")
