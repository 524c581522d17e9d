"""Controller and fake robot in one process: real packets through real sockets, but simulated time."""

from types import TracebackType

import numpy as np

from him import robots
from him.deploy import Controller, Mode, Request, SimClock, open_link
from him.deploy.messages import State
from him.deploy.operator import Intent
from him.deploy.wire import FRAMES
from him.fake.robot import STEP
from him.fake.server import FakeRobot, Settings
from him.policy import Policy


class Lockstep:
    """Loopback hands a packet over at once, so that time need not be real: the same run every time."""

    def __init__(self, robot: str, settings: Settings) -> None:
        self.table = robots.load(robot)
        self.robot = FakeRobot(self.table, FRAMES[robot], 0, settings)
        self.link = open_link(f"udp:127.0.0.1:{self.robot.port}", robot)
        self.clock = SimClock(self.advance)

    def advance(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.robot.step()

    def __enter__(self) -> "Lockstep":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.link.close()
        self.robot.close()


class Walk:
    """An operator who stands a robot up, walks it with one command, and steers back to its first heading."""

    def __init__(self, world: Lockstep, policy: Policy, speed: float) -> None:
        self.speed, self._world = speed, world
        self.said: list[str] = []
        self.controller = Controller(policy, world.table, world.link, world.clock, self, say=self.said.append)

    def poll(self, state: State | None) -> Intent:
        request = {Mode.PASSIVE: Request.STAND, Mode.STAND: Request.WALK}.get(self.controller.mode, Request.NONE)
        turn = float(np.clip(-self._world.robot.body.heading, -1.0, 1.0))
        return Intent(np.array([self.speed, 0.0, turn]), request if self._world.clock.now() > 0.05 else Request.NONE)

    def close(self) -> None:
        """Nothing to let go of."""

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP)):
            self.controller.step()
            self._world.clock.sleep_until(self._world.clock.now() + STEP)
