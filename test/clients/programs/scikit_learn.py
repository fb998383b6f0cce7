"""The algorithms of scikit-learn that are loops of OpenMP: k-means, gradient-boosted histograms, pairwise distances,
nearest neighbours, t-SNE's tree; also inside worker processes of joblib."""

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, MiniBatchKMeans
from sklearn.datasets import make_blobs, make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.manifold import TSNE
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors


def say(name, value):
    print(name, " ".join(f"{x:.12g}" for x in np.ravel(value)))


points, labels = make_blobs(n_samples=3000, n_features=8, centers=7, random_state=1)
for algorithm in ("lloyd", "elkan"):
    fitted = KMeans(7, n_init=2, algorithm=algorithm, random_state=1).fit(points)
    say(algorithm, [fitted.inertia_, *np.sort(fitted.cluster_centers_.sum(axis=1))])
say("batches", [MiniBatchKMeans(7, n_init=2, random_state=1).fit(points).inertia_])
nearest, distance = pairwise_distances_argmin_min(points, points[:50])
say("pairs", [nearest.sum(), distance.sum()])
say("neighbours", [NearestNeighbors(n_neighbors=4, algorithm="brute").fit(points).kneighbors(points)[0].sum()])
say("classes", [KNeighborsClassifier(5, algorithm="brute").fit(points, labels).predict(points).sum()])

x, y = make_regression(n_samples=4000, n_features=12, noise=1, random_state=2)
say("regression", HistGradientBoostingRegressor(max_iter=30, random_state=2).fit(x, y).predict(x)[:6])
x, y = make_classification(n_samples=3000, n_features=12, random_state=3)
model = HistGradientBoostingClassifier(max_iter=20, random_state=3)
say("classification", model.fit(x, y).predict_proba(x)[:4, 0])
say("processes", cross_val_score(model, x, y, cv=3, n_jobs=2))
say("density", [HDBSCAN(min_cluster_size=20).fit(points[:800]).labels_.sum()])
say("tree", [np.isfinite(TSNE(max_iter=250, random_state=4).fit_transform(points[:200])).sum()])
