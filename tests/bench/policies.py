"""Policy files of untrained networks, small but real."""

import json
from dataclasses import replace
from pathlib import Path

import torch

from him import robots
from him.env.protocol import Sizes
from him.learn.export import export
from him.learn.presets import preset
from him.methods import METHODS
from him.policy.contract import Contract, Tensor


def untrained(path: Path, method: str = "him", robot: str = "go1", seed: int = 0, command: str = "him train") -> Path:
    """As `him export` would write it."""
    torch.manual_seed(seed)
    made = METHODS[method](Sizes(45, 193, 12), replace(preset("laptop"), seed=seed))
    with torch.no_grad():
        outputs = made.outputs(torch.zeros(1, 6, 45))
    contract = Contract.for_robot(
        robots.load(robot),
        method=method,
        command_ranges=((-1.0, 1.0),) * 3,
        action_clip=20.0,
        deployable=True,
        commit="unknown",
        command=command,
        samples=0,
        seed=seed,
        outputs=tuple(Tensor(name, ("batch", *value.shape[1:])) for name, value in outputs.items()),
    )
    return export(made, path, json.loads(contract.to_json()))
