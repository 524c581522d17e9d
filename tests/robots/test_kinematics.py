"""Forward kinematics against the public models' figures and against MuJoCo."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from him import robots
from him.robots import LEGS, kinematics
from him.sim import model
from tests.robots.test_table import NAMES, facts


@pytest.mark.parametrize("name", NAMES)
def test_feet_are_where_the_public_model_has_them(name: str) -> None:
    robot, derived = robots.load(name), facts(name)["derived"]
    places = derived.get("foot_sphere_centre_in_base_at_default_pose", derived["foot_centre_in_base_at_default_pose"])
    feet = kinematics.feet(robot, robot.default_joint_pos)
    np.testing.assert_allclose(feet, [places[leg] for leg in LEGS], atol=1e-6)


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(NAMES), st.integers(0, 2**32 - 1))
def test_feet_agree_with_mujoco_in_any_pose(name: str, seed: int) -> None:
    robot, random = robots.load(name), np.random.default_rng(seed)
    compiled = model.build(robot).compile()
    data = mujoco.MjData(compiled)
    quat = random.normal(size=4)
    data.qpos[:3], data.qpos[3:7] = 0, quat / np.linalg.norm(quat)
    data.qpos[7:] = random.uniform(*robot.joint_limits.T)
    mujoco.mj_kinematics(compiled, data)
    turn = data.body("base").xmat.reshape(3, 3)
    there = np.array([data.geom(f"{leg}_foot").xpos for leg in LEGS])
    np.testing.assert_allclose(kinematics.feet(robot, data.qpos[7:]) @ turn.T, there, atol=1e-12)
    radius = robot.leg.FL.foot.radius
    assert kinematics.base_height(robot, data.qpos[7:], data.qpos[3:7]) == pytest.approx(radius - there[:, 2].min())


def test_many_poses_at_once() -> None:
    robot = robots.load("go1")
    poses = np.random.default_rng(0).uniform(*robot.joint_limits.T, size=(5, 7, 12))
    feet = kinematics.feet(robot, poses)
    assert feet.shape == (5, 7, 4, 3)
    np.testing.assert_allclose(feet[3, 2], kinematics.feet(robot, poses[3, 2]))
    assert kinematics.base_height(robot, poses).shape == (5, 7)
