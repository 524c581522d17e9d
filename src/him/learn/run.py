"""The folder of a run: settings, the command, versions, metrics and checkpoints, in plain files."""

from __future__ import annotations

import gzip
import json
import math
import platform
import shutil
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from him.env.protocol import Sizes
from him.errors import HimError
from him.learn.settings import TrainSettings

PACKAGES = ("him", "torch", "numpy", "mujoco", "mujoco-warp", "warp-lang", "safetensors")

PACKED = "metrics.jsonl.gz"
"""Metrics of a run that is kept under `results/`; `zcat` shows them."""


class Run:
    """Paths and records below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        self.checkpoints = self.folder / "checkpoints"

    def create(
        self,
        method: str,
        sizes: Sizes,
        settings: TrainSettings,
        command: Sequence[str],
        about: dict[str, Any],
    ) -> None:
        """Write what the run is. A folder that already holds one is refused, not overwritten."""
        if (self.folder / "run.json").exists():
            raise HimError(f"{self.folder} already holds a run: continue it with --resume or choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._dump("settings.json", settings.to_dict())
        record = {"method": method, "sizes": asdict(sizes), "command": list(command), "versions": versions()}
        self._dump("run.json", record | {"about": about})

    def settings(self) -> TrainSettings:
        return TrainSettings.from_dict(self._load("settings.json"))

    def sizes(self) -> Sizes:
        return Sizes(**self._load("run.json")["sizes"])

    def record(self) -> dict[str, Any]:
        """Method, sizes, command, versions and what the caller said about the task."""
        return self._load("run.json")

    def enter(self, phases: list[dict[str, Any]]) -> None:
        """Record how far a method of several phases has come (`Trainer.plan`)."""
        self._dump("run.json", self.record() | {"phases": phases})

    def append(self, metrics: dict[str, float]) -> None:
        """One line of metrics, to six digits; what is not finite becomes null, as JSON knows no word for it."""
        clean = {name: _six(value) if math.isfinite(value) else None for name, value in metrics.items()}
        with (self.folder / "metrics.jsonl").open("a") as file:
            file.write(json.dumps(clean) + "\n")

    def metrics(self) -> list[dict[str, Any]]:
        """Every whole line, of a run or of what was kept of one."""
        path, packed = self.folder / "metrics.jsonl", self.folder / PACKED
        if path.exists():
            text = path.read_text()
        else:
            text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else ""
        return [line for line in map(_parse, text.splitlines()) if line]

    def keep(self, place: Path) -> None:
        """Copy what stays of a run when its folder goes, its metrics packed; the copy reads as the run does."""
        place.mkdir(parents=True, exist_ok=True)
        for name in ("run.json", "settings.json"):
            shutil.copy(self.folder / name, place / name)
        (place / PACKED).write_bytes(gzip.compress((self.folder / "metrics.jsonl").read_bytes(), mtime=0))

    def resume(self, settings: TrainSettings, command: Sequence[str], iteration: int) -> None:
        """Record the continuation, and forget metrics after that iteration: they will come again."""
        record = self.record()
        record.setdefault("resumed", []).append({"iteration": iteration, "command": list(command)})
        self._dump("run.json", record)
        self._dump("settings.json", settings.to_dict())
        kept = [json.dumps(line) + "\n" for line in self.metrics() if line["iteration"] <= iteration]
        part = self.folder / "metrics.jsonl.part"
        part.write_text("".join(kept))
        part.replace(self.folder / "metrics.jsonl")

    def _dump(self, name: str, data: dict[str, Any]) -> None:
        (self.folder / name).write_text(json.dumps(data, indent=1) + "\n")

    def _load(self, name: str) -> dict[str, Any]:
        try:
            return json.loads((self.folder / name).read_text())
        except FileNotFoundError:
            raise HimError(f"{self.folder} holds no run: there is no {name} in it") from None


def versions() -> dict[str, str]:
    """What the run was computed with, in so far as it is installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _six(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.6g}")


def _parse(line: str) -> dict[str, Any] | None:
    """A line cut off by a crash is no line."""
    try:
        return json.loads(line)
    except ValueError:
        return None
