"""Small tasks on the native engine."""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from him import robots
from him.env import randomisation
from him.env.settings import Commands, Noise, Randomisation, TaskSettings
from him.env.task import LocomotionTask
from him.sim import engines
from him.sim import model as builder
from him.terrain import Terrain, TerrainSettings, grid

ROBOT = robots.load("go1")
SMALL = TerrainSettings(columns=2, levels=2, border=2.0)
"""A column of rough slope and one of stairs, two levels each."""


def make(
    envs: int = 8, settings: TaskSettings | None = None, terrain: Terrain | None = None, seed: int = 0
) -> LocomotionTask:
    """A task that has been reset, with everything random as in training."""
    settings = settings or TaskSettings(randomisation=Randomisation(bodies=8))
    terrain = terrain or grid(SMALL)
    bank = randomisation.bodies(builder.build(ROBOT).compile(), settings.randomisation, seed)
    engine = engines.make("native", ROBOT, terrain, envs, bank, "cpu")
    task = LocomotionTask(ROBOT, terrain, engine, settings, bodies=bank)
    torch.manual_seed(seed)
    task.reset()
    return task


def quiet(**changes: Any) -> TaskSettings:
    """The nominal robot at rest, nothing random but where it starts and what it is told."""
    still = TaskSettings(
        randomisation=Randomisation.none(),
        noise=Noise(scale=0.0),
        commands=Commands(zero_share=0.0, turn_share=0.0, straight_share=0.0, forward_share=0.0),
        spawn_speed=0.0,
    )
    return replace(still, **changes)


def begin(task: LocomotionTask, steps: float, command: tuple[float, float, float] | None = None) -> None:
    """Every environment at the start of an episode of so many steps, on its own column at level 0."""
    n = task.num_envs
    column = torch.arange(n) % task.constants.columns
    told = None if command is None else torch.tensor(command).repeat(n, 1)
    task.reset_to(column, torch.zeros(n).long(), torch.full((n,), float(steps)), told)


def still(task: LocomotionTask) -> Tensor:
    """The action that holds the default pose."""
    return torch.zeros(task.num_envs, task.action_size)
