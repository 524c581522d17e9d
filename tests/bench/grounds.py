"""Trials without physics: outcomes made up, commands kept."""

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from him.bench.trial import Cell, Outcome


class FakeGround:
    """Stands in for `him.bench.trial.Ground`; what it was asked is in `made` and `commands`."""

    made: list["FakeGround"]

    def __init__(
        self, robot: str, cells: list[Cell], each: int, settings: Any = None, device: Any = None, seed: int = 0
    ) -> None:
        self.robot, self.cells, self.each, self.settings, self.seed = robot, list(cells), each, settings, seed
        self.device = torch.device("cpu")
        self.cell = torch.arange(len(cells)).repeat_interleave(each)
        self.commands: list[Tensor] = []
        self.outcomes: list[Outcome] = []
        target = SimpleNamespace(base_height_target=0.3)
        self.task = SimpleNamespace(robot=target, engine=SimpleNamespace(qpos=torch.zeros(1, 19)))
        type(self).made.append(self)

    def run(self, player: Any, command: Tensor, *how_long: float, watch: Any = None) -> Outcome:
        """Robots that stand half a metre high for a second and walk at a quarter of one for another."""
        n = len(command)
        for step in range(100 if watch else 0):
            self.task.engine.qpos[:, 2] = 0.5 if step < 50 else 0.25
            watch(None, {}, None)
        values = [torch.rand(n) for _ in range(4)]
        self.commands.append(command)
        self.outcomes.append(Outcome(*values, torch.rand(n) < 0.2, torch.rand(n) + 0.3, torch.rand(n)))
        return self.outcomes[-1]


PLAYER: Any = SimpleNamespace(
    robot="aliengo", contract=SimpleNamespace(robot="aliengo", history_length=6, action_scale=0.25)
)
