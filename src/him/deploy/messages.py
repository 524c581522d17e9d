"""What goes to a robot and what comes back, whatever the wire: joints in the project's order, SI units."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

JOINTS = 12
REMOTE_BYTES = 40


def zeros() -> Array:
    """A number for each joint."""
    return np.zeros(JOINTS)


@dataclass(slots=True)
class Command:
    """Set points of the motors: torque = tau + kp (q - measured q) + kd (dq - measured dq).

    With `servo` false the motors are off and the numbers do not count.
    """

    q: Array = field(default_factory=zeros)
    kp: Array = field(default_factory=zeros)
    kd: Array = field(default_factory=zeros)
    dq: Array = field(default_factory=zeros)
    tau: Array = field(default_factory=zeros)
    servo: bool = True


@dataclass(slots=True)
class State:
    """What the robot measured."""

    joint_pos: Array
    joint_vel: Array
    joint_torque: Array
    """Estimated by the motors from their current, Nm."""
    quaternion: Array
    """Attitude of the body, w, x, y, z."""
    angular_velocity: Array
    """Body frame, rad/s."""
    acceleration: Array
    """Accelerometer, body frame, m/s2: a robot at rest reads +9.8 upwards."""
    tick: int = 0
    """The robot's own counter; its unit differs between firmwares, so only its change means something."""
    temperature: Array = field(default_factory=zeros)
    """Motors, degrees Celsius."""
    foot_force: Array = field(default_factory=lambda: np.zeros(4))
    """Raw readings, FL, FR, RL, RR; Unitree does not document the unit."""
    remote: bytes = bytes(REMOTE_BYTES)
    """The remote control's state as it came."""


def off() -> Command:
    """Motors off: the robot is limp."""
    return Command(servo=False)


def damping(kd: float) -> Command:
    """Motors brake every joint and hold none: a standing robot sinks down slowly."""
    return Command(kd=np.full(JOINTS, kd))
