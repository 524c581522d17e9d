"""Velocity commands, with the ranges of the terrain a robot stands on."""

import itertools

import torch
from torch import Tensor

from him.env.settings import Commands
from him.terrain import KINDS

DRAWS = 4
"""Uniform numbers a command needs: three velocities and what kind of command it is."""

SMOOTH = ("slope", "rough_slope", "rough_flat", "waves", "flat")
"""Kinds of terrain with the wide ranges; stairs and obstacles have the narrow ones."""


GOOD, BAD = 0.75, 0.5
"""Mean tracking rewards (of 1) above which a command speaks for wider ranges, and below which for narrower ones."""

EDGE = 0.7
"""Share of a range that a command must ask for to be judged."""


class Limits:
    """Largest velocities by kind of terrain, kept on the device: a step may not send tables there."""

    def __init__(self, settings: Commands, device: torch.device) -> None:
        table = [
            (settings.smooth_x, settings.y, settings.smooth_yaw)
            if name in SMOOTH
            else (settings.complex_x, settings.y, settings.complex_yaw)
            for name in KINDS
        ]
        self.full = torch.tensor(table, device=device)
        self.smooth = torch.tensor([name in SMOOTH for name in KINDS], device=device)
        self.easy = torch.minimum(self.full, torch.tensor(settings.easy, device=device))

    def __call__(self, kind: Tensor, reach: Tensor) -> Tensor:
        """Largest forward, sideways and yaw velocity (N, 3) on terrain of these kinds.

        `reach` (N, 3) says how far the ranges there have come from the easy ones (0) to the full ones (1).
        """
        easy, full = self.easy[kind], self.full[kind]
        return easy + reach * (full - easy)

    def reach(self, velocity: Tensor) -> Tensor:
        """How far the ranges of each kind of terrain (kinds, 3) have come if they hold these velocities (3,)."""
        return ((velocity - self.easy) / (self.full - self.easy).clamp(min=1e-6)).clamp(0.0, 1.0)


def grow(
    reach: Tensor,
    place: Tensor,
    asked: Tensor,
    linear: Tensor,
    angular: Tensor,
    fell: Tensor,
    done: Tensor,
    settings: Commands,
) -> Tensor:
    """New reach (places, 3) after a step that ended the episodes `done`, which were played at `place` (N,).

    Ranges belong to the ground: who runs on gentle slopes cannot on steep ones. Only a command near the edge of a range
    (`asked` (N, 3) is the share of it) says whether it is too narrow or too wide: who follows slow ones well may fail
    at all the fast ones, and who turns fast may not run. `linear` and `angular` are mean tracking rewards of episodes.
    """
    edge, tracked = (asked > EDGE) & done[:, None], torch.stack([linear, linear, angular], -1)
    good = edge & (tracked > GOOD) & ~fell[:, None]
    bad = edge & ((tracked < BAD) | fell[:, None])
    votes = torch.zeros_like(reach).index_add(0, place, good.float() - bad.float())
    there = torch.zeros_like(reach[:, 0]).index_add(0, place, torch.ones_like(linear)).clamp(min=1.0)
    return (reach + settings.growth * votes / there[:, None]).clamp(0.0, 1.0)


def sample(uniform: Tensor, limits: Tensor, settings: Commands) -> Tensor:
    """Commands (N, 3) from uniform numbers (N, DRAWS): nothing, or turning on the spot, or straight on in any
    direction, or forward or backward, or anything."""
    command = (2 * uniform[:, :3] - 1) * limits
    shares = settings.zero_share, settings.turn_share, settings.straight_share, settings.forward_share
    zero, turn, straight, forward = itertools.accumulate(shares)
    kind = uniform[:, 3]
    anything = kind >= forward
    walks, turns = kind >= turn, ((kind >= zero) & (kind < turn)) | anything
    strafes = walks & ((kind < straight) | anything)
    return command * torch.stack([walks, strafes, turns], -1)
