"""The learning curve of a run as a picture."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PANELS = (
    ("reward per second", ("reward/total",)),
    ("tracking error, m/s and rad/s", ("tracking/linear_error", "tracking/angular_error")),
    ("terrain level", ("terrain/level",)),
    ("losses", ("loss/velocity", "loss/contrastive")),
)


def draw(metrics: list[dict[str, Any]], path: Path, title: str) -> Path:
    """Reward, tracking, terrain level and losses over samples."""
    figure, axes = plt.subplots(1, len(PANELS), figsize=(4 * len(PANELS), 3.2), layout="constrained")
    samples = [row["samples"] / 1e6 for row in metrics]
    for ax, (label, names) in zip(axes, PANELS, strict=True):
        drawn = [name for name in names if name in metrics[0]]
        if label == "terrain level":
            drawn = [name for name in metrics[0] if name.startswith("terrain/level")]
        for name in drawn:
            ax.plot(samples, [row[name] for row in metrics], label=name.partition("/")[2].replace("_", " "))
        ax.set_xlabel("million samples")
        ax.set_title(label)
        ax.grid(alpha=0.3)
        if len(drawn) > 1:
            ax.legend(fontsize="small")
        if label == "losses":
            ax.set_yscale("log")
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return path
