"""The paper's learning curves (section 4.3, and the appendix on prototypes): methods over samples, seeds averaged.

The scores are the paper's NLTS and NATS, taken in training, with its exploration and its curriculum; the maximum
terrain level is the highest any robot plays on. The mean level stands beside it, as one lucky robot makes a maximum,
and so does the reach of commands, which grow with success.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from him.bench import paper
from him.bench.markdown import grid
from him.bench.runs import Trained
from him.errors import HimError

METRICS = {
    "linear_score": "tracking/linear_score",
    "angular_score": "tracking/angular_score",
    "highest_level": "terrain/highest",
    "mean_level": "terrain/level",
    "reach": "commands/reach_x",
}
"""What is drawn, and its name in the metrics of a run."""

POINTS = 100
"""Of a curve."""

LAST = 0.1
"""Share of the samples, at the end, that the final figures are means over."""

PROTOTYPES = "him.prototypes"


def result(runs: Sequence[Trained], robot: str) -> dict[str, Any]:
    """Curves and final figures of every method, and of every number of prototypes."""
    mine = without_common([run for run in runs if run.robot == robot])
    if not mine:
        raise HimError(f"there is no run of {robot} among these; --robot chooses another")
    plain = _longest([run for run in mine if not run.options])
    order = list(paper.TITLES)
    names = sorted({run.method for run in plain}, key=lambda name: order.index(name) if name in order else len(order))
    return {
        "robot": robot,
        "methods": {
            name: {"title": paper.title(name)} | curves([run for run in plain if run.method == name]) for name in names
        },
        "prototypes": {str(count): curves(some) for count, some in sorted(sweep(mine).items())},
    }


def without_common(runs: Sequence[Trained]) -> list[Trained]:
    """Options that all runs have tell none from another: they are left out."""
    common = set.intersection(*(set(run.options.items()) for run in runs)) if len(runs) > 1 else set()
    return [replace(run, options=dict(run.options.items() - common)) for run in runs]


def _longest(runs: Sequence[Trained]) -> list[Trained]:
    """Of each method the runs with its largest budget: a shorter one is another experiment."""
    most: dict[str, int] = {}
    for run in runs:
        most[run.method] = max(run.samples, most.get(run.method, 0))
    return [run for run in runs if run.samples == most[run.method]]


def sweep(runs: Iterable[Trained]) -> dict[int, list[Trained]]:
    """Runs of HIM by number of prototypes, of the budget at which there are most numbers."""
    budgets: dict[int, dict[int, list[Trained]]] = {}
    for run in runs:
        if run.method == "him" and set(run.options) <= {PROTOTYPES}:
            budgets.setdefault(run.samples, {}).setdefault(run.him["prototypes"], []).append(run)
    best: dict[int, list[Trained]] = max(budgets.values(), key=len, default={})
    return best if len(best) > 1 else {}


def curves(runs: Sequence[Trained]) -> dict[str, Any]:
    """Mean over the seeds, and their deviation where there are several, over the samples that all of them have."""
    low = max(run.metrics[0]["samples"] for run in runs)
    high = min(run.metrics[-1]["samples"] for run in runs)
    samples = np.linspace(low, high, POINTS)
    found: dict[str, Any] = {
        "runs": [run.name for run in runs],
        "seeds": [run.seed for run in runs],
        "samples": [round(value) for value in samples],
    }
    for name, metric in METRICS.items():
        values = np.array([np.interp(samples, *_known(run, metric)) for run in runs])
        last = values[:, samples >= high - LAST * (high - low)].mean(1)
        found[name] = {
            "mean": _rounded(values.mean(0)),
            "deviation": _rounded(values.std(0, ddof=1)) if len(runs) > 1 else None,
            "final": round(float(last.mean()), 4),
            "final_deviation": round(float(last.std(ddof=1)), 4) if len(runs) > 1 else None,
        }
    return found


def _known(run: Trained, metric: str) -> tuple[list[float], list[float]]:
    """Samples and values of a metric; what was not finite stands as null in the file."""
    pairs = [(line["samples"], line[metric]) for line in run.metrics if line.get(metric) is not None]
    if not pairs:
        raise HimError(f"the metrics of {run.name} have no {metric}: an older version trained it; train it again")
    return [sample for sample, _ in pairs], [value for _, value in pairs]


def _rounded(values: np.ndarray) -> list[float]:
    return [round(float(value), 4) for value in values]


def markdown(found: dict[str, Any]) -> str:
    """Final figures as a page."""
    parts = [
        f"# Learning curves, {found['robot']}",
        f"Means over the last {100 * LAST:.0f} % of the samples in training and over seeds, ± their deviation: "
        "normalised linear and angular tracking scores (paper, section 4.3), the highest terrain level any robot plays "
        "on, the mean level, and how far the ranges of forward commands had grown from ±1 m/s to the widest. Who walks "
        "better is told to walk faster and on harder ground, so scores alone do not order methods: tracking errors do. "
        "Of RMA it is the first phase, whose policy is told the factors.",
        _table("method", {about["title"]: about for about in found["methods"].values()}) if found["methods"] else "",
    ]
    if found["prototypes"]:
        parts += ["## Number of prototypes", _table("prototypes", found["prototypes"])]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(what: str, rows: dict[str, dict[str, Any]]) -> str:
    def text(figure: dict[str, Any]) -> str:
        spread = figure["final_deviation"]
        return f"{figure['final']:.3f}" + ("" if spread is None else f" ± {spread:.3f}")

    head = [what, "seeds", "million samples", *(name.replace("_", " ") for name in METRICS)]
    body = [
        [name, len(about["seeds"]), f"{about['samples'][-1] / 1e6:.0f}", *(text(about[metric]) for metric in METRICS)]
        for name, about in rows.items()
    ]
    return grid(head, body)
