"""One contact function, compiled three ways, against a search over every triangle of the terrain."""

from collections.abc import Callable
from functools import cache

import numba
import numpy as np
import pytest
import warp as wp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from him.sim import contact
from him.sim.contact import MAX_DEPTH, REACH
from him.sim.ground import ceiling
from him.terrain import CELL, Terrain
from him.terrain.surface import from_cells, from_vertices
from tests.sim.surface_reference import Surface, ground

Array = NDArray[np.float64]
Finder = Callable[[Terrain, Array, Array], Array]

SIZE = 8
"""Cells each way; spheres are put over the middle two, so that nothing they reach is outside."""
MIDDLE = SIZE * CELL / 2
UP = [0.0, 0.0, 1.0]


def with_python(terrain: Terrain, points: Array, radii: Array) -> Array:
    return _one_by_one(contact.sphere_contacts, terrain.corners.astype(np.float64), terrain, points, radii)


@cache
def _compiled() -> Callable:
    return numba.njit(contact.sphere_contacts)


def with_numba(terrain: Terrain, points: Array, radii: Array) -> Array:
    return _one_by_one(_compiled(), terrain.corners, terrain, points, radii)


def _one_by_one(function: Callable, corners: Array, terrain: Terrain, points: Array, radii: Array) -> Array:
    ny, nx, _ = corners.shape
    top = ceiling(terrain)
    where = (corners, top, terrain.x0, terrain.y0, CELL, nx, ny)
    return np.array([function(*where, *map(float, p), float(r)) for p, r in zip(points, radii, strict=True)])


@cache
def _kernel() -> wp.Kernel:
    sphere_contacts = wp.func(contact.sphere_contacts)

    @wp.kernel(enable_backward=False, module="unique")
    def touch(
        corners: wp.array2d[wp.vec4],
        top: wp.array2d[float],
        x0: float,
        y0: float,
        cell: float,
        points: wp.array[wp.vec3],
        radii: wp.array[float],
        out: wp.array2d[float],
    ):
        k = wp.tid()
        p = points[k]
        d1, ax, ay, az, d2, bx, by, bz = sphere_contacts(
            corners, top, x0, y0, cell, corners.shape[1], corners.shape[0], p[0], p[1], p[2], radii[k]
        )
        out[k, 0] = d1
        out[k, 1] = ax
        out[k, 2] = ay
        out[k, 3] = az
        out[k, 4] = d2
        out[k, 5] = bx
        out[k, 6] = by
        out[k, 7] = bz

    return touch


def with_warp(terrain: Terrain, points: Array, radii: Array, device: str = "cpu") -> Array:
    out = wp.zeros((len(points), 8), dtype=float, device=device)
    inputs = [
        wp.array(terrain.corners, dtype=wp.vec4, device=device),
        wp.array(ceiling(terrain), dtype=float, device=device),
        *(terrain.x0, terrain.y0, CELL),
        wp.array(points.astype(np.float32), dtype=wp.vec3, device=device),
        wp.array(radii.astype(np.float32), dtype=float, device=device),
    ]
    wp.launch(_kernel(), dim=len(points), inputs=inputs, outputs=[out], device=device)
    return out.numpy().astype(np.float64)


def with_cuda(terrain: Terrain, points: Array, radii: Array) -> Array:
    return with_warp(terrain, points, radii, "cuda")


NO_CUDA = pytest.mark.skipif(not wp.is_cuda_available(), reason="no CUDA device")
WAYS = [with_python, with_numba, with_warp, pytest.param(with_cuda, marks=NO_CUDA)]


@pytest.fixture(params=WAYS, scope="module")
def find(request: pytest.FixtureRequest) -> Finder:
    return request.param


def same(x: float, y: float) -> bool:
    """Within what single precision leaves of the coordinates of a small terrain."""
    return abs(x - y) < 2e-5


def check(terrain: Terrain, surface: Surface, centre: Array, r: float, found: Array) -> None:
    """What a sphere's contacts must be, by the triangles and by the height of the terrain."""
    d1, n1, d2, n2 = found[0], found[1:4], found[4], found[5:]
    away = surface.distance(centre)
    inside = centre[2] < terrain.height(centre[0], centre[1])
    assert np.linalg.norm(n1) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(n2) == pytest.approx(1, abs=1e-5)
    assert min(d1, d2) >= -MAX_DEPTH - 1e-6
    if inside and away > r + CELL - 1e-5:
        assert d1 == pytest.approx(-MAX_DEPTH)
        if away > r + CELL + 1e-5:
            np.testing.assert_allclose(n1, UP)
    elif inside or away < r - 1e-5:
        signed = -away if inside else away
        assert same(d1, max(signed - r, -MAX_DEPTH))
        if away > 1e-4:
            assert surface.distance(centre - signed * n1) < 1e-4
    elif away > r + 1e-5:
        assert d1 > 0
    if d2 < 0:
        assert d1 < 0
        assert not inside or away < 1e-5
        assert n1 @ n2 < np.cos(np.radians(36.8))
        assert any(same(d2, max(height - r, -MAX_DEPTH)) for height in surface.faces(centre, n2))


def heights(*shape: int) -> st.SearchStrategy[Array]:
    return hnp.arrays(np.int64, shape, elements=st.integers(0, 25)).map(lambda centimetres: centimetres / 100)


blocks = heights(SIZE, SIZE).map(from_cells)
"""Level cells with walls between them."""
slopes = heights(SIZE + 1, SIZE + 1).map(from_vertices)
"""Cells without a wall."""
mixtures = heights(SIZE, SIZE, 4)
"""Every corner for itself: sloping cells, walls that taper and walls that cross over."""
place = st.one_of(
    st.integers(-8, 8).map(lambda k: MIDDLE + k / 8 * CELL),
    st.floats(MIDDLE - CELL, MIDDLE + CELL),
)
"""On corners, edges and centres of cells, or anywhere."""
radius = st.sampled_from([0.02, 0.0265, 0.06, REACH])
sphere = st.tuples(place, place, st.integers(-5, 40).map(lambda z: z / 100) | st.floats(-0.05, 0.4), radius)


@given(st.one_of(blocks, slopes, mixtures), st.lists(sphere, min_size=1, max_size=8))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_contacts_are_those_of_the_closest_triangles(find: Finder, corners: Array, spheres: list) -> None:
    terrain = ground(corners)
    surface = Surface(terrain)
    given_spheres = np.array(spheres)
    found = find(terrain, given_spheres[:, :3], given_spheres[:, 3])
    for (*centre, r), row in zip(spheres, found, strict=True):
        check(terrain, surface, np.array(centre), r, row)


def rough(kind: str, rng: np.random.Generator) -> Array:
    """Random ground of each kind, rougher than any the paper trains on."""
    if kind == "blocks":
        return from_cells(rng.uniform(0, 0.25, (SIZE, SIZE)))
    if kind == "slopes":
        return from_vertices(rng.uniform(0, 0.06, (SIZE + 1, SIZE + 1)))
    return rng.uniform(0, 0.1, (SIZE, SIZE, 1)) + rng.uniform(0, 0.08, (SIZE, SIZE, 4))


@pytest.mark.parametrize("kind", ["blocks", "slopes", "mixtures"])
def test_many_spheres_around_the_surface_of_random_ground(find: Finder, kind: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(4):
        terrain = ground(rough(kind, rng))
        surface = Surface(terrain)
        points = rng.uniform(MIDDLE - CELL, MIDDLE + CELL, (50, 3))
        radii = rng.choice([0.02, 0.0265, 0.06, REACH], 50)
        points[:, 2] = terrain.height(points[:, 0], points[:, 1]) + rng.uniform(-0.1, 1.2, 50) * radii
        found = find(terrain, points, radii)
        for centre, r, row in zip(points, radii, found, strict=True):
            check(terrain, surface, centre, r, row)
        assert (found[:, 0] < 0).any()


STEP = 0.2


def step_up() -> Terrain:
    """Level ground, and from the middle on a step of 20 cm; the border is level, as every terrain's is."""
    heights = np.zeros((SIZE * 2, SIZE * 2))
    heights[4:-4, SIZE:-4] = STEP
    return ground(from_cells(heights), -SIZE * CELL, -SIZE * CELL)


def one(find: Finder, *sphere: float) -> Array:
    return find(step_up(), np.array([sphere[:3]]), np.array([sphere[3]]))[0]


def test_floor_and_riser_are_two_contacts(find: Finder) -> None:
    found = one(find, -0.018, 0.0, 0.015, 0.02)
    np.testing.assert_allclose(found, [-0.005, *UP, -0.002, -1, 0, 0], atol=1e-6)


def test_an_edge_pushes_along_the_line_to_the_centre(find: Finder) -> None:
    found = one(find, -0.009, 0.0, STEP + 0.012, 0.02)
    np.testing.assert_allclose(found[:4], [-0.005, -0.6, 0, 0.8], atol=1e-5)
    assert found[4] > 0


def test_a_corner_pushes_along_the_line_to_the_centre(find: Finder) -> None:
    """The corner of the step at the end of its front edge."""
    x, y = -0.006, -4 * CELL - 0.006
    found = one(find, x, y, STEP + 0.007, 0.02)
    np.testing.assert_allclose(found[:4], [0.011 - 0.02, -6 / 11, -6 / 11, 7 / 11], atol=1e-5)
    assert found[4] > 0


@pytest.mark.parametrize("inside", [0.01, 0.03, 0.05])
def test_a_sphere_inside_a_riser_is_led_out_of_its_front(find: Finder, inside: float) -> None:
    found = one(find, inside, 0.0, 0.08, 0.02)
    np.testing.assert_allclose(found[:4], [max(-inside - 0.02, -MAX_DEPTH), -1, 0, 0], atol=1e-5)
    assert found[4] > 0


def test_a_sphere_deep_inside_is_led_up(find: Finder) -> None:
    np.testing.assert_allclose(one(find, 0.1, 0.0, 0.05, 0.02)[:5], [-MAX_DEPTH, *UP, 1], atol=1e-6)


@pytest.mark.parametrize("x", [-5.0, -SIZE * CELL - 0.01, SIZE * CELL + 0.01, 300.0])
def test_outside_the_grid_the_border_goes_on(find: Finder, x: float) -> None:
    for y in (0.0, 7.0):
        assert one(find, x, y, 0.03, 0.02)[0] > 0
        for z, depth in ((0.015, 0.005), (-0.01, 0.03), (-1.0, MAX_DEPTH)):
            np.testing.assert_allclose(one(find, x, y, z, 0.02)[:5], [-depth, *UP, 1], atol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e30])
def test_bad_positions_touch_nothing(find: Finder, bad: float) -> None:
    for axis in range(3):
        centre = np.zeros(3)
        centre[axis] = bad
        np.testing.assert_array_equal(one(find, *centre, 0.02), [1, *UP, 1, *UP])
