"""What the paper prints: table "Main results" and table "Ablation studies" of the real-world benchmarks."""

from dataclasses import dataclass

MAIN = ("him", "rma", "mob", "mpc")
"""Columns of the main table; "mpc" is the controller built into the robots."""

COLUMNS = (
    *MAIN,
    "no-velocity-input",
    "no-velocity-loss",
    "no-latent-input",
    "no-latent-loss",
    "regression",
    "baseline",
)

HEADS = {"him": "Ours", "rma": "RMA", "mob": "MoB", "mpc": "Built-in MPC"}
"""The main table's own heads."""


@dataclass(frozen=True)
class Figure:
    """A figure of the paper; the number of stairs has an interval."""

    value: float
    interval: float | None = None

    def __str__(self) -> str:
        return f"{self.value:g}" if self.interval is None else f"{self.value:g} ± {self.interval:g}"


def _row(*values: float | tuple[float, float]) -> dict[str, Figure]:
    figures = (Figure(*value) if isinstance(value, tuple) else Figure(value) for value in values)
    return dict(zip(COLUMNS, figures, strict=True))


PRINTED = {
    "short-stairs": _row(100, 60, 0, 0, 85, 80, 50, 55, 85, 10),
    "long-stairs": _row(
        (176.5, 7.81),
        (75.35, 19.98),
        (0.0, 0.0),
        (0.0, 0.0),
        (51.45, 25.67),
        (54.6, 24.68),
        (13.3, 13.42),
        (10.6, 9.68),
        (155.7, 13.48),
        (0.0, 0.0),
    ),
    "compositional": _row(85, 45, 0, 0, 70, 75, 50, 50, 70, 15),
    "deformable-slope": _row(55, 10, 0, 0, 30, 25, 0, 0, 30, 0),
    "dragging": _row(10, 10, 7, 3, 10, 10, 5, 5, 10, 4),
    "lateral-hit": _row(8, 7.5, 7, 5, 7, 6.5, 4, 4, 8, 5.5),
    "payload": _row(8, 7, 4, 7, 7, 7, 3.5, 3.5, 7.5, 3),
    "missing-step": _row(100, 0, 0, 0, 90, 90, 5, 0, 65, 0),
}
"""By task and method, in the metric of the task."""
