"""What the networks see, against the policy's own NumPy frame."""

import math

import numpy as np
import torch

from him.env import geometry, observations
from him.env.settings import Noise
from him.policy.frame import frame
from him.policy.terms import FRAME_SIZE, OBS_TERMS

CPU = torch.device("cpu")
N = 30


def test_the_frame_is_the_one_robots_build() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(N, size)) for size in (3, 3, 3, 12, 12, 12)]
    parts[2] /= np.linalg.norm(parts[2], axis=1, keepdims=True)
    named = {term.name: torch.from_numpy(part).float() for term, part in zip(OBS_TERMS, parts, strict=True)}
    got = observations.frame(named, OBS_TERMS, observations.scales(CPU))
    np.testing.assert_allclose(got.numpy(), frame(*parts), atol=1e-6)


def test_noise_is_the_sensors_in_scaled_units() -> None:
    """Command and last action are known exactly."""
    widths = observations.noise_widths(Noise(), CPU).numpy()
    expected = [0.0] * 3 + [0.2 * 0.25] * 3 + [0.05] * 3 + [0.01] * 12 + [1.5 * 0.05] * 12 + [0.0] * 12
    np.testing.assert_allclose(widths, expected, rtol=1e-6)
    assert len(widths) == FRAME_SIZE


def test_one_number_scales_all_noise() -> None:
    full, half, none = (observations.noise_widths(Noise(scale=s), CPU) for s in (1.0, 0.5, 0.0))
    torch.testing.assert_close(half, full / 2)
    assert (none == 0).all()


def test_the_scan_is_a_grid_of_187_points_x_major() -> None:
    scan = observations.points(observations.SCAN_X, observations.SCAN_Y, CPU).numpy()
    expected = [(-0.8 + 0.1 * i, -0.5 + 0.1 * j) for i in range(17) for j in range(11)]
    assert scan.shape == (187, 2)
    np.testing.assert_allclose(scan, expected, atol=1e-6)


def test_points_turn_with_the_heading_alone() -> None:
    """A robot at (3, -2) that looks left, pitched and rolled: its points lie level and turned by a right angle."""
    points = torch.tensor([[1.0, 0.0], [0.0, 0.5]])
    yaw = geometry.yaw_quat(torch.tensor([math.pi / 2]))[0]
    pitch = torch.tensor([math.cos(0.2), 0.0, math.sin(0.2), 0.0])
    product = torch.tensor([yaw[0] * pitch[0], -yaw[3] * pitch[2], yaw[0] * pitch[2], yaw[3] * pitch[0]])
    x, y = observations.around(torch.tensor([[3.0, -2.0, 0.3]]), geometry.facing(product[None]), points)
    torch.testing.assert_close(x, torch.tensor([[3.0, 2.5]]), atol=1e-6, rtol=0)
    torch.testing.assert_close(y, torch.tensor([[-1.0, -2.0]]), atol=1e-6, rtol=0)


def test_the_critics_extra_is_velocity_force_and_clipped_heights() -> None:
    velocity, force = torch.tensor([[0.5, -1.0, 0.2]]), torch.tensor([[30.0, -15.0, 0.0]])
    clearance = torch.tensor([[0.1, -3.0, 2.0, 0.0]])
    got = observations.extra(velocity, force, clearance)
    expected = torch.tensor([[1.0, -2.0, 0.4, 1.0, -0.5, 0.0, 0.5, -5.0, 5.0, 0.0]])
    torch.testing.assert_close(got, expected)
