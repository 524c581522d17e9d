"""The paper's eleven rewards as small pure functions of a state, and five of our own. Weights: `settings.Rewards`."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from him.env.settings import Rewards

Scale = Tensor | float

LANDING = 1.5
"""Speed in m/s beyond which a foot that bears is landing rather than sliding."""


class Motion(NamedTuple):
    """What the rewards look at, one row an environment."""

    command: Tensor
    """Commanded forward, sideways and yaw velocity (N, 3)."""
    velocity: Tensor
    """Linear velocity of the base in its own frame (N, 3)."""
    rates: Tensor
    """Angular velocity of the base in its own frame (N, 3)."""
    gravity: Tensor
    """Direction of gravity in the base's frame (N, 3)."""
    height: Tensor
    """Height of the base above the ground under it, less the target (N,)."""
    corners: Tensor
    """Height of the trunk's four corners above the ground under each, less the same target (N, 4)."""
    joint_offset: Tensor
    """Joint positions less the default pose (N, 12)."""
    joint_vel: Tensor
    joint_acc: Tensor
    torque: Tensor
    """(N, 12) each."""
    overspeed: Tensor
    """Joint speeds beyond what the motors can (N, 12)."""
    foot_z: Tensor
    """Height of the feet in the base's frame, less the target (N, 4)."""
    foot_speed: Tensor
    """Horizontal speed of the feet in the base's frame (N, 4)."""
    slip: Tensor
    """Speed over the ground of the feet that bear, and zero of the others (N, 4)."""
    action: Tensor
    last_action: Tensor
    before_last: Tensor
    """The newest action and the two before it (N, 12)."""


def lin_vel_tracking(m: Motion, sigma: Scale) -> Tensor:
    return torch.exp(-(m.command[:, :2] - m.velocity[:, :2]).square().sum(-1) / sigma)


def ang_vel_tracking(m: Motion, sigma: Scale) -> Tensor:
    return torch.exp(-(m.command[:, 2] - m.rates[:, 2]).square() / sigma)


def following(m: Motion, sigma: Scale) -> Tensor:
    """The command as a whole: a robot told to turn that stands still follows half of it, and earns nothing here."""
    linear, angular = m.command[:, :2] - m.velocity[:, :2], m.command[:, 2] - m.rates[:, 2]
    return torch.exp(-(linear.square().sum(-1) + 0.5 * angular.square()) / sigma)


def lin_vel_z(m: Motion, sigma: Scale) -> Tensor:
    return m.velocity[:, 2].square()


def ang_vel_xy(m: Motion, sigma: Scale) -> Tensor:
    return m.rates[:, :2].square().sum(-1)


def orientation(m: Motion, sigma: Scale) -> Tensor:
    """Horizontal part of gravity: the whole vector, as printed, has length 1 whatever the robot does."""
    return m.gravity[:, :2].square().sum(-1)


def joint_acceleration(m: Motion, sigma: Scale) -> Tensor:
    return m.joint_acc.square().sum(-1)


def joint_power(m: Motion, sigma: Scale) -> Tensor:
    return (m.torque.abs() * m.joint_vel.abs()).sum(-1)


def base_height(m: Motion, sigma: Scale) -> Tensor:
    return m.height.square()


def foot_clearance(m: Motion, sigma: Scale) -> Tensor:
    return (m.foot_z.square() * m.foot_speed).sum(-1)


def action_rate(m: Motion, sigma: Scale) -> Tensor:
    return (m.action - m.last_action).square().sum(-1)


def smoothness(m: Motion, sigma: Scale) -> Tensor:
    return (m.action - 2 * m.last_action + m.before_last).square().sum(-1)


def stand_still(m: Motion, sigma: Scale) -> Tensor:
    """Distance from the default pose at zero command: a robot told to stand should neither shuffle nor sink."""
    return m.joint_offset.square().sum(-1) * (m.command.abs().sum(-1) == 0)


def overspeed(m: Motion, sigma: Scale) -> Tensor:
    """A controller stops a robot whose joints run away; the motors of training know no highest speed."""
    return m.overspeed.square().sum(-1)


def trunk_clearance(m: Motion, sigma: Scale) -> Tensor:
    """Corners of the trunk too near the ground under them: a nose held low meets the next riser."""
    return m.corners.clamp(max=0.0).square().mean(-1)


def foot_slip(m: Motion, sigma: Scale) -> Tensor:
    """Feet that slide: who steps faster where it is slippery only slides more, and holds less."""
    return m.slip.clamp(max=LANDING).square().sum(-1)


TERMS: dict[str, Callable[[Motion, Scale], Tensor]] = {
    f.__name__: f
    for f in (
        lin_vel_tracking,
        ang_vel_tracking,
        lin_vel_z,
        ang_vel_xy,
        orientation,
        joint_acceleration,
        joint_power,
        base_height,
        foot_clearance,
        action_rate,
        smoothness,
        stand_still,
        overspeed,
        following,
        trunk_clearance,
        foot_slip,
    )
}


EARNED = ("lin_vel_tracking", "ang_vel_tracking", "following")
"""What there is to earn; all other terms are penalties, and most of them punish trying."""


class Stage(NamedTuple):
    """Shares of their weights that terms have; they change along a run."""

    ease: Scale
    """Of penalties."""
    follow: Scale
    """Of `following`."""


WHOLE = Stage(1.0, 1.0)


def stage(weights: Rewards, done: float) -> Stage:
    """The stage of a run of which this share is done."""
    ease = weights.ease + (1.0 - weights.ease) * _come(done, weights.ease_from, weights.ease_until)
    return Stage(ease, _come(done, weights.following_from, weights.following_until))


def _come(done: float, begin: float, end: float) -> float:
    return min(1.0, max(0.0, (done - begin) / (end - begin)))


def compute(motion: Motion, weights: Rewards) -> dict[str, Tensor]:
    """Every term before its weight; the sum of term times weight is the reward per second."""
    scales = {"following": weights.following_sigma}
    return {name: term(motion, scales.get(name, weights.sigma)) for name, term in TERMS.items()}


def total(terms: dict[str, Tensor], weights: Rewards, stage: Stage = WHOLE) -> Tensor:
    """Reward per second."""
    shares = dict.fromkeys(EARNED, 1.0) | {"following": stage.follow}
    values = [getattr(weights, name) * value * shares.get(name, stage.ease) for name, value in terms.items()]
    return torch.stack(values).sum(0)
