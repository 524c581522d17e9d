"""Guards the robot: what may be commanded, and when to stop."""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from him.deploy.messages import Command, State
from him.deploy.settings import Limits
from him.policy.frame import UNIT_TOLERANCE

if TYPE_CHECKING:
    from him.robots import Robot

Array = NDArray[np.float64]


class Fault(IntEnum):
    """Why the controller went to damping."""

    NONE = 0
    NOT_FINITE = 1
    TILT = 2
    STALE = 3
    REFUSED = 4
    LIMIT = 5
    DEADLINE = 6
    LINK = 7
    OPERATOR = 8


@dataclass(frozen=True)
class Trip:
    """A fault with the sentence that explains it."""

    fault: Fault
    reason: str


def within_limits(command: Command, state: State, joint_limits: Array, torque_limits: Array) -> Command:
    """The command with targets inside the joint limits and a PD torque inside the torque limits.

    The torque that the motors will apply is known here, from the measured joints. The target moves only as
    far from the joint as the torque limit lets it; if the braking term alone asks for more than the motor
    has, both gains shrink together, so that the joint still brakes as hard as it may.
    """
    kp, kd = command.kp, command.kd
    target = np.minimum(np.maximum(command.q, joint_limits[:, 0]), joint_limits[:, 1])
    braking = kd * state.joint_vel
    stiffness = np.maximum(kp, 1e-9)
    low = state.joint_pos + (braking - torque_limits) / stiffness
    high = state.joint_pos + (braking + torque_limits) / stiffness
    target = np.minimum(np.maximum(target, low), high)
    target = np.minimum(np.maximum(target, joint_limits[:, 0]), joint_limits[:, 1])
    torque = np.abs(kp * (target - state.joint_pos) - braking)
    share = torque_limits / np.maximum(torque, torque_limits)
    return Command(q=target, kp=kp * share, kd=kd * share)


class Guard:
    """Watches the state packets and says when to stop, and why."""

    def __init__(self, robot: "Robot", limits: Limits) -> None:
        self._limits = limits
        self._names = robot.joint_names
        margin = limits.position_margin * np.array([-1.0, 1.0])
        self._positions = np.asarray(robot.joint_limits) + margin
        self._velocities = np.asarray(robot.velocity_limits) * limits.velocity_factor
        self._torques = np.asarray(robot.torque_limits) * limits.torque_factor
        self._fresh_at: float | None = None
        self._tick = 0
        self._refused = 0
        self._exceeded_since: float | None = None
        self._fault: Trip | None = None

    def check(self, state: State | None, refused: int, now: float) -> Trip | None:
        """Judge what this cycle brought: a state or none, and the packets the link has refused so far."""
        if state is not None:
            self._refused = refused
            if self._fresh_at is None or state.tick != self._tick or state.tick == 0:
                self._fresh_at = now
            self._tick = state.tick
            self._fault = self._judge(state, now)
        return self._fault or self._silence(refused, now)

    def _silence(self, refused: int, now: float) -> Trip | None:
        """Packets that do not come, do not change, or cannot be believed."""
        limits = self._limits
        if refused - self._refused >= limits.refused_in_a_row:
            return Trip(Fault.REFUSED, f"{refused - self._refused} state packets in a row were refused")
        if self._fresh_at is None:
            return Trip(Fault.STALE, "no state packet has come yet")
        if now - self._fresh_at > limits.stale_after:
            return Trip(Fault.STALE, f"no new state packet for {1000 * (now - self._fresh_at):.0f} ms")
        return None

    def _judge(self, state: State, now: float) -> Trip | None:
        """Faults that one state shows."""
        numbers = (
            state.joint_pos,
            state.joint_vel,
            state.joint_torque,
            state.quaternion,
            state.angular_velocity,
        )
        if not np.isfinite(np.concatenate(numbers)).all():
            return Trip(Fault.NOT_FINITE, "the robot's state holds a number that is not finite")
        w, x, y, z = state.quaternion.tolist()
        length = math.hypot(w, x, y, z)
        if abs(length - 1.0) >= UNIT_TOLERANCE:
            return Trip(Fault.NOT_FINITE, f"the attitude's quaternion has length {length:.3g} instead of 1")
        tilt = 2.0 * math.asin(min(math.hypot(x, y) / length, 1.0))
        if tilt > self._limits.max_tilt:
            return Trip(Fault.TILT, f"the body is tilted by {np.degrees(tilt):.0f} degrees")
        exceeded = self._exceeded(state)
        if exceeded is None:
            self._exceeded_since = None
            return None
        if self._exceeded_since is None:
            self._exceeded_since = now
        lasted = now - self._exceeded_since >= self._limits.exceeded_for - 1e-9
        return Trip(Fault.LIMIT, exceeded) if lasted else None

    def _exceeded(self, state: State) -> str | None:
        """The first joint beyond a measured limit, in words."""
        q, dq, torque = state.joint_pos, state.joint_vel, state.joint_torque
        beyond = (
            ("position", q, (q < self._positions[:, 0]) | (q > self._positions[:, 1])),
            ("velocity", dq, np.abs(dq) > self._velocities),
            ("torque", torque, np.abs(torque) > self._torques),
        )
        for what, values, bad in beyond:
            if bad.any():
                joint = int(np.argmax(bad))
                return f"{self._names[joint]} {what} {values[joint]:.2f} is beyond its limit"
        return None
