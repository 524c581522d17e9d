"""Who goes to which level (paper, section 3.4).

The paper promotes at 80 % of the linear tracking reward and demotes robots that do not travel half of the
terrain. Alone, the first would promote robots that stand under a zero command and the second would demote those
told to turn, so both look at progress: the velocity along the command, integrated, against what was asked for.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from him.env.settings import TaskSettings

LEAST_ASKED = 1.0
"""An episode that asked for less than this many metres says nothing about the terrain."""


class Travel(NamedTuple):
    """What an episode asked for and got so far, one row an environment."""

    asked: Tensor
    """Commanded distance in metres."""
    made: Tensor
    """Distance along the command in metres."""
    tracking: Tensor
    turning: Tensor
    """Sums of the linear and the angular tracking reward over the steps."""
    farthest: Tensor
    """Largest distance from the tile's centre along x or y in metres."""


def advance(
    t: Travel, command: Tensor, velocity: Tensor, tracking: Tensor, turning: Tensor, away: Tensor, dt: float
) -> Travel:
    """One control period more."""
    speed = torch.linalg.vector_norm(command[:, :2], dim=-1)
    along = (velocity[:, :2] * command[:, :2]).sum(-1) / speed.clamp(min=1e-6)
    return Travel(
        asked=t.asked + speed * dt,
        made=t.made + along * dt,
        tracking=t.tracking + tracking,
        turning=t.turning + turning,
        farthest=torch.maximum(t.farthest, away.abs().amax(-1)),
    )


def judge(
    t: Travel, steps: Tensor, fell: Tensor, left_out: Tensor, platform: float, settings: TaskSettings
) -> tuple[Tensor, Tensor]:
    """Who is promoted and who is demoted at the end of an episode.

    `left_out` is what the rest of the episode would have asked for: a robot that falls has not made it.
    """
    counts = t.asked + left_out > LEAST_ASKED
    tracked = t.tracking >= settings.promote * steps
    up = counts & ~fell & tracked & (t.farthest > platform) & (t.made >= settings.promote * t.asked)
    down = counts & (t.made < settings.demote * (t.asked + torch.where(fell, left_out, 0.0)))
    return up, down & ~up


def move(level: Tensor, up: Tensor, down: Tensor, again: Tensor, levels: int, uniform: Tensor) -> Tensor:
    """New levels; who passes the last goes to a random one, so that none is forgotten, and who goes over the ground
    `again` to one of those up to the own."""
    moved = level + up.to(level.dtype) - down.to(level.dtype)
    anywhere = (uniform * levels).to(level.dtype)
    moved = torch.where(moved >= levels, anywhere, moved).clamp(0, levels - 1)
    return torch.where(again, (uniform * (moved + 1)).to(level.dtype), moved)
