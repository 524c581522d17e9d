"""Run folders made up: a method's curves rise to a given end."""

import json
from pathlib import Path
from typing import Any

import numpy as np


def run(
    folder: Path,
    method: str = "him",
    seed: int = 0,
    end: float = 0.9,
    samples: int = 200_000_000,
    robot: str = "aliengo",
    prototypes: int = 16,
    **options: Any,
) -> Path:
    """Written to disk as `him train` would. Options are given to the command under their names, `__` for a dot."""
    folder.mkdir(parents=True)
    if prototypes != 16:
        options["him__prototypes"] = prototypes
    words = [word for name, value in options.items() for word in (f"--{name.replace('__', '.')}", str(value))]
    command = ["him", "train", robot, "--method", method, "--seed", str(seed), "--samples", str(samples), *words]
    record = {"method": method, "command": command, "about": {"robot": robot, "preset": "default"}}
    (folder / "run.json").write_text(json.dumps(record))
    him = {"prototypes": prototypes}
    (folder / "settings.json").write_text(json.dumps({"seed": seed, "samples": samples, "him": him}))
    rng = np.random.default_rng((seed, *method.encode()))
    lines = []
    for n in np.linspace(0.02, 1.0, 50):
        score = end * (1 - np.exp(-4 * n)) + 0.01 * rng.normal()
        lines.append(
            {
                "iteration": round(2000 * n),
                "samples": round(samples * n),
                "seconds": 300.0 * n,
                "tracking/linear_score": score,
                "tracking/angular_score": 0.9 * score,
                "terrain/highest": min(9.0, 12 * end * n),
                "terrain/level": 6 * end * n,
                "commands/reach_x": 0.5 * n,
            }
        )
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder
