"""From outcomes to the paper's metrics, with 95 % intervals."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

from him.bench.statistics import CONFIDENCE, estimate
from him.bench.tasks.table import TABLE
from him.bench.tasks.trial import Outcome


def weights() -> list[float]:
    """The grid of weights in kg."""
    steps = round(TABLE.weight_most / TABLE.weight_step)
    return [TABLE.weight_step * (i + 1) for i in range(steps)]


def needed(trials: int) -> int:
    """How many of the trials have to pass for a weight to be mastered: 16 of 20."""
    return math.ceil(TABLE.weight_share * trials - 1e-9)


def decided(passed: int, failed: int, trials: int) -> bool | None:
    """Whether a weight is mastered, as soon as the trials left cannot change it."""
    if passed >= needed(trials):
        return True
    return False if failed > trials - needed(trials) else None


def largest(grid: Sequence[float], mastered: Callable[[float], bool]) -> float:
    """The heaviest weight that is mastered, by bisection: who masters a weight is taken to master every lighter one."""
    low, high = -1, len(grid)
    while high - low > 1:
        middle = (low + high) // 2
        if mastered(grid[middle]):
            low = middle
        else:
            high = middle
    return grid[low] if low >= 0 else 0.0


def share_interval(passed: int, trials: int) -> tuple[float, float]:
    """Wilson's interval of a share: within 0 and 1, and of some width even where all or none have passed."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share, spread = passed / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def score(metric: str, outcomes: Sequence[Outcome], weight: float = 0.0) -> dict[str, Any]:
    """A task's figure of merit as `value`, and what stands behind it. For a weight, the trials are those with it."""
    passed, trials = sum(outcome.passed for outcome in outcomes), len(outcomes)
    rate = {"passed": passed, "trials": trials}
    if metric == "stairs":
        counted = estimate([outcome.value for outcome in outcomes])
        # the interval of a single trial is not known
        width = None if math.isnan(counted.interval) else round(counted.interval, 2)
        return {"value": round(counted.mean, 2), "interval": width} | rate
    percent = [round(100 * edge, 1) for edge in share_interval(passed, trials)] if trials else [0.0, 0.0]
    if metric == "weight":
        return {"value": weight, "percent_interval": percent} | rate
    return {"value": round(100 * passed / trials, 1), "interval": percent} | rate


def endings(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How often a trial ended in which way; what a stop was due to is told by its first words."""
    return dict(Counter(outcome.end for outcome in outcomes).most_common())
