"""Training runs as the benchmarks see them: what was trained, how it differs from the usual, and its curve.

A run folder and what is kept of it under `results/` (`Run.keep`) read the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from him.errors import HimError
from him.learn.run import Run

HOUSEKEEPING = {
    *("method", "seed", "out", "resume", "device", "engine", "deterministic", "view", "samples", "seconds"),
    *("checkpoint-seconds", "keep-checkpoints", "log-every"),
}
"""Options that do not change what is learned."""


@dataclass(frozen=True)
class Trained:
    """One run."""

    name: str
    robot: str
    method: str
    seed: int
    samples: int
    """Its whole budget, reached or not."""
    options: dict[str, str]
    """What its command asked for beyond the usual."""
    him: dict[str, Any]
    """The settings of its internal model."""
    metrics: list[dict[str, Any]]
    """Of its first phase: a second one has other aims, and explores less or not at all."""


def read(folder: Path) -> Trained:
    run = Run(folder)
    record, metrics = run.record(), [line for line in run.metrics() if line.get("phase", 1) == 1]
    try:
        settings = json.loads((folder / "settings.json").read_text())
    except (OSError, ValueError) as error:
        raise HimError(f"{folder} is not the whole of a run: {error}") from None
    if not metrics:
        raise HimError(f"{folder} has no metrics yet: train it first")
    return Trained(
        name=folder.name,
        robot=record["about"]["robot"],
        method=record["method"],
        seed=settings["seed"],
        samples=settings["samples"],
        options=options(record["command"]),
        him=settings["him"],
        metrics=metrics,
    )


def options(command: list[str]) -> dict[str, str]:
    """Options of a `him train` line that change what is learned, by name."""
    found: dict[str, list[str]] = {}
    name = ""
    for word in command[2:]:
        if word.startswith("--"):
            name, _, value = word.removeprefix("--").replace("_", "-").partition("=")
            found[name] = [value] if value else []
        elif name:
            found[name].append(word)
    return {name: " ".join(words) for name, words in found.items() if name not in HOUSEKEEPING}


def find(folder: Path) -> list[Path]:
    """Every run below a folder."""
    return sorted(path.parent for path in folder.rglob("run.json") if any(path.parent.glob("metrics.jsonl*")))
