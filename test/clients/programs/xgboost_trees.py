"""XGBoost: histograms, exact splits, a linear model's ranking; predictions of a few rows."""

import numpy as np
import xgboost

random = np.random.default_rng(6)
x = random.random((4000, 10)).astype(np.float32)
y = (x[:, 0] * 2 + np.cos(4 * x[:, 1]) * x[:, 2]).astype(np.float32)
data = xgboost.DMatrix(x, label=y)


def say(name, value):
    print(name, " ".join(f"{v:.7g}" for v in np.ravel(value)))


for method in ("hist", "exact", "approx"):
    model = xgboost.train({"tree_method": method, "max_depth": 5, "seed": 1}, data, num_boost_round=20)
    say(method, model.predict(data)[:8])
binary = xgboost.train({"objective": "binary:logistic", "max_depth": 4}, xgboost.DMatrix(x, label=y > 1), num_boost_round=15)
say("binary", binary.predict(data)[:8])
say("contributions", binary.predict(data, pred_contribs=True)[:2])
