"""A surface of square cells that own their corners, so that walls can be exactly vertical.

A height field shares its corners between neighbours and can only ramp from one height to the next.
Policies trained on such ramps do not climb real steps; cells with corners of their own have no such limit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from him.errors import HimError

CELL = 0.05
"""Side of a cell in metres: divides every tread between 20 and 40 cm that a tile may draw."""


@dataclass(frozen=True, eq=False)
class Tiles:
    """What the task needs to know about each tile; arrays are indexed [column, row]."""

    kind: NDArray[np.int64]
    """Index into `him.terrain.KINDS`."""
    level: NDArray[np.int64]
    """Difficulty of the tile, 0 to 9 (in a grid the row itself)."""
    direction: NDArray[np.int64]
    """+1: a robot leaving the platform goes up; -1: down; 0: the kind knows neither."""
    centre: NDArray[np.float64]
    """World x and y of the platform's centre, shaped (columns, rows, 2)."""
    spawn_height: NDArray[np.float64]
    """World z of the platform."""
    platform: float
    """Half the side of the flat square around the centre, in metres."""
    size: float
    """Side of a tile in metres."""


@dataclass(frozen=True, eq=False)
class Terrain:
    """Cells of `CELL` metres with four corner heights each.

    Within a cell the surface is two triangles that meet on the diagonal from (x1, y0) to (x0, y1). Where the
    corners of two neighbours differ along their shared edge stands a vertical wall.
    """

    corners: NDArray[np.float32]
    """Heights shaped (ny, nx, 4); the last axis runs (x0, y0), (x1, y0), (x0, y1), (x1, y1)."""
    x0: float
    """World x of the lower corner of cell (0, 0)."""
    y0: float
    """World y of the lower corner of cell (0, 0)."""
    tiles: Tiles

    def __post_init__(self) -> None:
        shape = self.corners.shape
        if len(shape) != 3 or shape[2] != 4 or 0 in shape or self.corners.dtype != np.float32:
            raise HimError(f"corners must be float32 shaped (ny, nx, 4), not {self.corners.dtype} {shape}")

    def height(self, x: ArrayLike, y: ArrayLike) -> NDArray[np.float64]:
        """Height of the surface below the points; on a wall, that of the cell with the larger index.

        Points outside take the height of the nearest border point, so nothing can fall off the edge.
        """
        ny, nx, _ = self.corners.shape
        u = np.clip((np.asarray(x, np.float64) - self.x0) / CELL, 0, nx)
        v = np.clip((np.asarray(y, np.float64) - self.y0) / CELL, 0, ny)
        i = np.minimum(u.astype(np.int64), nx - 1)
        j = np.minimum(v.astype(np.int64), ny - 1)
        u, v = u - i, v - j
        h00, h10, h01, h11 = np.moveaxis(self.corners[j, i].astype(np.float64), -1, 0)
        lower = h00 + u * (h10 - h00) + v * (h01 - h00)
        upper = h11 + (1 - u) * (h01 - h11) + (1 - v) * (h10 - h11)
        return np.where(u + v <= 1, lower, upper)


def from_vertices(heights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Corners of a surface without walls, from the heights at the (ny + 1, nx + 1) grid points."""
    h = heights.astype(np.float32)
    return np.stack([h[:-1, :-1], h[:-1, 1:], h[1:, :-1], h[1:, 1:]], axis=-1)


def from_cells(heights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Corners of level cells: every change of height between neighbours is a vertical wall."""
    return np.repeat(heights.astype(np.float32)[..., None], 4, axis=-1)
