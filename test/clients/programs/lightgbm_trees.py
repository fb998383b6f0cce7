"""LightGBM: several objectives, deterministic sums, early use by two threads of the program."""

import threading

import lightgbm
import numpy as np

random = np.random.default_rng(5)
x = random.random((6000, 15))
y = (x[:, 0] * x[:, 1] + np.sin(5 * x[:, 2]) + 0.1 * random.random(6000)).astype(np.float64)
common = {"verbose": -1, "deterministic": True, "force_row_wise": True, "seed": 1, "num_leaves": 31}


def say(name, value):
    print(name, " ".join(f"{v:.10g}" for v in np.ravel(value)))


def train(objective, target, **more):
    data = lightgbm.Dataset(x, label=target, params={"verbose": -1})
    return lightgbm.train({**common, "objective": objective, **more}, data, num_boost_round=25).predict(x)


say("regression", train("regression", y)[:6])
say("binary", train("binary", y > 0.7)[:6])
say("classes", train("multiclass", (3 * (y - y.min()) / (y.max() - y.min() + 1)).astype(int), num_class=3)[:3])
say("bagging", train("regression", y, bagging_fraction=0.5, bagging_freq=1, feature_fraction=0.6)[:6])
answers = [None] * 2


def in_thread(i):
    answers[i] = train("regression", y + i)[0]


threads = [threading.Thread(target=in_thread, args=(i,)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
say("threads", answers)
