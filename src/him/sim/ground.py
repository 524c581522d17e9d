"""The terrain as the engines need it: corner heights and, for a quick "no", the highest point nearby."""

import mujoco
import numpy as np
from numpy.typing import NDArray

from him.sim.contact import REACH
from him.terrain import CELL, Terrain


def ceiling(terrain: Terrain) -> NDArray[np.float32]:
    """Highest point within REACH of each cell (ny, nx): a sphere above it touches nothing."""
    top = terrain.corners.max(axis=-1)
    for _ in range(round(REACH / CELL)):
        wide = np.pad(top, 1, mode="edge")
        rows = np.maximum(np.maximum(wide[:-2], wide[1:-1]), wide[2:])
        top = np.maximum(np.maximum(rows[:, :-2], rows[:, 1:-1]), rows[:, 2:])
    return np.ascontiguousarray(top)


def collider_ids(model: mujoco.MjModel) -> list[int]:
    """The geoms of a robot that meet the ground, in the order of an engine's contact tensors."""
    return [int(g) for g in np.flatnonzero(model.geom_conaffinity)]
