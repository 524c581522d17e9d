"""`him deploy check`: what to know before the feet touch the ground, found out without sending torque.

The robot hangs in its harness with its motors off. A person moves one joint at a time, and tilts and turns
the body; the checks see whether the right number moved in the right direction.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from him.deploy.clock import Clock
from him.deploy.links import Link
from him.deploy.messages import State
from him.deploy.observe import Observer
from him.deploy.settings import Limits
from him.deploy.walker import Walker
from him.policy import Policy, gravity_direction

if TYPE_CHECKING:
    from him.robots import Robot

RATE = 400.0
"""Fewest state packets a second; a robot answers each of the 500 commands, and some packets get lost."""
MOVED = 0.15
"""Joint travel that counts as moved by hand, rad."""
TILTED = 0.2
"""Sideways part of gravity's direction that counts as tilted: 12 degrees."""
TURNED = 0.3
"""Turning rate that counts as turned by hand, rad/s."""
PATIENCE = 30.0
"""Seconds a person has for one movement."""

BEWILDERED = 4.0
"""Action of a policy held in the air that is beyond belief: legs that hang or are folded call for up to 2.8 with those
that ship, joints with wrong signs or in the wrong order for 5.2 and more."""

WAYS = {"hip": "outwards", "thigh": "backwards", "calf": "straight (stretch the knee)"}


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    name: str
    passed: bool
    detail: str


class Check:
    """Runs the checks one after the other; `say` speaks to the person at the robot."""

    def __init__(
        self,
        robot: "Robot",
        link: Link,
        clock: Clock,
        say: Callable[[str], None],
        policy: Policy | None = None,
    ) -> None:
        self._robot, self._link, self._say, self._policy = robot, link, say, policy
        self._observer = Observer(link, clock)

    def run(self, hands: bool = True) -> Iterator[Finding]:
        """All findings in order; without packets the others make no sense.

        Without `hands` only those for which nobody has to move anything.
        """
        packets = self.packets()
        yield packets
        if not packets.passed:
            return
        yield self.limits()
        yield self._movement("IMU level", "Hold the body level.", _level)
        if hands:
            yield from self.imu()
            for index in range(len(self._robot.joint_names)):
                yield self.joint(index)
        if self._policy is not None:
            yield self.dry_run(self._policy)

    def packets(self, seconds: float = 2.0) -> Finding:
        """Rate of state packets, their longest gap, how many were refused, and whether the robot counts."""
        self._say("Hang the robot up; its motors stay off. Keep your hands off for a moment.")
        seen = list(self._observer.states(seconds))
        if len(seen) < 2:
            return Finding("packets", False, f"{len(seen)} state packets came, {self._link.refused} were refused")
        rate = len(seen) / seconds
        gap = float(np.diff([moment for moment, _ in seen]).max())
        counting = seen[0][1].tick == 0 or seen[0][1].tick != seen[-1][1].tick
        detail = f"{rate:.0f} a second, longest gap {1e3 * gap:.1f} ms, {self._link.refused} refused"
        good = rate >= RATE and gap < Limits().stale_after and self._link.refused == 0 and counting
        return Finding("packets", good, detail if counting else f"{detail}; the robot's counter stands still")

    def limits(self) -> Finding:
        """Joint positions must lie within the limits; a wrong order or a wrong zero shows here first."""
        pose = self._observer.pose()
        if pose is None:
            return Finding("limits", False, "no state packets came")
        low, high = np.asarray(self._robot.joint_limits).T
        margin = Limits().position_margin
        outside = [
            f"{name} reads {angle:.2f}, its limits are {bottom:.2f} to {top:.2f}"
            for name, angle, bottom, top in zip(self._robot.joint_names, pose, low, high, strict=True)
            if not bottom - margin <= angle <= top + margin
        ]
        return Finding("limits", not outside, "; ".join(outside) or "all joints within their limits")

    def imu(self) -> Iterator[Finding]:
        """Axes and signs of attitude, accelerometer and gyroscope."""
        yield self._movement("IMU pitch", "Tilt the nose down.", _leaning(0, +1.0))
        yield self._movement("IMU roll", "Level it, then tilt it to its left side.", _leaning(1, +1.0))
        yield self._movement("IMU yaw", "Level it, then turn it to its left.", _turning)

    def joint(self, index: int) -> Finding:
        """Ask for one joint to be moved, and see which number moves, and which way."""
        name = self._robot.joint_names[index]
        leg, _, kind = name.partition("_")
        start = self._observer.pose()
        if start is None:
            return Finding(name, False, "no state packets came")
        self._say(f"Move the {leg} {kind} {WAYS[kind]}, this joint alone.")
        state = self._observer.until(lambda state: bool(np.abs(state.joint_pos - start).max() > MOVED), PATIENCE)
        if state is None:
            return Finding(name, False, "no joint moved")
        travel = state.joint_pos - start
        moved = int(np.argmax(np.abs(travel)))
        expected = -1.0 if kind == "hip" and leg.endswith("R") else 1.0
        if moved != index:
            return Finding(name, False, f"{self._robot.joint_names[moved]} moved instead: the joint order is wrong")
        right = travel[moved] * expected > 0.0
        return Finding(name, right, f"moved by {travel[moved]:+.2f} rad" + ("" if right else ": the sign is wrong"))

    def dry_run(self, policy: Policy, seconds: float = 2.0) -> Finding:
        """Run the policy on what the robot measures, and throw its targets away."""
        self._say("Hold the body level, with the legs about as when standing.")
        walker, actions, due = Walker(policy), [], 0.0
        for now, state in self._observer.states(seconds):
            if now < due:
                continue
            due = now + policy.contract.control_dt - 1e-3
            try:
                walker.target(state, np.zeros(3), now)
            except ValueError as error:
                return Finding("dry run", False, str(error))
            actions.append(np.abs(walker.decision.action).max())
        if not actions:
            return Finding("dry run", False, "no state packets came")
        worst = float(np.max(actions))
        angle = worst * policy.contract.action_scale
        detail = f"{len(actions)} decisions, largest action {worst:.2f} ({angle:.2f} rad)"
        if worst >= BEWILDERED:
            detail += ": it does not know this pose. Are joints in order, signs right, and the body level?"
        return Finding("dry run", worst < BEWILDERED, detail)

    def _movement(self, name: str, task: str, judge: Callable[[State], bool | None]) -> Finding:
        """Ask for a movement of the body and judge the first state that shows one."""
        self._say(task)
        verdict: bool | None = None

        def shown(state: State) -> bool:
            nonlocal verdict
            verdict = judge(state)
            return verdict is not None

        state = self._observer.until(shown, PATIENCE)
        if state is None:
            return Finding(name, False, "the movement was not seen")
        gravity = np.round(gravity_direction(state.quaternion), 2)
        rates = np.round(state.angular_velocity, 2)
        return Finding(name, bool(verdict), f"gravity {gravity.tolist()}, turning {rates.tolist()} rad/s")


def _level(state: State) -> bool | None:
    """Level as the attitude has it; the accelerometer must then read one g upwards."""
    if np.abs(gravity_direction(state.quaternion)[:2]).max() > TILTED / 2.0:
        return None
    return bool(state.acceleration[2] > 8.0 and np.abs(state.acceleration[:2]).max() < 3.0)


def _leaning(axis: int, sign: float) -> Callable[[State], bool | None]:
    """Tilted about the asked axis, in the asked direction; the accelerometer must agree with the attitude."""

    def judge(state: State) -> bool | None:
        gravity = gravity_direction(state.quaternion)
        if np.abs(gravity[:2]).max() < TILTED:
            return None
        along = state.acceleration / max(float(np.linalg.norm(state.acceleration)), 1e-9)
        agrees = float(np.dot(along, -gravity)) > 0.9
        return bool(int(np.argmax(np.abs(gravity[:2]))) == axis and sign * gravity[axis] > 0.0 and agrees)

    return judge


def _turning(state: State) -> bool | None:
    """Turning about the vertical, to the left; tilting back to level first turns about other axes."""
    rates = state.angular_velocity
    if np.abs(rates[2]) < TURNED or np.abs(gravity_direction(state.quaternion)[:2]).max() > TILTED:
        return None
    return bool(int(np.argmax(np.abs(rates))) == 2 and rates[2] > 0.0)
