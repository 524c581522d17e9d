"""Batched heights against the terrain's own."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from him.sim.heights import Heights
from him.terrain import CELL, arena
from tests.sim.surface_reference import ground

NY, NX = 4, 5
X0, Y0 = -1.3, 0.7

DEVICES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")),
]
inside = st.tuples(st.integers(0, NX - 1), st.integers(0, NY - 1), *[st.floats(0.01, 0.99)] * 2)
"""A cell and a place in it, not on a wall: there single precision may fall on either side."""


@pytest.mark.parametrize("device", DEVICES)
@settings(deadline=None)
@given(
    corners=hnp.arrays(np.float32, (NY, NX, 4), elements=st.floats(-2, 2, width=32)),
    places=st.lists(inside, min_size=1, max_size=20),
)
def test_is_the_height_of_the_terrain(device: str, corners: np.ndarray, places: list) -> None:
    terrain = ground(corners, X0, Y0)
    i, j, u, v = np.array(places).T
    x, y = X0 + (i + u) * CELL, Y0 + (j + v) * CELL
    found = Heights(terrain, device)(*(torch.tensor(a, dtype=torch.float32, device=device) for a in (x, y)))
    # single precision places a point within 5e-5 of a cell, on slopes of 4 m a cell at most
    np.testing.assert_allclose(found.cpu(), terrain.height(x, y), atol=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_outside_the_border_goes_on(device: str) -> None:
    terrain = ground(np.arange(NY * NX * 4).reshape(NY, NX, 4) / 10, X0, Y0)
    x, y = np.meshgrid([-1e5, X0 - 1, X0 + 0.51 * CELL, X0 + 1, 1e5], [-1e5, Y0 - 1, Y0 + 0.3 * CELL, 1e5])
    found = Heights(terrain, device)(*(torch.tensor(a, dtype=torch.float32, device=device) for a in (x, y)))
    np.testing.assert_allclose(found.cpu(), terrain.height(x, y), atol=1e-4)


@pytest.mark.parametrize("device", DEVICES)
def test_scans_keep_their_shape_on_real_terrain(device: str) -> None:
    """Points a millimetre or more from any wall, as many as a scan of a thousand robots has."""
    terrain = arena("stairs", 9, (1, 1), border=1.0)
    rng = np.random.default_rng(2)
    cells = rng.integers(0, terrain.corners.shape[0], (2, 64, 17, 11))
    x, y = terrain.x0 + CELL * (cells + rng.uniform(0.02, 0.98, cells.shape))
    found = Heights(terrain, device)(*(torch.tensor(a, dtype=torch.float32, device=device) for a in (x, y)))
    assert found.shape == (64, 17, 11)
    np.testing.assert_allclose(found.cpu(), terrain.height(x, y), atol=1e-6)
    assert np.ptp(found.cpu().numpy()) > 1.0
