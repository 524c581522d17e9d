"""Which of two methods tracks better, and whether that can be said.

Errors are compared in the same worlds, as shares of the other method's error, averaged over rows, with paired 95 %
intervals. Worlds say nothing about the chance of training: a difference counts if every seed shows it too, or, where a
side has one seed, if it exceeds twice the largest deviation between seeds that is known of any method. Where no method
has two seeds nothing is decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from him.bench import comparison, paper
from him.bench.evidence import Evidence
from him.bench.statistics import Estimate, estimate

Verdict = Literal["held", "did not hold", "open", "not measured"]

Terrains = Sequence[str] | None


@dataclass(frozen=True)
class Order:
    """How two methods compare."""

    verdict: Verdict
    """Whether the first is better."""
    total: Estimate
    """How much larger the second's errors are, as a share of the first's."""
    why: str


def order(e: Evidence, better: str, worse: str, terrains: Terrains = None) -> Order:
    """Judges that one method tracks better than another on some terrains."""
    total = relative(e, worse, better, terrains)
    small, large = (by_seed(e, name, better, terrains) for name in (better, worse))
    verdict: Verdict = "open"
    if total.low > 0 and clear(e, small, large, terrains):
        verdict = "held"
    elif total.high < 0 and clear(e, large, small, terrains):
        verdict = "did not hold"
    why = (
        f"{paper.title(worse)}'s error exceeds {paper.title(better)}'s by {100 * total.mean:.1f} % ± "
        f"{100 * total.interval:.1f} %; seeds, as shares of {paper.title(better)}'s mean: {_listed(small)} against "
        f"{_listed(large)}"
    )
    return Order(verdict, total, why + doubt(e, small, large, terrains))


def clear(e: Evidence, small: Sequence[float], large: Sequence[float], terrains: Terrains) -> bool:
    """Whether the chance of training cannot have brought these seeds' errors into their order."""
    if min(len(small), len(large)) > 1:
        return max(small) < min(large)
    spread = chance(e, terrains)
    return spread is not None and float(np.mean(large) - np.mean(small)) > spread


def doubt(e: Evidence, small: Sequence[float], large: Sequence[float], terrains: Terrains) -> str:
    """What to add where a side has one seed."""
    if min(len(small), len(large)) > 1:
        return ""
    spread = chance(e, terrains)
    if spread is None:
        return "; no method has two seeds, so that chance is not known"
    return f"; seeds of one method deviate by up to {50 * spread:.1f} %"


def chance(e: Evidence, terrains: Terrains = None) -> float | None:
    """Twice the largest deviation between the seeds of one method, as a share of its error."""
    several = [name for name, seeds in e.columns.items() if len(seeds) > 1]
    return max((2 * float(np.std(by_seed(e, name, name, terrains), ddof=1)) for name in several), default=None)


def relative(e: Evidence, worse: str, better: str, terrains: Terrains = None) -> Estimate:
    """How much larger the errors of one method are than another's, as a share of these, mean over rows."""
    rows = keys(terrains)
    shares = []
    for width in {row.range for row in paper.ROWS if row.key in rows}:
        mine = [row.key for row in paper.ROWS if row.key in rows and row.range == width]
        apart = [_apart(e, worse, better, key) for key in mine]
        shares.append((len(mine), np.mean(apart, axis=0)))
    parts = [(count / len(rows), estimate(values.tolist())) for count, values in shares]
    return Estimate(
        sum(share * part.mean for share, part in parts),
        float(np.sqrt(sum((share * part.interval) ** 2 for share, part in parts))),
    )


def by_seed(e: Evidence, name: str, other: str, terrains: Terrains = None) -> list[float]:
    """Error of each seed of a method, as a share of another's mean, over rows."""
    rows = keys(terrains)
    unit = {key: np.mean(comparison.groups(e.columns[other], key)) for key in rows}
    return [float(np.mean([np.mean(seed.groups(key)) / unit[key] for key in rows])) for seed in e.columns[name]]


def keys(terrains: Terrains) -> list[str]:
    return [row.key for row in paper.ROWS if terrains is None or row.terrain in terrains]


def _apart(e: Evidence, worse: str, better: str, row: str) -> np.ndarray:
    one, other = (np.array(comparison.groups(e.columns[name], row)) for name in (worse, better))
    return (one - other) / other.mean()


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.2f}" for value in values)
