"""What a robot that is told how to walk is paid for (Walk These Ways). Weights: `gait_settings.GaitRewards`.

Tracking is multiplied by the exponential of everything else, so that the reward is never negative and nothing is
gained by falling.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from him.env import rewards
from him.env.gait import footholds, part, swing_profile
from him.env.gait_settings import GaitRewards
from him.env.rewards import WHOLE, Motion, Stage

FORCE, SPEED = 100.0, 10.0
"""Squares of the force (N^2) and the speed (m^2/s^2) at which a foot is badly out of step."""

TOUCH = 0.1
"""Force in newtons from which a thigh or calf touches."""


class Stride(NamedTuple):
    """What of a motion the gait is judged by, one row an environment; feet in the order FL, FR, RL, RR."""

    motion: Motion
    behaviour: Tensor
    """What was asked for (N, 11)."""
    phases: Tensor
    """Of the feet (N, 4)."""
    contact: Tensor
    """How much each foot should be on the ground (N, 4)."""
    foot: Tensor
    """x and y of the feet from the base in its heading frame (N, 4, 2)."""
    lift: Tensor
    """Height of the feet's lowest points above the ground under them (N, 4)."""
    foot_velocity: Tensor
    """World frame (N, 4, 3)."""
    force: Tensor
    """Of the ground on the feet (N, 4, 3)."""
    loaded: Tensor
    """Whether a foot stands now or stood a control period ago, bool (N, 4)."""
    collisions: Tensor
    """Number of thighs and calves that touch (N,)."""
    overshoot: Tensor
    """By how much the joints exceed nine tenths of their ranges, together (N,)."""
    action_scale: float


def swing_force(s: Stride) -> Tensor:
    return ((1 - s.contact) * (1 - torch.exp(-s.force.square().sum(-1) / FORCE))).mean(-1)


def stance_velocity(s: Stride) -> Tensor:
    return (s.contact * (1 - torch.exp(-s.foot_velocity.square().sum(-1) / SPEED))).mean(-1)


def body_height(s: Stride) -> Tensor:
    return (s.motion.height - part(s.behaviour, "height")).square()


def attitude(s: Stride) -> Tensor:
    pitch, roll = part(s.behaviour, "pitch"), part(s.behaviour, "roll")
    wanted = torch.stack([-torch.sin(pitch), -torch.cos(pitch) * torch.sin(roll)], -1)
    return (s.motion.gravity[:, :2] - wanted).square().sum(-1)


def foothold(s: Stride) -> Tensor:
    return (footholds(s.phases, s.behaviour, s.motion.command) - s.foot).square().sum((-1, -2))


def swing_height(s: Stride) -> Tensor:
    wanted = part(s.behaviour, "swing")[:, None] * swing_profile(s.phases)
    return ((1 - s.contact) * (wanted - s.lift).square()).sum(-1)


def foot_slip(s: Stride) -> Tensor:
    return (s.loaded * s.foot_velocity[..., :2].square().sum(-1)).sum(-1)


def collision(s: Stride) -> Tensor:
    return s.collisions


def joint_limits(s: Stride) -> Tensor:
    return s.overshoot


def torque(s: Stride) -> Tensor:
    return s.motion.torque.square().sum(-1)


def joint_velocity(s: Stride) -> Tensor:
    return s.motion.joint_vel.square().sum(-1)


def target_rate(s: Stride) -> Tensor:
    """Not counted where there was no action before, at the start of an episode."""
    m = s.motion
    step = s.action_scale * (m.action - m.last_action)
    return (step.square() * (m.last_action != 0)).sum(-1)


def target_bend(s: Stride) -> Tensor:
    m = s.motion
    bend = s.action_scale * (m.action - 2 * m.last_action + m.before_last)
    return (bend.square() * (m.last_action != 0) * (m.before_last != 0)).sum(-1)


OWN: dict[str, Callable[[Stride], Tensor]] = {
    f.__name__: f
    for f in (
        swing_force,
        stance_velocity,
        body_height,
        attitude,
        foothold,
        swing_height,
        foot_slip,
        collision,
        joint_limits,
        torque,
        joint_velocity,
        target_rate,
        target_bend,
    )
}

SHARED = ("lin_vel_tracking", "ang_vel_tracking", "lin_vel_z", "ang_vel_xy", "joint_acceleration", "action_rate")
"""Terms that `him.env.rewards` has as well."""

TRACKING = SHARED[:2]

TERMS = (*SHARED, *OWN)


def compute(stride: Stride, weights: GaitRewards) -> dict[str, Tensor]:
    """Every term before its weight."""
    shared = {name: rewards.TERMS[name](stride.motion, weights.sigma) for name in SHARED}
    return shared | {name: term(stride) for name, term in OWN.items()}


def total(terms: dict[str, Tensor], weights: GaitRewards, stage: Stage = WHOLE) -> Tensor:
    """Reward per second. What stands in the exponent comes later, as everyone's penalties do: the first clumsy steps
    would leave e^-10 of what they earn, from which nothing is learned."""
    weighted = {name: getattr(weights, name) * value for name, value in terms.items()}
    earned = torch.stack([weighted[name] for name in TRACKING]).sum(0)
    spoilt = torch.stack([value for name, value in weighted.items() if name not in TRACKING]).sum(0)
    return earned * torch.exp(spoilt * stage.ease)
