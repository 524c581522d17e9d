"""The drawn ground is the ground that is walked on."""

import numpy as np
import pytest

from him.terrain import CELL, KINDS, Terrain, arena, ways
from him.view import ground as view


def tile(kind: str) -> Terrain:
    return arena(kind, 6, (1, 1), seed=3, direction=ways(kind)[0], border=1.0)


def heights(quads: np.ndarray, faces: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Height of the highest triangle over each point, by barycentric coordinates; -inf where there is none."""
    a, b, c = (quads.reshape(-1, 3)[faces[:, i]].astype(float) for i in range(3))
    out = np.full(x.shape, -np.inf)
    for i, (px, py) in enumerate(zip(x, y, strict=True)):
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (b[:, 1] - a[:, 1])
        v = ((px - a[:, 0]) * (c[:, 1] - a[:, 1]) - (c[:, 0] - a[:, 0]) * (py - a[:, 1])) / area
        w = ((b[:, 0] - a[:, 0]) * (py - a[:, 1]) - (px - a[:, 0]) * (b[:, 1] - a[:, 1])) / area
        inside = (v >= -1e-9) & (w >= -1e-9) & (v + w <= 1 + 1e-9)
        z = a[:, 2] + v * (b[:, 2] - a[:, 2]) + w * (c[:, 2] - a[:, 2])
        out[i] = z[inside].max(initial=-np.inf)
    return out


@pytest.mark.parametrize("kind", KINDS)
def test_heights_are_those_of_the_terrain(kind):
    terrain = tile(kind)
    tops = view.ground(terrain, apron=0).tops
    x, y = np.random.default_rng(0).uniform(-5.9, 5.9, (2, 150))
    drawn = heights(tops, view.triangles(tops), x, y)
    # where heights are random or wave, the surface within 20 cm is simplified
    simplified = {"rough_slope": 0.03, "rough_flat": 0.03, "waves": 0.01}
    np.testing.assert_allclose(drawn, terrain.height(x, y), atol=simplified.get(kind, 2e-4))


@pytest.mark.parametrize("kind", KINDS)
def test_tops_cover_the_ground_once_and_look_up(kind):
    terrain = tile(kind)
    x, y, _ = np.moveaxis(view.ground(terrain, apron=4.0).tops.astype(float), -1, 0)
    area = (x * np.roll(y, -1, 1) - np.roll(x, -1, 1) * y).sum(1) / 2
    assert (area > 0).all()
    side = terrain.corners.shape[0] * CELL + 8
    assert area.sum() == pytest.approx(side**2, rel=1e-5)


@pytest.mark.parametrize("kind", ["stairs", "obstacles"])
def test_walls_stand_between_the_heights_and_look_to_the_lower_side(kind):
    terrain = tile(kind)
    walls = view.ground(terrain).walls.astype(float)
    normal = np.cross(walls[:, 1] - walls[:, 0], walls[:, 2] - walls[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    assert np.abs(normal[:, 2]).max() < 1e-6
    middle = walls.mean(axis=1)
    below = terrain.height(*(middle + 0.01 * normal)[:, :2].T)
    above = terrain.height(*(middle - 0.01 * normal)[:, :2].T)
    np.testing.assert_allclose(walls[..., 2].min(axis=1), below, atol=1e-5)
    np.testing.assert_allclose(walls[..., 2].max(axis=1), above, atol=1e-5)


def test_even_ground_takes_few_faces():
    shapes = view.ground(tile("stairs"), apron=0)
    assert len(shapes.tops) + len(shapes.walls) < 400
