"""How the figures of the benchmarks look: one colour and one marker a method, legible without colour too."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#A9A9A9")
"""Okabe and Ito's palette, which colour-blind readers can tell apart; grey for its yellow, which white swallows."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES = ("-", "--", "-.", ":")

METHODS = ("him", "regression", "rma", "baseline", "mob", "mob-flat", "oracle", "plain-regression")
"""Methods with a colour of their own; HIM without one of its pieces comes after them, dashed."""


def colour(name: str, names: list[str]) -> str:
    """The colour of a method; the same in every figure for the methods above."""
    return COLOURS[_place(name, names) % len(COLOURS)]


def marker(name: str, names: list[str]) -> str:
    return MARKERS[_place(name, names) % len(MARKERS)]


def dash(name: str, names: list[str]) -> str:
    return DASHES[_place(name, names) // len(COLOURS) % len(DASHES)]


def _place(name: str, names: list[str]) -> int:
    if name in METHODS:
        return METHODS.index(name)
    return len(METHODS) + [other for other in names if other not in METHODS].index(name)


def tidy(ax: Axes) -> None:
    """A light grid and no box."""
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, path: Path, dpi: int = 110) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=dpi)
    plt.close(figure)
    return path
