"""The contrastive study as a picture: the loss's share in the encoder's gradient against what comes of it."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from him.view import style

PANELS = {
    "linear_error": "mean linear tracking error, m/s",
    "terrain": "terrain read from the latent, accuracy",
    "velocity_loss": "velocity loss, (m/s)²",
}


def draw(result: dict[str, Any], path: Path) -> Path:
    """One marker a variant, the same in every panel; what was measured of nobody has none."""
    rows = result["rows"]
    panels = {key: title for key, title in PANELS.items() if any(row[key] is not None for row in rows)}
    figure, axes = plt.subplots(1, len(panels), figsize=(4.5 * len(panels), 4.9), layout="constrained", squeeze=False)
    for ax, (key, title) in zip(axes[0], panels.items(), strict=True):
        for n, row in enumerate(rows):
            if row[key] is not None:
                colour, marker = style.COLOURS[n % 8], style.MARKERS[(n + n // 8) % 8]
                look = {"color": colour, "marker": marker, "linestyle": "", "markersize": 8}
                ax.plot(row["share_end"], row[key], label=row["label"], **look)
        ax.set_xlabel("share of the contrastive loss in the encoder's gradient")
        ax.set_xlim(-0.05, 1.05)
        ax.set_title(title, fontsize="medium")
        style.tidy(ax)
    handles, labels = max((ax.get_legend_handles_labels() for ax in axes[0]), key=lambda found: len(found[0]))
    figure.legend(handles, labels, loc="outside lower center", ncols=2 * len(panels), frameon=False, fontsize="small")
    figure.suptitle("The contrastive loss: temperature τ, sum or mean over prototypes, weight")
    return style.save(figure, path)
