"""The map that says a quick no must never say it wrongly."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from him import robots
from him.sim import model as builder
from him.sim.contact import REACH
from him.sim.ground import ceiling, collider_ids
from him.terrain import CELL
from tests.sim.surface_reference import ground


@given(hnp.arrays(np.float32, (6, 7, 4), elements=st.floats(-1, 1, width=32)))
def test_ceiling_is_the_highest_point_within_reach(corners: np.ndarray) -> None:
    """By looking at every pair of cells."""
    top = ceiling(ground(corners))
    far = round(REACH / CELL)
    for j, i in np.ndindex(6, 7):
        near = corners[max(j - far, 0) : j + far + 1, max(i - far, 0) : i + far + 1]
        assert top[j, i] == near.max()


def test_no_collider_is_larger_than_the_map_looks() -> None:
    for name in robots.names():
        model = builder.build(robots.load(name)).compile()
        spheres = collider_ids(model)
        assert len(spheres) == 24
        assert model.geom_size[spheres, 0].max() <= REACH
