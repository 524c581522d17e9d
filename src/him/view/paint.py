"""Colours of the ground: squares to see the motion by, and a tint for its height."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from him.terrain import Terrain
from him.view.ground import ground, triangles

Colour = tuple[float, float, float]

CHECK = 1.0
"""Side of two squares of the chequered ground in metres: something to see the motion by."""

LIGHT, DARK, WALL = (0.98, 0.97, 0.93), (0.88, 0.87, 0.83), (0.55, 0.49, 0.44)
"""Colours of the ground's squares and of vertical faces."""

BAND, BANDS = 0.12, 12
"""Ground changes its tint every so many metres, so many times up and down: steps can be told apart from above."""

LOW, ZERO, HIGH = (0.50, 0.61, 0.70), (0.84, 0.82, 0.75), (0.92, 0.74, 0.56)
"""Tints of the lowest band, of height zero and of the highest band."""

PIXELS = 256
"""Side of the picture of two by two squares."""


@dataclass(frozen=True)
class Patch:
    """Faces of one colour."""

    name: str
    colour: Colour
    quads: NDArray[np.floating]
    """Corners (n, 4, 3). They are not shared between faces, so that edges stay sharp."""
    chequered: bool

    @property
    def points(self) -> NDArray[np.floating]:
        return self.quads.reshape(-1, 3)

    @property
    def faces(self) -> NDArray[np.int32]:
        return triangles(self.quads)

    @property
    def texture(self) -> NDArray[np.floating]:
        """Where in the picture of the squares each point lies; the picture repeats for ever."""
        return self.points[:, :2] / CHECK


def patches(terrain: Terrain) -> Iterator[Patch]:
    """A terrain in its colours."""
    shapes = ground(terrain)
    band = np.clip(np.round(shapes.tops[..., 2].mean(axis=1) / BAND), -BANDS, BANDS).astype(int)
    for index in np.unique(band).tolist():
        yield Patch(f"ground{index}", tint(index), shapes.tops[band == index], chequered=True)
    if len(shapes.walls):
        yield Patch("wall", WALL, shapes.walls, chequered=False)


def tint(band: int) -> Colour:
    """Colour of a band of heights."""
    share, end = abs(band) / BANDS, HIGH if band > 0 else LOW
    r, g, b = ((1 - share) * zero + share * far for zero, far in zip(ZERO, end, strict=True))
    return r, g, b


def checks() -> NDArray[np.uint8]:
    """Two by two squares with a fine line around each."""
    half = PIXELS // 2
    squares = np.kron([[0, 1], [1, 0]], np.ones((half, half), int))
    picture = np.where(squares[..., None] == 1, np.array(LIGHT), np.array(DARK))
    at = np.arange(PIXELS) % half
    line = (at < 2) | (at >= half - 1)
    picture[line[:, None] | line] *= 0.90
    return (255 * picture).round().astype(np.uint8)
