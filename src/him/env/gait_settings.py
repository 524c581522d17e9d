"""Numbers of the gait-conditioned task (Walk These Ways: its released code and the settings of its checkpoint)."""

from dataclasses import dataclass, field

Range = tuple[float, float]


@dataclass(frozen=True)
class GaitRewards:
    """Weights. The two of tracking add up; all others stand in an exponent that multiplies their sum."""

    lin_vel_tracking: float = 1.0
    ang_vel_tracking: float = 0.5
    swing_force: float = -4.0
    """Force on feet that should be in the air."""
    stance_velocity: float = -4.0
    """Speed of feet that should stand."""
    body_height: float = -10.0
    attitude: float = -5.0
    """Pitch and roll other than commanded."""
    foothold: float = -10.0
    """Distance of the feet from where Raibert's rule puts them."""
    swing_height: float = -30.0
    lin_vel_z: float = -0.02
    ang_vel_xy: float = -0.001
    foot_slip: float = -0.04
    collision: float = -5.0
    """Thighs and calves that touch."""
    joint_limits: float = -10.0
    """Overshoot beyond nine tenths of the joints' ranges."""
    torque: float = -1e-4
    joint_velocity: float = -1e-4
    joint_acceleration: float = -2.5e-7
    action_rate: float = -0.01
    target_rate: float = -0.1
    """First difference of the joint targets."""
    target_bend: float = -0.1
    """Second difference of the joint targets."""
    sigma: float = 0.25
    """Tracking scale."""


@dataclass(frozen=True)
class GaitSettings:
    """Behaviours that are asked for, drawn anew with every command. Lengths are a Go1's; others scale with size."""

    active: bool = False
    """Whether robots are told how to walk, and paid for it. Methods that need it switch it on."""
    height: Range = (-0.25, 0.15)
    """Body height above the robot's usual, m."""
    frequency: Range = (2.0, 4.0)
    """Steps a second."""
    duty: Range = (0.5, 0.5)
    """Share of a step on the ground; published as fixed."""
    swing: Range = (0.03, 0.35)
    """Height of a swinging foot, m; not scaled."""
    pitch: Range = (-0.4, 0.4)
    """rad, nose up."""
    roll: Range = (0.0, 0.0)
    """rad; published as fixed."""
    width: Range = (0.10, 0.45)
    """Distance of the feet across the body, m."""
    length: Range = (0.35, 0.45)
    """Distance of the feet along the body, m."""
    rewards: GaitRewards = field(default_factory=GaitRewards)
