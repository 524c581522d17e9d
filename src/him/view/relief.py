"""Shaded pictures of a terrain in NumPy: from above, and at an angle without perspective.

Plotting libraries draw surfaces from polygons: slow for tiles of 40,000 cells, and their vertical walls
vanish. Looking along parallel rays, the nearest surface of a picture column is a running maximum instead.
"""

import numpy as np
from numpy.typing import NDArray

from him.terrain import CELL, Terrain

Image = NDArray[np.float32]
"""Red, green, blue and opacity between 0 and 1, shaped (rows, columns, 4), top row first."""

DEPTH = 5.0
"""Heights are coloured from -DEPTH to DEPTH metres: the deepest pit of the paper's stairs is 4.14 m."""
_COLOURS = np.array(
    [
        (0.09, 0.22, 0.33),
        (0.25, 0.47, 0.55),
        (0.62, 0.74, 0.72),
        (0.91, 0.87, 0.76),
        (0.87, 0.68, 0.45),
        (0.70, 0.42, 0.26),
        (0.42, 0.20, 0.15),
    ]
)
_SKIRT = 0.35
_WALL = 4.0


def colour(heights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Blue below zero, sand at zero, brown above."""
    at = np.linspace(-1, 1, len(_COLOURS))
    scaled = np.clip(heights / DEPTH, -1, 1)
    scaled = np.sign(scaled) * np.sqrt(np.abs(scaled))
    return np.stack([np.interp(scaled, at, channel) for channel in _COLOURS.T], axis=-1)


def shade(dx: NDArray[np.floating], dy: NDArray[np.floating], sun: tuple[float, float, float]) -> NDArray[np.floating]:
    """Brightness of a surface with these slopes; 1 where it is level."""
    lit = (sun[2] - dx * sun[0] - dy * sun[1]) / np.sqrt(1 + dx**2 + dy**2) / np.linalg.norm(sun)
    level = sun[2] / np.linalg.norm(sun)
    return 0.42 + 0.58 * np.maximum(lit, 0) / level


def from_above(terrain: Terrain, stride: int = 2) -> Image:
    """A map with north up, one pixel for every `stride` cells."""
    heights = terrain.corners.mean(axis=-1)
    ny, nx = (n // stride for n in heights.shape)
    heights = heights[: ny * stride, : nx * stride].reshape(ny, stride, nx, stride).mean(axis=(1, 3))
    dy, dx = np.gradient(heights, CELL * stride)
    light = shade(dx, dy, sun=(-0.6, 0.6, 1.0))
    rgb = np.clip(colour(heights) * light[..., None], 0, 1)
    return np.dstack([rgb, np.ones(rgb.shape[:2])])[::-1].astype(np.float32)


def at_an_angle(
    terrain: Terrain,
    centre: tuple[float, float],
    size: float,
    pixel: float = 0.012,
    turn: float = 30.0,
    tilt: float = 38.0,
) -> Image:
    """The square of `size` metres around `centre`, turned and looked down upon by `tilt` degrees.

    Heights are to scale. `pixel` is the width of a pixel in metres.
    """
    c, s = np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))
    rise, run = np.cos(np.deg2rad(tilt)), np.sin(np.deg2rad(tilt))
    reach = size * (c + s) / 2
    right = np.arange(-reach, reach, pixel)
    away = np.arange(-reach - 2 * pixel, reach + 2 * pixel, pixel / 2)
    x = c * right - s * away[:, None]
    y = s * right + c * away[:, None]
    inside = np.maximum(np.abs(x), np.abs(y)) <= size / 2
    heights = np.where(inside, terrain.height(centre[0] + x, centre[1] + y), -_SKIRT)
    light = shade(*_slopes(heights, pixel, pixel / 2), sun=(-0.7, -0.35, 1.0))
    rgb = np.clip(colour(heights) * light[..., None], 0, 1)

    horizon = np.maximum.accumulate(away[:, None] * run + heights * rise, axis=0)
    rows = np.arange(horizon[0].min(), horizon.max() + 3 * pixel, pixel)
    seen = np.stack([np.searchsorted(column, rows) for column in horizon.T], axis=1)
    hit = seen < len(away)
    seen = np.minimum(seen, len(away) - 1)
    columns = np.arange(len(right))
    picture = np.dstack([rgb[seen, columns], hit & inside[seen, columns]])
    return _trimmed(picture[::-1].astype(np.float32))


def _slopes(heights: NDArray[np.float64], right: float, away: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slopes to the right and away from the viewer, steep only on the walls that face the viewer.

    Central differences alone would draw a dark seam along every edge that falls off behind.
    """
    to_left = np.diff(heights, axis=1, prepend=heights[:, :1]) / right
    to_right = np.diff(heights, axis=1, append=heights[:, -1:]) / right
    behind = np.diff(heights, axis=0, prepend=heights[:1]) / away
    gentler = np.where(np.abs(to_left) < np.abs(to_right), to_left, to_right)
    return np.where(behind > _WALL, (to_left + to_right) / 2, gentler), behind


def _trimmed(picture: Image) -> Image:
    """Without the empty rows above and below."""
    used = np.flatnonzero(picture[..., 3].any(axis=1))
    return picture[used[0] : used[-1] + 1]
