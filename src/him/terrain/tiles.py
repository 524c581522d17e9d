"""The tiles of the paper's appendix "Training Terrains", each a pure function of (level, rng, direction).

Every tile has a level platform in its middle, where robots start, and a rim at height zero, so that
neighbours join without a wall. Direction +1 starts in a pit and climbs when walking away, -1 starts on top.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from him.errors import HimError
from him.terrain.surface import CELL, from_cells, from_vertices

TILE = 10.0
"""Side of a tile in metres (paper, section on the curriculum)."""
LEVELS = 10
"""Levels 0 to 9 (paper, appendix)."""
PLATFORM = 1.0
"""Half the side of the flat start: robots are placed within 1 m of the centre."""
RIM = 0.5
"""Width of the level strip along the tile's edge, in metres."""
NOISE_SPACING = 0.20
"""Distance between the random heights of rough ground in metres, as in the authors' release.

A foot is 4 to 5 cm wide. At 20 cm, bumps of level 9 (8 cm) have slopes around 15 degrees on top of the
tile's own; at 10 cm they would average 28 degrees and turn the rough slope into a field of spikes.
"""
OBSTACLES = 20
"""Rectangles drawn on a tile of discrete obstacles, as in the authors' release."""

Corners = NDArray[np.float32]
Maker = Callable[[int, np.random.Generator, int], Corners]

N = round(TILE / CELL)
_FIRST, _LAST = round(PLATFORM / CELL), round((TILE / 2 - RIM) / CELL)


def inclination(level: int) -> float:
    """Slope in radians: 40 x level / 9 degrees."""
    return float(np.deg2rad(40 * level / 9))


def roughness(level: int) -> float:
    """Amplitude of the uniform noise in metres: 1 + 7 x level / 9 centimetres."""
    return (1 + 7 * level / 9) / 100


def step_height(level: int) -> float:
    """Rise of one stair in metres: 5 + 18 x level / 9 centimetres."""
    return (5 + 18 * level / 9) / 100


def obstacle_height(level: int) -> float:
    """Height of an obstacle, depth of a hollow, in metres: 5 + 10 x level / 9 centimetres."""
    return (5 + 10 * level / 9) / 100


def wave_height(level: int) -> float:
    """Amplitude of waves in metres; the paper names waves but gives no size, so that of the obstacles."""
    return obstacle_height(level)


def _square_rings(positions: NDArray[np.floating]) -> NDArray[np.float64]:
    """Distance from the centre in cells, measured so that its contours are squares."""
    return np.maximum(np.abs(positions)[:, None], np.abs(positions)[None, :])


_RING_OF_VERTEX = _square_rings(np.arange(N + 1) - N / 2)
_RING_OF_CELL = np.floor(_square_rings(np.arange(N) + 0.5 - N / 2))


def _pyramid(slope: float, direction: int) -> NDArray[np.float64]:
    """Vertex heights of a ramp from the platform to the rim on all four sides."""
    run = CELL * (_LAST - np.clip(_RING_OF_VERTEX, _FIRST, _LAST))
    return -direction * np.tan(slope) * run


def _noise(amplitude: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Uniform random heights every `NOISE_SPACING`, linear between them, zero on platform and rim."""
    stride = round(NOISE_SPACING / CELL)
    knots = rng.uniform(-amplitude, amplitude, (N // stride + 1, N // stride + 1))
    ring = _RING_OF_VERTEX[::stride, ::stride]
    knots[(ring <= _FIRST) | (ring > _LAST - stride)] = 0.0
    at, fine = np.arange(0, N + 1, stride), np.arange(N + 1)
    low = np.minimum(fine // stride, len(at) - 2)
    weight = (fine - at[low]) / stride
    rows = knots[low] + weight[:, None] * (knots[low + 1] - knots[low])
    return rows[:, low] + weight * (rows[:, low + 1] - rows[:, low])


def flat(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """Level ground at height zero."""
    return np.zeros((N, N, 4), np.float32)


def slope(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """A smooth pyramid, or the same turned upside down.

    Two of its four edges run across the cells' diagonals and are notched, by 2 cm at level 9.
    """
    return from_vertices(_pyramid(inclination(level), direction))


def rough_slope(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """A pyramid with noise on its ramps."""
    return from_vertices(_pyramid(inclination(level), direction) + _noise(roughness(level), rng))


def rough_flat(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """The noise of the rough slope without its inclination."""
    return from_vertices(_noise(roughness(level), rng))


def stairs(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """Square flights of one random tread, 20 to 40 cm; the first riser stands at the platform's edge.

    All risers are whole. What is left of the run after the last full tread belongs to the rim.
    """
    tread = int(rng.integers(round(0.20 / CELL), round(0.40 / CELL) + 1))
    risers = (_LAST - _FIRST) // tread + 1
    taken = np.clip((_RING_OF_CELL - _FIRST) // tread + 1, 0, risers)
    return from_cells(-direction * step_height(level) * (risers - taken))


def obstacles(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """Rectangles of 1 to 2 m that stand out of the ground or are sunk into it.

    A rectangle covers those drawn before it, so where a high one cuts a hollow the wall is twice as high.
    """
    heights = np.zeros((N, N))
    edge = N // 2 - _LAST
    for _ in range(OBSTACLES):
        width, depth = rng.integers(round(1.0 / CELL), round(2.0 / CELL) + 1, 2)
        i, j = rng.integers(edge, N - edge - width + 1), rng.integers(edge, N - edge - depth + 1)
        heights[j : j + depth, i : i + width] = rng.choice([-1, 1]) * obstacle_height(level)
    heights[_RING_OF_CELL < _FIRST] = 0.0
    return from_cells(heights)


def waves(level: int, rng: np.random.Generator, direction: int) -> Corners:
    """An egg box of sine waves 1.75 m long that fades within 25 cm of platform and rim."""
    x = (np.arange(N + 1) - N / 2) * CELL
    shape = np.sin(2 * np.pi * x / 1.75)
    inside = np.minimum(_RING_OF_VERTEX - _FIRST, _LAST - _RING_OF_VERTEX)
    fade = np.clip(inside * CELL / 0.25, 0, 1)
    return from_vertices(wave_height(level) * fade * (shape[:, None] + shape[None, :]) / 2)


KINDS: dict[str, Maker] = {
    "slope": slope,
    "rough_slope": rough_slope,
    "stairs": stairs,
    "obstacles": obstacles,
    "rough_flat": rough_flat,
    "waves": waves,
    "flat": flat,
}
"""Every kind of tile by name; the order gives the indices in `Tiles.kind`."""
DIRECTED = ("slope", "rough_slope", "stairs")
"""Kinds that exist both going up and going down."""


def ways(kind: str) -> tuple[int, ...]:
    """The directions a kind comes in."""
    return (1, -1) if kind in DIRECTED else (0,)


def tile(kind: str, level: int, rng: np.random.Generator, direction: int) -> Corners:
    """The corners of one tile; refuses what the paper's appendix does not define."""
    if kind not in KINDS:
        raise HimError(f"There is no terrain called {kind!r}; choose one of {', '.join(KINDS)}.")
    if level not in range(LEVELS):
        raise HimError(f"Terrain levels run from 0 to {LEVELS - 1}; {level} is not one of them.")
    if direction not in ways(kind):
        allowed = "+1 (up) or -1 (down)" if kind in DIRECTED else "0: it goes neither up nor down"
        raise HimError(f"The direction of {kind} must be {allowed}; {direction} was asked for.")
    return KINDS[kind](level, rng, direction)
