"""A robot at a run is told to sit, at any moment of its stride, and ends on its belly."""

from __future__ import annotations

import numpy as np
import pytest

from him.deploy import Mode, Request
from him.deploy.messages import State
from him.deploy.operator import Intent
from him.fake.server import Settings
from him.policy import Policy
from tests.fake.lockstep import Lockstep, Walk


class Sit(Walk):
    """Walks, and then asks once to sit, with the stick still forward."""

    sits = False

    def poll(self, state: State | None) -> Intent:
        if self.controller.mode == Mode.WALK and self.sits:
            return Intent(np.array([self.speed, 0.0, 0.0]), Request.SIT)
        return Intent(np.array([self.speed, 0.0, 0.0]), Request.NONE) if self.sits else super().poll(state)


@pytest.mark.parametrize("robot", ["aliengo", "a1", "go1"])
def test_it_sits_down_from_a_run(robot: str) -> None:
    for moment in (4.3, 4.45, 4.6):
        with Lockstep(robot, Settings(loss=0.02)) as world:
            walk = Sit(world, Policy(robot), speed=1.0)
            walk.run(moment)
            assert walk.controller.mode == Mode.WALK
            walk.sits = True
            walk.run(3.3)
            assert walk.controller.mode == Mode.PASSIVE
            assert walk.controller.stops == []
            assert world.robot.body.tilt < 0.2
