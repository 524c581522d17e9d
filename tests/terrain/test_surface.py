"""Properties of the height query on random cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from him.errors import HimError
from him.terrain import CELL, Terrain, flat
from him.terrain.surface import from_cells, from_vertices

NY, NX = 4, 5
X0, Y0 = -1.3, 0.7
cells = hnp.arrays(np.float32, (NY, NX, 4), elements=st.floats(-2, 2, width=32))
fraction = st.floats(0.001, 0.999)
column = st.integers(0, NX - 1)
row = st.integers(0, NY - 1)


def terrain(corners: np.ndarray) -> Terrain:
    return Terrain(corners, X0, Y0, flat().tiles)


def at(ground: Terrain, i: float, j: float) -> float:
    """Height at a place given in cells."""
    return float(ground.height(X0 + i * CELL, Y0 + j * CELL))


@given(cells, column, row)
def test_reaches_the_corners_of_a_cell(corners, i, j):
    ground, nudge = terrain(corners), 1e-7
    for k, (u, v) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)]):
        inside = (i + u + nudge * (1 - 2 * u), j + v + nudge * (1 - 2 * v))
        assert at(ground, *inside) == pytest.approx(float(corners[j, i, k]), abs=1e-5)


@given(cells, column, row, fraction, fraction)
def test_is_the_triangle_the_point_lies_on(corners, i, j, u, v):
    """Against the plane through the triangle's corners, solved as three linear equations."""
    places = {0: (0, 0), 1: (1, 0), 2: (0, 1), 3: (1, 1)}
    triangle = (0, 1, 2) if u + v <= 1 else (1, 2, 3)
    plane = np.linalg.solve([[*places[k], 1] for k in triangle], [float(corners[j, i, k]) for k in triangle])
    assert at(terrain(corners), i + u, j + v) == pytest.approx(float(plane @ (u, v, 1)), abs=1e-6)


@given(cells, column, row, fraction, fraction, fraction, fraction)
def test_is_continuous_inside_a_cell(corners, i, j, u, v, u2, v2):
    ground = terrain(corners)
    steepest = np.ptp(corners[j, i]) * 2
    distance = abs(u - u2) + abs(v - v2)
    assert abs(at(ground, i + u, j + v) - at(ground, i + u2, j + v2)) <= steepest * distance + 1e-6


@given(cells, st.floats(-1e4, 1e4), st.floats(-1e4, 1e4))
def test_goes_on_from_the_nearest_border_point(corners, i, j):
    ground = terrain(corners)
    assert at(ground, i, j) == pytest.approx(at(ground, np.clip(i, 0, NX), np.clip(j, 0, NY)), abs=1e-6)


@given(cells, hnp.arrays(np.float64, (3, 2), elements=st.floats(-1, 1)))
def test_batches_agree_with_single_points(corners, points):
    ground = terrain(corners)
    batch = ground.height(X0 + points[:, 0], Y0 + points[:, 1])
    assert batch.shape == (3,)
    assert list(batch) == [float(ground.height(X0 + x, Y0 + y)) for x, y in points]


@given(hnp.arrays(np.float64, (NY + 1, NX + 1), elements=st.floats(-2, 2, width=32)))
def test_vertices_make_a_surface_without_walls(vertices):
    ground = terrain(from_vertices(vertices))
    for j in range(NY + 1):
        for i in range(NX + 1):
            for di, dj in [(0, 0), (1e-7, 1e-7), (-1e-7, 1e-7), (1e-7, -1e-7), (-1e-7, -1e-7)]:
                assert at(ground, i + di, j + dj) == pytest.approx(vertices[j, i], abs=1e-5)


def test_a_wall_has_no_run():
    ground = terrain(from_cells(np.tile([0.0, 0.0, 0.23, 0.23, 0.23], (NY, 1))))
    assert at(ground, 2 - 1e-6, 1.5) == 0
    assert at(ground, 2 + 1e-6, 1.5) == pytest.approx(0.23)


@pytest.mark.parametrize(
    "corners",
    [np.zeros((2, 2, 4)), np.zeros((2, 2), np.float32), np.zeros((0, 2, 4), np.float32)],
    ids=["float64", "no corners", "empty"],
)
def test_misshapen_corners_are_refused(corners):
    with pytest.raises(HimError, match="float32 shaped"):
        terrain(corners)
