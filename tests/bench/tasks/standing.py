"""Helpers: heights of what is built, and a robot that stands without a policy."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from him.bench.tasks import trial
from him.bench.tasks.registry import TASKS
from him.bench.tasks.trial import Ready
from him.deploy.messages import Command
from him.fake.robot import SimulatedRobot


def ready(name: str, weight: float = 0.0, seed: int = 0) -> Ready:
    return trial.prepare(TASKS[name], seed, weight)


def heights(robot: SimulatedRobot, xs: list[float] | NDArray[np.floating], y: float = 0.4) -> list[float]:
    """What rays from above meet at each x, the robot out of the way."""
    model, data = robot.model, mujoco.MjData(robot.model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.qpos[1] = -50.0
    mujoco.mj_forward(model, data)
    hit, down, high = np.zeros(1, np.int32), np.array([0.0, 0.0, -1.0]), 100.0
    return [high - mujoco.mj_ray(model, data, np.array([x, y, high]), down, None, 1, -1, hit, None) for x in xs]


def stand(robot: SimulatedRobot, seconds: float = 1.0) -> None:
    """Hold the default pose with the gains made for that."""
    table = robot.robot
    robot.send(Command(q=table.default_joint_pos, kp=table.stand_kp, kd=table.stand_kd))
    robot.advance(seconds)
