"""The state of an episode and the numbers of a task, as tensors."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from him.env.curriculum import Travel
from him.env.settings import TaskSettings
from him.robots import Robot
from him.sim.engine import CONTROL_PERIOD
from him.terrain import KINDS, Terrain


class Episode(NamedTuple):
    """What of an episode is not physics, one row an environment."""

    command: Tensor
    action: Tensor
    before_last: Tensor
    """The last action and the one before it."""
    joint_vel: Tensor
    """Joint velocities one control period ago."""
    column: Tensor
    row: Tensor
    """The tile it plays on; a row of the training grid is a level."""
    reach: Tensor
    """How far the ranges of commands have grown, see `commands.Limits`: a row for each of `Constants.places`."""
    steps: Tensor
    limit: Tensor
    """Control periods so far, and at which the clock ends the episode."""
    travel: Travel
    force: Tensor
    """External force on the base, world frame."""
    force_steps: Tensor
    """Control periods it still acts."""
    more: dict[str, Tensor]
    """What only some methods ask for, by name; empty for all others."""


def fresh(envs: int, action_size: int, places: int, device: torch.device) -> Episode:
    """Episodes of no length at tile (0, 0)."""

    def zeros(*shape: int) -> Tensor:
        return torch.zeros(envs, *shape, device=device)

    return Episode(
        command=zeros(3),
        action=zeros(action_size),
        before_last=zeros(action_size),
        joint_vel=zeros(action_size),
        column=zeros().long(),
        row=zeros().long(),
        reach=torch.zeros(places, 3, device=device),
        steps=zeros(),
        limit=zeros() + 1,
        travel=Travel(*(zeros() for _ in Travel._fields)),
        force=zeros(3),
        force_steps=zeros(),
        more={},
    )


NESTED = ("travel", "more")
"""Fields of an episode that are tables themselves."""


def flatten(episode: Episode) -> dict[str, Tensor]:
    """Named tensors, for a checkpoint."""
    flat = {k: v for k, v in episode._asdict().items() if k not in NESTED}
    flat |= {f"travel.{k}": v for k, v in episode.travel._asdict().items()}
    return flat | {f"more.{k}": v for k, v in episode.more.items()}


def restore(flat: dict[str, Tensor]) -> Episode:
    def part(name: str) -> dict[str, Tensor]:
        return {k.removeprefix(f"{name}."): v for k, v in flat.items() if k.startswith(f"{name}.")}

    own = {k: v for k, v in flat.items() if "." not in k}
    return Episode(**own, travel=Travel(**part("travel")), more=part("more"))


class Constants:
    """Robot and terrain as tensors on the task's device."""

    def __init__(self, robot: Robot, terrain: Terrain, settings: TaskSettings, device: torch.device) -> None:
        def tensor(values: object, dtype: torch.dtype = torch.float32) -> Tensor:
            return torch.as_tensor(values, dtype=dtype).to(device)

        self.pose = tensor(robot.default_joint_pos.copy())
        self.lowest, self.highest = tensor(robot.joint_limits[:, 0].copy()), tensor(robot.joint_limits[:, 1].copy())
        self.foot_radius = max(leg.foot.radius for leg in robot.legs)
        self.mass = robot.trunk.mass + sum(link.mass for leg in robot.legs for link in (*leg.links, leg.foot))
        self.standing = float(robot.standing_height)
        tiles = terrain.tiles
        self.columns, self.rows = tiles.kind.shape
        self.kind, self.level = tensor(tiles.kind, torch.int64), tensor(tiles.level, torch.int64)
        self.places = len(KINDS) * self.rows
        """Kinds of terrain times levels."""
        self.centre = tensor(tiles.centre)
        self.platform = tiles.platform
        self.half = tensor([-terrain.x0, -terrain.y0])
        self.max_steps = math.ceil(settings.episode_seconds / CONTROL_PERIOD)
        self.command_steps = math.ceil(settings.commands.seconds / CONTROL_PERIOD)

    def place(self, column: Tensor, row: Tensor) -> Tensor:
        """Which of the `places` these tiles are."""
        return self.kind[column, row] * self.rows + row
