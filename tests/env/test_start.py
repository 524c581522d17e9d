"""Episodes start on the platform with the feet just above the ground."""

import math

import numpy as np
import pytest
import torch

from him import robots
from him.env import start as starting
from him.env.episode import Constants
from him.env.geometry import Feet, heading
from him.env.settings import TaskSettings
from him.robots import kinematics
from him.sim.heights import Heights
from him.terrain import Shares, Terrain, TerrainSettings, grid

N = 400
CPU = torch.device("cpu")
HARD = TerrainSettings(
    shares=Shares(slope=0.0, rough_slope=0.25, stairs=0.5, obstacles=0.25), columns=4, levels=10, border=2.0
)


@pytest.fixture(scope="module")
def terrain() -> Terrain:
    return grid(HARD)


@pytest.fixture(scope="module", params=robots.names())
def started(request: pytest.FixtureRequest, terrain: Terrain) -> dict[str, np.ndarray]:
    """Robots anywhere on the grid, as NumPy arrays."""
    robot, settings = robots.load(request.param), TaskSettings()
    constants = Constants(robot, terrain, settings, CPU)
    torch.manual_seed(0)
    uniform = torch.rand(N, starting.DRAWS + 12)
    column, row = torch.randint(4, (N,)), torch.randint(10, (N,))
    qpos, qvel = starting.start(uniform, column, row, constants, Feet(robot, CPU), Heights(terrain, CPU), settings)
    angles = qpos[:, 7:].double().numpy()
    return {
        "robot": robot,
        "centre": terrain.tiles.centre[column, row],
        "base": qpos[:, :3].double().numpy(),
        "quat": qpos[:, 3:7].double().numpy(),
        "yaw": heading(qpos[:, 3:7]).double().numpy(),
        "joints": angles,
        "feet": kinematics.feet(robot, angles),
        "qvel": qvel.numpy(),
        "factor": uniform[:, starting.DRAWS :].double().numpy(),
        "radius": max(leg.foot.radius for leg in robot.legs),
    }


def test_the_lowest_foot_hangs_a_gap_above_the_ground_around(started: dict, terrain: Terrain) -> None:
    low = started["base"][:, 2] + started["feet"][..., 2].min(axis=1) - started["radius"]
    probes = np.linspace(*starting.FOOTPRINT)
    ground = [terrain.height(started["base"][:, 0] + x, started["base"][:, 1] + y) for x in probes for y in probes]
    np.testing.assert_allclose(low - np.max(ground, axis=0), starting.GAP, atol=1e-4)


def test_no_foot_starts_inside_the_ground(started: dict, terrain: Terrain) -> None:
    cos, sin = np.cos(started["yaw"])[:, None], np.sin(started["yaw"])[:, None]
    x, y, z = np.moveaxis(started["feet"], -1, 0)
    world_x = started["base"][:, :1] + cos * x - sin * y
    world_y = started["base"][:, 1:2] + sin * x + cos * y
    clear = started["base"][:, 2:] + z - started["radius"] - terrain.height(world_x, world_y)
    assert clear.min() > 0


def test_robots_start_on_the_platform_upright_facing_anywhere(started: dict) -> None:
    away = np.abs(started["base"][:, :2] - started["centre"])
    assert away.max() <= starting.SPREAD * 1.0 + 1e-6
    assert away.max() > 0.9 * starting.SPREAD
    np.testing.assert_allclose(started["quat"][:, 1:3], 0)
    np.testing.assert_allclose(np.linalg.norm(started["quat"], axis=1), 1, atol=1e-6)
    counts, _ = np.histogram(started["yaw"], bins=4, range=(-math.pi, math.pi))
    assert counts.min() > N / 8


def test_joints_start_within_their_limits_and_the_papers_range(started: dict) -> None:
    robot = started["robot"]
    low, high = robot.joint_limits.T
    assert (started["joints"] >= low - 1e-6).all()
    assert (started["joints"] <= high + 1e-6).all()
    expected = np.clip(robot.default_joint_pos * (0.5 + started["factor"]), low, high)
    np.testing.assert_allclose(started["joints"], expected, atol=1e-6)


def test_the_base_moves_a_little_and_the_joints_do_not(started: dict) -> None:
    base, joints = started["qvel"][:, :6], started["qvel"][:, 6:]
    assert (joints == 0).all()
    assert np.abs(base).max() <= 0.5
    assert (np.abs(base).max(axis=0) > 0.4).all()
