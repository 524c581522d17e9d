"""The table of tracking errors as a picture: measured beside printed, terrain by terrain."""

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, NullLocator

from him.view import style

ERRORS = {"linear": "linear error, m/s", "angular": "angular error, rad/s"}

TICKS = (0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)

MOST = 8
"""Columns that one picture can hold; beyond them the first are drawn. Ablations are left to the tables: the paper
prints no tracking errors of theirs to stand beside."""


def draw(result: dict[str, Any], path: Path) -> Path:
    """Filled markers with 95 % intervals are measured, hollow ones printed in the paper."""
    names = [name for name in result["columns"] if not name.startswith("no-")][:MOST]
    terrains = list(dict.fromkeys(row["terrain"] for row in result["rows"]))
    widths = [sum(r["terrain"] == t and r["error"] == "linear" for r in result["rows"]) + 0.6 for t in terrains]
    figure, axes = plt.subplots(
        len(ERRORS), len(terrains), figsize=(13, 7), width_ratios=widths, sharey="row", layout="constrained"
    )
    for line, (error, label) in zip(axes, ERRORS.items(), strict=True):
        for ax, terrain in zip(line, terrains, strict=True):
            rows = [r for r in result["rows"] if (r["terrain"], r["error"]) == (terrain, error)]
            _panel(ax, rows, names)
        line[0].set_ylabel(label)
    for ax, terrain in zip(axes[0], terrains, strict=True):
        ax.set_title(terrain.replace("_", " "))
    figure.legend(handles=_legend(result, names), loc="outside lower center", ncols=len(names) + 1, frameon=False)
    for ax in axes[-1]:
        ax.set_xlabel("commands, m/s and rad/s")
    title = "measured (filled, with 95 % intervals) and printed in the paper (hollow)"
    figure.suptitle(f"Tracking errors, {result['robot']}: {title}")
    return style.save(figure, path)


def _panel(ax: Axes, rows: list[dict[str, Any]], names: list[str]) -> None:
    step = 0.8 / len(names)
    for i, row in enumerate(rows):
        for j, name in enumerate(names):
            x = i + (j - (len(names) - 1) / 2) * step
            cell = row["columns"][name]
            look: dict[str, Any] = {"color": style.colour(name, names), "marker": style.marker(name, names)}
            ax.errorbar(x, cell["mean"], cell["interval"], markersize=5.5, capsize=2, linestyle="", **look)
            if cell["paper"] is not None:
                ax.plot(x, cell["paper"], markersize=6.5, fillstyle="none", linestyle="", alpha=0.8, **look)
        if i:
            ax.axvline(i - 0.5, color="0.85", linewidth=0.8)
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(FixedLocator(TICKS))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter("{x:g}")
    ax.set_xticks(range(len(rows)), [_name(row) for row in rows])
    ax.set_xlim(-0.5, len(rows) - 0.5)
    style.tidy(ax)
    ax.grid(visible=False, axis="x")


def _name(row: dict[str, Any]) -> str:
    return f"{row['test']}\n±{1 if row['range'] == 'narrow' else 2}"


def _legend(result: dict[str, Any], names: list[str]) -> list[Line2D]:
    return [
        Line2D(
            [], [], color=style.colour(name, names), marker=style.marker(name, names), linestyle="",
            label=result["columns"][name]["title"],
        )
        for name in names
    ]  # fmt: skip
