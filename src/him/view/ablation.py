"""Learning curves of many methods, and of many numbers of prototypes."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import NullLocator

from him.view import style

PANELS = {
    "linear_score": "normalised linear tracking score",
    "angular_score": "normalised angular tracking score",
    "highest_level": "maximum terrain level",
    "mean_level": "mean terrain level",
    "reach": "how far the ranges of forward commands have grown",
}


def draw(methods: dict[str, dict[str, Any]], path: Path, robot: str) -> Path:
    """A thick line with a band of one standard deviation where there are several seeds, a thin one elsewhere."""
    names = list(methods)
    figure, axes = plt.subplots(2, 3, figsize=(15, 8), sharex=True, layout="constrained")
    *panels, corner = axes.flat
    for ax, (metric, label) in zip(panels, PANELS.items(), strict=True):
        # HIM last, so that nothing covers it
        for name in sorted(names, key=lambda one: one == "him"):
            look = {"color": style.colour(name, names), "linestyle": style.dash(name, names)}
            _line(ax, methods[name], metric, methods[name]["title"], **look)
        _finish(ax, label)
    for ax in axes[0, :2]:
        ax.set_xlabel("")
    axes[0, 2].tick_params(labelbottom=True)
    corner.axis("off")
    lines = {line.get_label(): line for line in axes[0, 0].get_lines()}
    titles = [methods[name]["title"] for name in names]
    corner.legend([lines[t] for t in titles], titles, loc="center", ncols=1 + (len(names) > 8), frameon=False)
    figure.suptitle(f"Learning curves, {robot} (bands: one standard deviation over seeds; thin lines: one seed)")
    return style.save(figure, path)


def draw_prototypes(numbers: dict[str, dict[str, Any]], path: Path, robot: str) -> Path:
    """Curves of the linear score, and where they end."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(1.5, 1), layout="constrained")
    shades = plt.get_cmap("viridis")(np.linspace(0.0, 0.9, len(numbers)))
    for (count, about), shade in zip(numbers.items(), shades, strict=True):
        _line(left, about, "linear_score", count, color=shade, linestyle="-")
        final = about["linear_score"]
        spread = final["final_deviation"] or 0.0
        right.errorbar(int(count), final["final"], spread, marker="o", color=shade, capsize=3)
    _finish(left, "normalised linear tracking score")
    left.legend(title="prototypes", fontsize="small", frameon=False)
    counts = [int(count) for count in numbers]
    right.plot(counts, [about["linear_score"]["final"] for about in numbers.values()], color="0.6", zorder=0)
    right.set_xscale("log", base=2)
    right.set_xticks(counts, [str(count) for count in counts])
    right.xaxis.set_minor_locator(NullLocator())
    right.set_xlabel("number of prototypes")
    right.set_ylabel("normalised linear tracking score")
    right.set_title("at the end", fontsize="medium")
    style.tidy(right)
    figure.suptitle(f"Number of prototypes, {robot}")
    return style.save(figure, path)


def _line(ax: Axes, about: dict[str, Any], metric: str, label: str, **look: Any) -> None:
    samples, curve = np.array(about["samples"]) / 1e6, about[metric]
    several = curve["deviation"] is not None
    ax.plot(samples, curve["mean"], label=label, linewidth=2.0 if several else 1.1, **look)
    if several:
        mean, spread = np.array(curve["mean"]), np.array(curve["deviation"])
        ax.fill_between(samples, mean - spread, mean + spread, color=look["color"], alpha=0.18, linewidth=0)


def _finish(ax: Axes, label: str) -> None:
    ax.set_xlabel("million samples")
    ax.set_title(label, fontsize="medium")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    style.tidy(ax)
