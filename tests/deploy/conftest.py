from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from him import robots
from him.deploy import Controller, Mode, Request, SimClock
from him.deploy.messages import Command, State
from him.deploy.operator import Intent
from him.deploy.settings import Settings
from him.policy import Policy
from tests.policy import random_policy


class FakeLink:
    """A robot whose joints go where they are told, and whose measurements a test can bend."""

    def __init__(self, joint_pos) -> None:
        self.refused = 0
        self.silent = False
        self.broken = False
        self.sent: list[Command] = []
        self.state = State(
            joint_pos=np.array(joint_pos),
            joint_vel=np.zeros(12),
            joint_torque=np.zeros(12),
            quaternion=np.array([1.0, 0.0, 0.0, 0.0]),
            angular_velocity=np.zeros(3),
            acceleration=np.array([0.0, 0.0, 9.81]),
        )
        self.frozen = False

    def send(self, command: Command) -> None:
        if self.broken:
            raise OSError("network is unreachable")
        self.sent.append(command)
        if command.servo:
            held = command.kp > 0.0
            self.state.joint_pos = np.where(held, command.q, self.state.joint_pos)

    def receive(self) -> State | None:
        if self.silent:
            return None
        if not self.frozen:
            self.state.tick += 1
        return self.state

    def close(self) -> None:
        pass


class Script:
    """An operator who does what a test says."""

    def __init__(self) -> None:
        self.command = np.zeros(3)
        self.request = Request.NONE
        self.present = True

    def poll(self, state: State | None) -> Intent | None:
        if not self.present:
            return None
        request, self.request = self.request, Request.NONE
        return Intent(self.command, request)

    def close(self) -> None:
        pass


class Rig:
    """A controller on a fake link in simulated time."""

    def __init__(self, policy: Policy, robot, log=None, settings: Settings = Settings()) -> None:  # noqa: B008
        self.link = FakeLink(np.tile([0.0, 1.36, -2.65], 4))
        self.operator = Script()
        self.clock = SimClock()
        self.said: list[str] = []
        self.controller = Controller(
            policy, robot, self.link, self.clock, self.operator, settings, log=log, say=self.said.append
        )

    @property
    def mode(self) -> Mode:
        return self.controller.mode

    def run(self, seconds: float) -> None:
        """Cycle at 500 Hz; deadlines are counted from zero so that no rounding piles up."""
        begin = round(self.clock.now() / 0.002)
        for cycle in range(begin + 1, begin + 1 + round(seconds / 0.002)):
            self.controller.step()
            self.clock.sleep_until(cycle * 0.002)

    def ask(self, request: Request, seconds: float = 0.002) -> None:
        self.operator.request = request
        self.run(seconds)

    def walk(self) -> None:
        """From lying to walking."""
        self.run(0.1)
        self.ask(Request.STAND, 2.1)
        self.ask(Request.WALK, 0.5)
        assert self.mode == Mode.WALK


@pytest.fixture(scope="session")
def untrained() -> ModuleType:
    """The functions of policy/random_policy.py: `contract(**changes)` and `save(path, about)`."""
    return random_policy


@pytest.fixture(scope="session")
def robot():
    return robots.load("a1")


@pytest.fixture(scope="session")
def policy_file(untrained, tmp_path_factory) -> Path:
    return untrained.save(tmp_path_factory.mktemp("policy") / "a1.onnx", untrained.contract())


@pytest.fixture(scope="session")
def policy(policy_file) -> Policy:
    return Policy(policy_file)


@pytest.fixture
def rig(policy, robot) -> Rig:
    return Rig(policy, robot)


@pytest.fixture
def make_rig(policy, robot):
    """Builds a rig with its own policy, log or settings."""
    return lambda policy=policy, log=None, **more: Rig(policy, robot, log, **more)
