"""With the table's stand gains every robot stands still on flat ground, without a policy."""

import mujoco
import numpy as np
import pytest

from him import robots
from him.robots import kinematics
from him.sim import colliders, model
from him.sim.engine import SUBSTEP

SECONDS = 5.0
TILT = np.radians(3)


def stand(robot: robots.Robot, kind: str, kp: np.ndarray, kd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tilt and error of the base height against forward kinematics at the measured angles, at every step."""
    spec = model.build(robot, kind)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    built = spec.compile()
    model.set_gains(built, kp, kd)
    data = mujoco.MjData(built)
    mujoco.mj_resetDataKeyframe(built, data, built.key("home").id)
    tilt, error = [], []
    for _ in range(int(SECONDS / SUBSTEP)):
        mujoco.mj_step(built, data)
        mujoco.mj_kinematics(built, data)
        tilt.append(np.arccos(min(1.0, data.body("base").xmat[8])))
        error.append(data.qpos[2] - kinematics.base_height(robot, data.qpos[7:], data.qpos[3:7]))
    return np.array(tilt), np.array(error)


@pytest.mark.parametrize("kind", colliders.KINDS)
@pytest.mark.parametrize("name", robots.names())
def test_stands_upright_at_the_height_of_its_legs(name: str, kind: str) -> None:
    robot = robots.load(name)
    tilt, error = stand(robot, kind, robot.stand_kp, robot.stand_kd)
    assert tilt.max() < TILT
    assert np.abs(error).max() < 0.01


def test_aliengo_tips_at_its_walking_gains() -> None:
    """Why stand gains exist: at 40/2 nothing but a policy keeps this robot up."""
    robot = robots.load("aliengo")
    tilt, _ = stand(robot, "spheres", robot.kp, robot.kd)
    assert tilt.max() > TILT
