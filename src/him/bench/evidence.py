"""Everything measured that lies below one folder, in one place."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from him.bench import comparison, records
from him.bench.comparison import Columns


@dataclass(frozen=True)
class Evidence:
    """What the claims are judged by; empty where nothing was measured."""

    columns: Columns = field(default_factory=dict)
    """Tracking errors of one robot's methods."""
    methods: dict[str, Any] = field(default_factory=dict)
    prototypes: dict[str, Any] = field(default_factory=dict)
    """Learning curves by method, and of HIM by number of prototypes."""
    latents: dict[str, Any] = field(default_factory=dict)
    """Silhouette and probes by method."""


def gather(results: Path, robot: str = "aliengo") -> Evidence:
    found = [record for record in records.complete(results / "tracking" / "policies") if record.subject.robot == robot]
    curves = load(results / "ablation" / f"{robot}.json")
    return Evidence(
        columns=comparison.columns(found) if found else {},
        methods=curves.get("methods", {}),
        prototypes=curves.get("prototypes", {}),
        latents=load(results / "latent" / f"{robot}.json").get("policies", {}),
    )


def load(path: Path) -> dict[str, Any]:
    """A JSON file, or nothing where there is none."""
    return json.loads(path.read_text()) if path.exists() else {}
