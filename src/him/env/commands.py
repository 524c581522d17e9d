"""Velocity commands, with the ranges of the terrain a robot stands on."""

import torch
from torch import Tensor

from him.env.settings import Commands
from him.terrain import KINDS

DRAWS = 4
"""Uniform numbers a command needs: three velocities and what kind of command it is."""

SMOOTH = ("slope", "rough_slope", "rough_flat", "waves", "flat")
"""Kinds of terrain with the wide ranges; stairs and obstacles have the narrow ones."""


def limits(kind: Tensor, settings: Commands) -> Tensor:
    """Largest forward, sideways and yaw velocity (N, 3) on terrain of these kinds."""
    table = [
        (settings.smooth_x, settings.y, settings.smooth_yaw)
        if name in SMOOTH
        else (settings.complex_x, settings.y, settings.complex_yaw)
        for name in KINDS
    ]
    return torch.tensor(table, device=kind.device)[kind]


def sample(uniform: Tensor, limits: Tensor, settings: Commands) -> Tensor:
    """Commands (N, 3) from uniform numbers (N, DRAWS): anything, or nothing, or turning on the spot."""
    command = (2 * uniform[:, :3] - 1) * limits
    kind = uniform[:, 3]
    moves = kind >= settings.zero_share + settings.turn_share
    turns = kind >= settings.zero_share
    return command * torch.stack([moves, moves, turns], -1)
