"""The check's questions against the robots' own geometry: a person moves each as asked, and every answer is right."""

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from him import robots
from him.deploy.check import Check, Finding
from him.deploy.clock import SimClock
from him.deploy.messages import Command, State
from him.fake.robot import Sensors, SimulatedRobot, with_ground


class Hung:
    """A robot in its harness, motors off. A person moves it by what they see, not by what the numbers say."""

    refused = 0

    def __init__(self, name: str, mistake: int = 1) -> None:
        self.table = robots.load(name)
        self._robot = SimulatedRobot(self.table, with_ground(self.table, 0.8), np.random.default_rng(0), Sensors())
        self._model, self._data = self._robot.model, self._robot.data
        self._way = mistake
        self._ticks = 0

    def say(self, text: str) -> None:
        """Do what is asked; the body comes back to level first."""
        self._turn([0.0, 0.0, 1.0], 0.0)
        self._data.qvel[:] = 0.0
        if text.startswith("Move the "):
            leg, kind = text.split()[2:4]
            self._move(leg, kind)
        elif "nose down" in text:
            self._until([0.0, 1.0, 0.0], lambda: self._axis(0)[2] < -0.25)
        elif "left side" in text:
            self._until([1.0, 0.0, 0.0], lambda: self._axis(1)[2] < -0.25)
        elif "turn it to its left" in text:
            self._data.qvel[5] = 0.8 * self._way

    def _move(self, leg: str, kind: str) -> None:
        """Push the foot the way that was asked for, and see which sign of the joint does it."""
        joint = self._model.joint(f"{leg}_{kind}").qposadr[0]
        start, before = self._data.qpos[joint], self._foot(leg)
        for change in (0.25, -0.25):
            self._data.qpos[joint] = start + self._way * change
            after = self._foot(leg)
            side = 1.0 if leg.endswith("L") else -1.0
            moved = {
                "hip": side * (after - before)[1],
                "thigh": (before - after)[0],
                "calf": np.linalg.norm(after) - np.linalg.norm(before),
            }[kind]
            if self._way * moved > 0.0:
                return
        raise AssertionError(f"{leg} {kind} cannot be moved that way")

    def _foot(self, leg: str) -> np.ndarray:
        """From the hip's joint, in the level body's frame."""
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.geom(f"{leg}_foot").xpos - self._data.body(f"{leg}_thigh").xpos

    def _until(self, axis: list[float], seen: Callable[[], bool]) -> None:
        """Tilt about an axis, one way or the other, until it looks as asked."""
        for angle in (0.3, -0.3):
            self._turn(axis, angle)
            if seen():
                self._turn(axis, self._way * angle)
                return
        raise AssertionError("neither way looks as asked")

    def _turn(self, axis: list[float], angle: float) -> None:
        mujoco.mju_axisAngle2Quat(self._data.qpos[3:7], np.array(axis), angle)

    def _axis(self, index: int) -> np.ndarray:
        """One of the body's axes in the world."""
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.body("base").xmat.reshape(3, 3)[:, index]

    def send(self, command: Command) -> None:
        assert not command.servo, "a check sends no torque"

    def receive(self) -> State:
        self._ticks += 1
        self._data.qacc[:] = 0.0
        state = self._robot._measure()
        state.tick = self._ticks
        return state

    def close(self) -> None:
        """Nothing to let go of."""


def findings(name: str, mistake: int = 1) -> list[Finding]:
    robot = Hung(name, mistake)
    return list(Check(robot.table, robot, SimClock(), robot.say).run())


@pytest.mark.parametrize("name", robots.names())
def test_whoever_does_as_asked_passes(name: str) -> None:
    found = findings(name)
    assert [f"{finding.name}: {finding.detail}" for finding in found if not finding.passed] == []
    assert len(found) == 3 + 3 + 12


def test_whoever_does_the_opposite_fails_everywhere() -> None:
    found = findings("go1", mistake=-1)
    assert [finding.name for finding in found if finding.passed] == ["packets", "limits", "IMU level"]
