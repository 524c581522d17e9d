"""Records of tracking errors made up: a method's error is a factor on the paper's, worlds are shared by all."""

from pathlib import Path

import numpy as np

from him.bench.paper import ROWS
from him.bench.records import Record, Subject
from him.bench.tracking import RANGES, TrackingSettings

SETTINGS = TrackingSettings(trials=256, block=128)
GROUPS = 20


def subject(method: str, seed: int = 0, robot: str = "aliengo", column: str | None = None) -> Subject:
    name = f"{robot}-{column or method}-{seed}"
    return Subject(name, robot, method, column or method, seed, 200_000_000, "him train", "0" * 40, name)


def record(
    folder: Path, method: str, factor: float, seed: int = 0, settings: TrackingSettings = SETTINGS, **more: str
) -> Record:
    """Written to disk, complete. Group i of every policy has the same hard or easy world."""
    about = subject(method, seed, **more)
    made = Record(folder / f"{about.name}.json", about, settings, {})
    for width in RANGES:
        for number in range(settings.blocks):
            world = np.random.default_rng((number, len(width))).normal(1.0, 0.3, GROUPS)
            own = np.random.default_rng((seed, number, *method.encode())).normal(0.0, 0.02, GROUPS)
            rows = {
                row.key: {
                    "groups": [
                        round(float(x), 5) for x in row.printed["him"] * factor * np.clip(world + own, 0.1, None)
                    ],
                    "half_second": 0.01,
                    "falls": 3,
                    "trials": 128,
                }
                for row in ROWS
                if row.range == width
            }
            made.add(width, number, rows)
    return made
