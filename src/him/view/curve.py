"""The learning curve of a run as a picture."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

LEVELS = "terrain level"
LOSSES = "losses"


def panels(metrics: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What to draw beside each other: names of metrics by title. Levels only where robots have any."""
    wanted = {
        "reward per second": ["reward/total"],
        "tracking error, m/s and rad/s": ["tracking/linear_error", "tracking/angular_error"],
        LEVELS: [name for name in metrics[0] if name.startswith("terrain/level")],
        LOSSES: ["loss/velocity", "loss/contrastive"],
    }
    if not any(row[name] for row in metrics for name in wanted[LEVELS]):
        del wanted[LEVELS]
    return {title: [name for name in names if name in metrics[0]] for title, names in wanted.items()}


def draw(metrics: list[dict[str, Any]], path: Path, title: str) -> Path:
    """Reward, tracking, terrain level and losses over samples."""
    shown = panels(metrics)
    figure, axes = plt.subplots(1, len(shown), figsize=(4 * len(shown), 3.2), layout="constrained")
    samples = [row["samples"] / 1e6 for row in metrics]
    for ax, (label, names) in zip(axes, shown.items(), strict=True):
        for name in names:
            ax.plot(samples, [row[name] for row in metrics], label=name.partition("/")[2].replace("_", " "))
        ax.set_xlabel("million samples")
        ax.set_title(label)
        ax.grid(alpha=0.3)
        if len(names) > 1:
            ax.legend(fontsize="small")
        if label == LOSSES:
            ax.set_yscale("log")
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    plt.close(figure)
    return path
