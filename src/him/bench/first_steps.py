"""Can it walk at all? The check at the end of a first training on flat ground."""

from typing import Any

import torch

from him.bench.player import Player
from him.bench.trial import Cell, Ground
from him.env.settings import TaskSettings

FASTEST = 0.5
"""Largest commanded speed in m/s."""

BRISK = 0.3
"""Speed in m/s above which the share of the commanded speed is looked at."""


def measure(
    player: Player, settings: TaskSettings, robots: int = 256, seconds: float = 20.0, device: str | None = None
) -> dict[str, Any]:
    """Walking any way at up to 0.5 m/s on flat ground for 20 s, randomised as in training but for pushes."""
    ground = Ground(player.robot, [Cell("flat", 0)], robots, settings, device)
    speed = FASTEST * torch.rand(robots, device=ground.device)
    angle = 2 * torch.pi * torch.rand(robots, device=ground.device)
    command = torch.stack([speed * torch.cos(angle), speed * torch.sin(angle), torch.zeros_like(speed)], -1)
    outcome = ground.run(player, command, seconds)
    brisk = speed > BRISK
    return {
        "robots": robots,
        "seconds": seconds,
        "mean_error_m_s": round(float(outcome.linear.mean()), 4),
        "share_of_commanded_speed": round(float(outcome.progress[brisk].mean()), 4),
        "falls": int(outcome.fell.sum()),
    }
