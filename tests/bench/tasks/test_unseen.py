"""Gravel is no higher than its stones, and the beds give as much as they should."""

import mujoco
import numpy as np
import pytest

from him.bench.tasks import unseen
from him.bench.tasks.scene import Reach
from him.bench.tasks.table import TABLE
from him.robots import LEGS
from tests.bench.tasks.standing import heights, ready, stand

RUN = TABLE.bed_length * np.cos(np.radians(20.0))
RISE = TABLE.bed_length * np.sin(np.radians(20.0))


def test_three_fields_of_gravel_and_three_staircases() -> None:
    trial = ready("compositional")
    goal = trial.scene.goal
    assert isinstance(goal, Reach)
    # beside the gravel only floor and steps are met
    profile = np.array(heights(trial.robot, np.arange(0.0007, goal.x, 0.005), y=1.2))
    steps = np.diff(profile)[np.abs(np.diff(profile)) > 0.01]
    np.testing.assert_allclose(steps, [0.16] * 3 + [-0.16] * 3 + [0.16] * 3, atol=1e-6)


def test_stones_stay_within_six_centimetres() -> None:
    trial = ready("compositional")
    model, data = trial.robot.model, trial.robot.data
    stones = np.flatnonzero((model.geom_type == mujoco.mjtGeom.mjGEOM_BOX) & (model.geom_size.max(axis=1) < 0.03))
    assert len(stones) == 3 * 500 * 2 * 2
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    turned = np.einsum(
        "nij,nkj->nki", data.geom_xmat[stones].reshape(-1, 3, 3), corners * model.geom_size[stones, None]
    )
    assert 2 * np.linalg.norm(model.geom_size[stones], axis=1).max() <= 0.06
    first = stones[:2000]
    above = (data.geom_xpos[first, None] + turned[:2000])[..., 2].max(axis=1)
    assert 0.03 < above.max() <= 0.06
    assert above.min() > 0.0
    beside = data.geom_xpos[first]
    assert TABLE.start_distance < beside[:, 0].min()
    assert beside[:, 0].max() < TABLE.start_distance + TABLE.gravel_length


def test_the_slope_rises_by_twenty_degrees_to_a_level_bed() -> None:
    robot = ready("deformable-slope").robot
    start = TABLE.start_distance
    low, high, top, end = heights(robot, [start + 0.2, start + 1.7, start + RUN + 0.1, start + RUN + 1.9])
    assert np.degrees(np.arctan2(high - low, 1.5)) == pytest.approx(20.0, abs=0.01)
    assert (top, end) == (pytest.approx(RISE), pytest.approx(RISE))


def _sunk(robot, surface: np.ndarray, normal: np.ndarray) -> np.ndarray:
    feet = np.array([robot.data.geom(f"{leg}_foot").xpos for leg in LEGS])
    return robot.robot.leg.FL.foot.radius - (feet - surface) @ normal


def test_a_standing_robot_sinks_in_by_four_centimetres() -> None:
    """The mean of four feet is the sink under a quarter of the weight, as the spring is linear."""
    robot = ready("deformable-slope").robot
    robot.data.qpos[:3] = [TABLE.start_distance + RUN + 1.0, 0.0, RISE + robot.robot.standing_height]
    stand(robot, 2.0)
    sunk = _sunk(robot, np.array([0.0, 0.0, RISE]), np.array([0.0, 0.0, 1.0]))
    assert 0.04 <= sunk.mean() < 0.06
    assert sunk.min() > 0.035
    assert np.abs(robot.data.qvel[:6]).max() < 0.02


def test_a_robot_on_the_slope_sinks_in_and_does_not_creep() -> None:
    robot, angle = ready("deformable-slope").robot, np.radians(20.0)
    normal = np.array([-np.sin(angle), 0.0, np.cos(angle)])
    toe = np.array([TABLE.start_distance, 0.0, 0.0])
    middle = toe + 1.0 * np.array([np.cos(angle), 0.0, np.sin(angle)])
    robot.data.qpos[:3] = middle + robot.robot.standing_height * normal
    robot.data.qpos[3:7] = [np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0]
    stand(robot, 2.0)
    before = robot.position
    stand(robot, 1.0)
    assert np.linalg.norm(robot.position - before) < 0.002
    assert _sunk(robot, toe, normal).mean() > 0.04


def test_under_the_bed_it_is_hard() -> None:
    """Ten times the weight does not push a foot through it."""
    robot = ready("deformable-slope").robot
    robot.data.qpos[:3] = [TABLE.start_distance + RUN + 1.0, 0.0, RISE + robot.robot.standing_height]
    robot.model.opt.gravity[2] *= 10
    stand(robot, 1.0)
    sunk = _sunk(robot, np.array([0.0, 0.0, RISE]), np.array([0.0, 0.0, 1.0]))
    assert TABLE.bed_thickness < sunk.max() < TABLE.bed_thickness + 0.03


def test_softness_overrules_the_robot() -> None:
    model = ready("deformable-slope").robot.model
    assert model.geom("beds").priority[0] > model.geom("FL_foot").priority[0]
    assert model.geom("beds").friction[0] == model.geom("FL_foot").friction[0]
    assert unseen.TASKS[1].robot == "a1"
