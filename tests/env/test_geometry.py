"""Rotations against MuJoCo's, feet against the NumPy kinematics."""

import mujoco
import numpy as np
import pytest
import torch

from him import robots
from him.env import geometry
from him.policy.frame import gravity_direction
from him.robots import kinematics

N = 40


def quaternions() -> np.ndarray:
    drawn = np.random.default_rng(1).normal(size=(N, 4))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def rotated(quats: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """By MuJoCo, body to world."""
    out = np.empty_like(vectors)
    for row, quat, vector in zip(out, quats, vectors, strict=True):
        mujoco.mju_rotVecQuat(row, vector, quat)
    return out


def test_rotations_are_mujocos() -> None:
    quats, vectors = quaternions(), np.random.default_rng(2).normal(size=(N, 3))
    q, v, world = torch.from_numpy(quats), torch.from_numpy(vectors), rotated(quats, vectors)
    np.testing.assert_allclose(geometry.to_world(q, v).numpy(), world, atol=1e-12)
    np.testing.assert_allclose(geometry.to_body(q, torch.from_numpy(world)).numpy(), vectors, atol=1e-12)


def test_gravity_is_the_policys() -> None:
    quats = quaternions()
    got = geometry.gravity_direction(torch.from_numpy(quats)).numpy()
    np.testing.assert_allclose(got, gravity_direction(quats), atol=1e-12)
    down = np.tile([0.0, 0.0, -1.0], (N, 1))
    np.testing.assert_allclose(rotated(quats, got), down, atol=1e-12)


def test_heading_is_where_the_nose_points() -> None:
    quats = quaternions()
    nose = rotated(quats, np.tile([1.0, 0.0, 0.0], (N, 1)))
    got = geometry.heading(torch.from_numpy(quats)).numpy()
    np.testing.assert_allclose(got, np.arctan2(nose[:, 1], nose[:, 0]), atol=1e-12)


def test_yaw_is_a_turn_about_the_vertical() -> None:
    yaw = np.linspace(-3.1, 3.1, N)
    expected = np.empty((N, 4))
    for row, angle in zip(expected, yaw, strict=True):
        mujoco.mju_axisAngle2Quat(row, np.array([0.0, 0.0, 1.0]), angle)
    got = geometry.yaw_quat(torch.from_numpy(yaw))
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-12)
    np.testing.assert_allclose(geometry.heading(got).numpy(), yaw, atol=1e-12)


@pytest.mark.parametrize("name", robots.names())
def test_feet_are_where_the_kinematics_put_them(name: str) -> None:
    robot = robots.load(name)
    rng = np.random.default_rng(3)
    angles = rng.uniform(*robot.joint_limits.T, size=(N, 12))
    rates = rng.normal(scale=5.0, size=(N, 12))
    place, velocity = geometry.Feet(robot, torch.device("cpu"))(torch.from_numpy(angles), torch.from_numpy(rates))
    np.testing.assert_allclose(place.numpy(), kinematics.feet(robot, angles), atol=1e-6)
    h = 1e-6
    ahead, behind = (kinematics.feet(robot, angles + sign * h * rates) for sign in (1, -1))
    np.testing.assert_allclose(velocity.numpy(), (ahead - behind) / (2 * h), atol=1e-5)
