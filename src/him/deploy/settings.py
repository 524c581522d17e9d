"""Settings of the controller and of its safety layer."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How the controller moves."""

    send_dt: float = 0.002
    """Seconds between commands; 500 Hz is the rate of every example of Unitree and of the paper's PD loop."""
    stand_time: float = 2.0
    """Seconds to stand up."""
    sit_time: float = 2.0
    """Seconds to lie down."""
    handover_time: float = 1.0
    """Seconds in which standing takes over from the policy, which is told to stop meanwhile."""
    folded: tuple[float, float, float] = (0.0, 1.36, -2.65)
    """Hip, thigh and calf of a robot lying on its belly, rad; Unitree's stand example passes through it."""
    near: float = 0.4
    """From a pose this close to the default (rad, worst joint) it rises without folding its legs first."""
    damping_kd: float = 3.0
    """Gain of the braking state, Nm s/rad; public controllers use 2 to 8, and 3 on robots of this size."""
    operator_timeout: float = 0.5
    """Seconds without a word from the operator after which the command is zero."""
    operator_grace: float = 1.0
    """Further seconds after which the robot sits down; long enough to come to rest from a run."""
    fastest: tuple[float, float, float] = (math.inf, math.inf, math.inf)
    """Largest command forward or back (m/s), sideways (m/s) and turning (rad/s), within the policy's own ranges."""
    exit_commands: int = 25
    """Damping commands sent on the way out: a robot may keep the last one it got, and packets get lost."""


@dataclass(frozen=True)
class Limits:
    """What trips the damping state."""

    max_tilt: float = 1.05
    """Angle between the body's and the world's vertical, rad; 60 degrees is common in public controllers."""
    stale_after: float = 0.05
    """Seconds without a believable state packet, or with the robot's own counter standing still."""
    refused_in_a_row: int = 5
    """Refused packets with no good one between: 10 ms at 500 Hz. A single bad packet is only counted."""
    position_margin: float = 0.1
    """How far outside its limits a joint may be measured, rad; Unitree's library warns 0.087 inside."""
    velocity_factor: float = 1.5
    """Measured joint velocity over the robot's limit; feet that hit the ground exceed it for a moment."""
    torque_factor: float = 1.3
    """Estimated joint torque over the robot's limit; the estimate comes from currents and is rough."""
    exceeded_for: float = 0.01
    """Seconds for which a measured limit may be exceeded."""
    deadline: float = 0.02
    """Seconds without a command that make a missed deadline."""
