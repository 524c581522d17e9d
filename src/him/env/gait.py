"""When each foot should be where: phases, clocks, contact schedule and foot placement (Walk These Ways).

A foot's phase runs from 0 to 1 in a step, touching down at 0. Pure functions of tensors; feet in the order FL, FR,
RL, RR; a behaviour is a row of `him.policy.terms.BEHAVIOUR`.
"""

import math

import torch
from torch import Tensor

from him.policy.terms import BEHAVIOUR, OBS_TERMS, Term

PLACE = {name: index for index, name in enumerate(BEHAVIOUR)}

SCALES = (2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.15, 0.3, 0.3, 1.0, 1.0)
"""Factor of each parameter in a frame, as published."""

TERMS = (
    OBS_TERMS[0],
    Term("behaviour", len(BEHAVIOUR), SCALES),
    *OBS_TERMS[2:],
    Term("before_last_action", 12, (1.0,) * 12),
    Term("clock", 4, (1.0,) * 4),
)
"""Frame of a policy that is told how to walk: the standard one without angular velocity, and with the behaviour, the
action before the last and a clock for each foot."""

SMOOTHING = 0.07
"""Standard deviation, in phase, of the moments a foot may touch down and lift off."""


def part(behaviour: Tensor, name: str) -> Tensor:
    """One parameter of each behaviour (N,)."""
    return behaviour[..., PLACE[name]]


def foot_phases(turn: Tensor, behaviour: Tensor) -> Tensor:
    """Phases (N, 4) when the clock has turned so far (N,)."""
    phase, offset, bound = (part(behaviour, name) for name in ("phase", "offset", "bound"))
    ahead = torch.stack([phase + offset + bound, offset, bound, phase], -1)
    now = turn[..., None] + ahead
    return now - now.floor()


def warp(phases: Tensor, behaviour: Tensor) -> Tensor:
    """Phases stretched so that a foot is on the ground in the first half, whatever the share of time it is."""
    duty = part(behaviour, "duty")[..., None]
    return torch.where(phases < duty, 0.5 * phases / duty, 0.5 + 0.5 * (phases - duty) / (1.0 - duty))


def clocks(turn: Tensor, behaviour: Tensor) -> Tensor:
    """What the policy sees of the phases (N, 4)."""
    return torch.sin(2 * math.pi * warp(foot_phases(turn, behaviour), behaviour))


def desired_contact(warped: Tensor) -> Tensor:
    """How much each foot should be on the ground, 0 to 1, of warped phases: a step with soft edges."""
    return _cdf(warped) * (1 - _cdf(warped - 0.5)) + _cdf(warped - 1) * (1 - _cdf(warped - 1.5))


def swing_profile(phases: Tensor) -> Tensor:
    """Share of the swing height a foot should have: 0 on the ground, 1 in the middle of the air."""
    return 1 - (1 - 2 * (2 * phases - 1).clamp(0, 1)).abs()


def footholds(phases: Tensor, behaviour: Tensor, command: Tensor) -> Tensor:
    """Where the feet should be, x and y from the base in its heading frame (N, 4, 2): Raibert's rule.

    A foot is ahead of its place by half of what the base travels while it stands. Sideways commands do not enter.
    """
    length, width = part(behaviour, "length") / 2, part(behaviour, "width") / 2
    x = torch.stack([length, length, -length, -length], -1)
    y = torch.stack([width, -width, width, -width], -1)
    ahead = ((1 - 2 * phases).abs() - 0.5) * (0.5 / part(behaviour, "frequency")[:, None])
    return torch.stack([x + ahead * command[:, :1], y + ahead * command[:, 2:] * x], -1)


def _cdf(x: Tensor) -> Tensor:
    """Of a normal distribution with the schedule's smoothing."""
    return 0.5 * (1 + torch.erf(x / (SMOOTHING * math.sqrt(2))))
