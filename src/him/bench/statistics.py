"""Means with 95 % intervals, from independent groups of trials."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A mean and half the width of its 95 % interval; the interval of a single group is not known."""

    mean: float
    interval: float

    @property
    def low(self) -> float:
        return self.mean - self.interval

    @property
    def high(self) -> float:
        return self.mean + self.interval


def estimate(groups: Sequence[float]) -> Estimate:
    """Of independent means of equal weight, by Student's t."""
    from scipy import stats

    values = np.asarray(groups, float)
    n = len(values)
    if n < 2:
        return Estimate(float(values.mean()), math.nan)
    width = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * values.std(ddof=1) / math.sqrt(n)
    return Estimate(float(values.mean()), float(width))


def difference(groups: Sequence[float], others: Sequence[float]) -> Estimate:
    """How much larger `groups` are than `others`, measured in the same worlds under the same commands."""
    return estimate(np.subtract(groups, others).tolist())
