"""The tables against the public models they were made from."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from him import robots
from him.robots import JOINTS, LEGS, Robot

NAMES = ("a1", "aliengo", "go1", "go2")
FACTS = Path(__file__).parent / "facts"


def facts(name: str) -> dict[str, Any]:
    """Masses, origins and feet of the manufacturer's model; each file names its source."""
    return json.loads((FACTS / f"{name}.json").read_text())


def same_inertial(link: Any, fact: dict[str, Any]) -> None:
    assert link.mass == pytest.approx(fact.get("mass"), abs=1e-6)
    for key, value in fact["inertia_about_com"].items():
        assert getattr(link.inertia, key) == pytest.approx(value, abs=1e-6)
    if "com_xyz" in fact:
        np.testing.assert_allclose(link.com, fact["com_xyz"], atol=1e-6)


def test_these_robots_come_with_the_project() -> None:
    assert robots.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_masses_and_origins_are_those_of_the_public_model(name: str) -> None:
    robot, fact = robots.load(name), facts(name)
    same_inertial(robot.trunk, fact["trunk"])
    for leg_name, leg in zip(LEGS, robot.legs, strict=True):
        for joint, link in zip(JOINTS, leg.links, strict=True):
            same_inertial(link, fact["legs"][leg_name][joint])
            np.testing.assert_allclose(link.origin, fact["legs"][leg_name][joint]["origin"], atol=1e-6)
        foot = fact["legs"][leg_name]["foot"]
        same_inertial(leg.foot, foot)
        np.testing.assert_allclose(leg.foot.origin, foot["origin"], atol=1e-6)
        np.testing.assert_allclose(leg.foot.sphere, foot["sphere"], atol=1e-6)
        assert leg.foot.radius == pytest.approx(foot["radius"], abs=1e-6)
    assert robot.mass == pytest.approx(fact["total_mass"], abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_standing_height_is_the_tallest_leg_of_the_public_model(name: str) -> None:
    heights = facts(name)["derived"]["standing_base_height_at_default_pose"]
    assert robots.load(name).standing_height == pytest.approx(max(heights.values()), abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_targets_follow_from_the_standing_height(name: str) -> None:
    robot = robots.load(name)
    assert 0.02 <= robot.standing_height - robot.base_height_target <= 0.03
    lift = robot.foot_clearance_target + robot.standing_height - robot.leg.FL.foot.radius
    assert 0.08 <= lift <= 0.10


@pytest.mark.parametrize(
    ("name", "torque", "kp", "kd"),
    [
        ("aliengo", (35.278, 35.278, 44.4), 40, 2.0),
        ("a1", (33.5, 33.5, 33.5), 30, 0.75),
        ("go1", (23.7, 23.7, 35.55), 30, 0.75),
        ("go2", (23.7, 23.7, 45.43), 40, 1.0),
    ],
)
def test_drives(name: str, torque: tuple[float, ...], kp: float, kd: float) -> None:
    robot = robots.load(name)
    np.testing.assert_array_equal(robot.torque_limits, torque * 4)
    np.testing.assert_array_equal(robot.kp, kp)
    np.testing.assert_array_equal(robot.kd, kd)


def limits(robot: Robot, joint: str) -> list[float]:
    return robot.joint_limits[robot.joint_names.index(joint)].tolist()


def test_joint_limits_of_the_manufacturer() -> None:
    aliengo, go2 = robots.load("aliengo"), robots.load("go2")
    assert limits(robots.load("a1"), "RR_thigh") == [-1.05, 4.19]
    assert limits(robots.load("go1"), "FL_calf") == [-2.721, -0.837]
    assert limits(aliengo, "FL_hip") == limits(aliengo, "RL_hip") == [-0.873, 1.047]
    assert limits(aliengo, "FR_hip") == limits(aliengo, "RR_hip") == [-1.047, 0.873]
    assert (limits(go2, "FR_thigh"), limits(go2, "RL_thigh")) == ([-1.5708, 3.4907], [-0.5236, 4.5379])


def test_joints_are_numbered_leg_by_leg() -> None:
    robot = robots.load("a1")
    assert robot.joint_names[:4] == ("FL_hip", "FL_thigh", "FL_calf", "FR_hip")
    pose = dict(zip(robot.joint_names, robot.default_joint_pos, strict=True))
    assert (pose["FL_hip"], pose["FR_hip"], pose["FL_thigh"], pose["RL_thigh"]) == (0.1, -0.1, 0.8, 1.0)


def test_a_table_cannot_be_changed_by_accident() -> None:
    robot = robots.load("go2")
    with pytest.raises(ValueError, match="read-only"):
        robot.kp[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        robot.trunk.com[0] = 1.0
