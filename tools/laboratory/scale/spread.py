"""What one virtual figure is worth: the same run with a basic block that takes a little longer or less is another one, since other
members meet. So the middle of five such runs counts, and a verdict says whether it holds whatever runs of the ranges are compared."""

from statistics import median

PERTURBED = (1.0, 0.993, 1.007, 0.986, 1.014)


def perturbed(costs, runs=None, first=0):
    """The costs of each of `runs` runs (all), but for the first ones."""
    return [costs | {"block": round(costs["block"] * factor)} for factor in PERTURBED[first:runs]]


class Over:
    """Figures over others: the ratio of the middles, and the least and the most that the ranges leave open."""

    def __init__(self, mine, others):
        self.ratio = median(mine) / median(others)
        self.least, self.most = min(mine) / max(others), max(mine) / min(others)

    def __str__(self):
        return f"{self.ratio:.2f}" + (f" ({self.least:.2f}–{self.most:.2f})" if self.most - self.least > 0.1 else "")
