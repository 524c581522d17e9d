"""External force on the base: comes, acts for a while, goes. A push is a jolt of one control period."""

import torch
from torch import Tensor

from him.env.settings import Randomisation

DRAWS = 6
"""Uniform numbers: three of the direction, whether it begins, how long it lasts, whether there is a push."""


def rate(settings: Randomisation, period: float) -> float:
    """Chance that a force begins in a control period that would be without one, for the share of time asked for."""
    if settings.force_share <= 0 or settings.force <= 0:
        return 0.0
    mean = sum(settings.force_seconds) / 2
    gap = mean * max(1 - settings.force_share, 0.0) / settings.force_share
    return period / (gap + period)


def external(
    force: Tensor, steps: Tensor, uniform: Tensor, settings: Randomisation, mass: float, period: float
) -> tuple[Tensor, Tensor]:
    """Force (N, 3) of the next control period and how many it still acts, from those of the last.

    `mass` is the robot's: a push that shall change its speed by so much needs a force that grows with it.
    """
    left = (steps - 1).clamp(min=0)
    begins = (left == 0) & (uniform[:, 3] < rate(settings, period))
    low, high = settings.force_seconds
    lasting = ((low + (high - low) * uniform[:, 4]) / period).round()
    force = torch.where((left > 0)[:, None], force, 0.0)
    force = torch.where(begins[:, None], (2 * uniform[:, :3] - 1) * settings.force, force)
    left = torch.where(begins, lasting, left)
    if settings.push > 0:
        jolt = (2 * uniform[:, :3] - 1) * (settings.push * mass / period)
        pushed = uniform[:, 5] < period / settings.push_seconds
        flat = torch.nn.functional.pad(jolt[:, :2], (0, 1))
        force = torch.where(pushed[:, None], flat, force)
        left = torch.where(pushed, 1.0, left)
    return force, left
