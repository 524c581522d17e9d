"""Latents of several policies side by side: t-SNE coloured by terrain, and what linear probes read from them."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from him.view import style

PROBES = ("terrain", "level", "friction", "payload")


def draw(result: dict[str, Any], path: Path) -> Path:
    policies, terrains = result["policies"], result["terrains"]
    figure, axes = plt.subplots(1, len(policies) + 1, figsize=(5 * len(policies) + 5, 5), layout="constrained")
    for ax, (name, about) in zip(axes, policies.items(), strict=False):
        _cloud(ax, result["pictures"][name], terrains)
        ax.set_title(f"{about['title']}: silhouette {about['silhouette']['latent']:.2f}", fontsize="medium")
    axes[0].legend(fontsize="small", markerscale=2.5, title="terrain", loc="best")
    _bars(axes[-1], policies)
    figure.suptitle(f"Latents of {result['robot']} (t-SNE), and what can be read from them")
    return style.save(figure, path)


def _cloud(ax: Axes, picture: dict[str, Any], terrains: list[str]) -> None:
    place, kind = np.array(picture["place"]), np.array(picture["terrain"])
    for i, name in enumerate(terrains):
        x, y = place[kind == i].T
        ax.scatter(x, y, s=6, alpha=0.6, linewidths=0, color=style.COLOURS[i], label=name.replace("_", " "))
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel("first t-SNE axis, no unit")
    ax.set_ylabel("second t-SNE axis, no unit")


def _bars(ax: Axes, policies: dict[str, dict[str, Any]]) -> None:
    width = 0.8 / len(policies)
    names = list(policies)
    for j, (name, about) in enumerate(policies.items()):
        x = np.arange(len(PROBES)) + (j - (len(policies) - 1) / 2) * width
        scores = [about["probes"][label]["latent"] for label in PROBES]
        height = np.array([score["score"] for score in scores])
        ends = np.array([[score["score"] - score["low"], score["high"] - score["score"]] for score in scores]).T
        ax.bar(
            x, height, 0.9 * width, yerr=ends.clip(0), capsize=3, color=style.colour(name, names), label=about["title"]
        )
        known = [about["probes"][label]["history"]["score"] for label in PROBES]
        ax.scatter(x, known, marker="_", s=260, color="black", label="from the whole history" if j == 0 else None)
    ax.axhline(0, color="0.4", linewidth=0.8)
    ax.plot([-0.45, 0.45], [0.25, 0.25], color="0.4", linewidth=1, linestyle=":")
    ax.annotate("chance", (0.45, 0.25), fontsize="small", va="center", xytext=(3, 0), textcoords="offset points")
    ax.set_xticks(range(len(PROBES)), ["terrain\n(accuracy)", *(f"{name}\n(R²)" for name in PROBES[1:])])
    ax.set_title("linear probes on held-out trajectories", fontsize="medium")
    ax.set_ylabel("score")
    ax.set_ylim(top=1.0)
    ax.legend(fontsize="small", loc="upper right")
    style.tidy(ax)
