"""A terrain as triangles for the eye: few where it is level or even, exact at walls.

Cells that lie in one plane are joined into rectangles, and rough ground, whose random heights stand 20 cm apart, is
drawn in squares of that size. A tile of stairs takes a few hundred triangles instead of eighty thousand.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from him.terrain import CELL, Terrain

Array = NDArray[np.floating]
Mask = NDArray[np.bool_]

BLOCK = 4
"""Cells along a square of rough ground: 20 cm, the spacing of its random heights."""

APRON = 60.0
"""Metres of level ground drawn around a terrain, whose rim always lies at height zero."""

_FLAT, _STEP = 1e-3, 1e-4


@dataclass(frozen=True)
class Ground:
    """Quadrilaterals (n, 4, 3), corners counter-clockwise seen from outside."""

    tops: Array
    """What one can stand on."""
    walls: Array
    """Vertical faces."""


def ground(terrain: Terrain, apron: float = APRON) -> Ground:
    """Everything to draw of a terrain."""
    corners = terrain.corners
    even = np.abs(corners[..., 0] + corners[..., 3] - corners[..., 1] - corners[..., 2]) < _STEP
    blocks = _blocks(corners, even)
    single = ~even
    single[: BLOCK * blocks.shape[0], : BLOCK * blocks.shape[1]] &= ~np.kron(blocks, np.ones((BLOCK, BLOCK), bool))
    boxes = np.concatenate([_rectangles(corners, even), _cells(single), _cells(blocks, BLOCK)])
    tops = [_top(corners, boxes)]
    if apron > 0:
        tops.append(_apron(corners.shape[1], corners.shape[0], round(apron / CELL)))
    walls = [_walls(corners), _walls(corners.transpose(1, 0, 2)[..., [0, 2, 1, 3]])[:, ::-1, [1, 0, 2]]]
    scale, origin = np.array([CELL, CELL, 1.0]), np.array([terrain.x0, terrain.y0, 0.0])
    return Ground(np.concatenate(tops) * scale + origin, np.concatenate(walls) * scale + origin)


def triangles(quads: Array) -> NDArray[np.int32]:
    """Faces of quadrilaterals, cut along the diagonal along which the terrain folds."""
    first = 4 * np.arange(len(quads), dtype=np.int32)[:, None, None]
    return (first + np.array([[0, 1, 3], [1, 2, 3]], np.int32)).reshape(-1, 3)


def _blocks(corners: Array, even: Mask) -> Mask:
    """Squares of cells that are all uneven and hang together, so that their outer corners describe them."""
    ny, nx = (n // BLOCK * BLOCK for n in even.shape)
    rough = (~even & _joined(corners))[:ny, :nx]
    return np.asarray(rough.reshape(ny // BLOCK, BLOCK, nx // BLOCK, BLOCK).all(axis=(1, 3)))


def _joined(corners: Array) -> Mask:
    """Cells without a wall towards any neighbour."""
    joined = np.ones(corners.shape[:2], bool)
    along = (np.abs(corners[:, :-1, [1, 3]] - corners[:, 1:, [0, 2]]) < _STEP).all(-1)
    across = (np.abs(corners[:-1, :, [2, 3]] - corners[1:, :, [0, 1]]) < _STEP).all(-1)
    joined[:, :-1] &= along
    joined[:, 1:] &= along
    joined[:-1] &= across
    joined[1:] &= across
    return joined


def _rectangles(corners: Array, even: Mask) -> NDArray[np.int64]:
    """Even cells joined along x while they lie in one plane, then equal rows of them along y: (n, 4) as x0 y0 x1 y1."""
    rise = np.stack([corners[..., 1] - corners[..., 0], corners[..., 2] - corners[..., 0]], axis=-1) / CELL
    begins = even.copy()
    begins[:, 1:] &= ~(even[:, :-1] & _same(rise[:, :-1], rise[:, 1:], corners[:, :-1, 1], corners[:, 1:, 0]))
    ends = even.copy()
    ends[:, :-1] &= begins[:, 1:] | ~even[:, 1:]
    y, x0 = np.nonzero(begins)
    x1 = np.nonzero(ends)[1] + 1
    order = np.lexsort((y, x1, x0))
    y, x0, x1 = y[order], x0[order], x1[order]
    above, below = slice(1, None), slice(None, -1)
    goes_on = (x0[above] == x0[below]) & (x1[above] == x1[below]) & (y[above] == y[below] + 1)
    cell, under = (y[above], x0[above]), (y[below], x0[below])
    goes_on &= _same(rise[under], rise[cell], corners[under][..., 2], corners[cell][..., 0])
    first = np.flatnonzero(np.append(True, ~goes_on)[: len(y)])
    last = np.append(first[1:], len(y)) - 1
    return np.stack([x0[first], y[first], x1[first], y[last[: len(first)]] + 1], axis=-1)


def _same(rise: Array, next_rise: Array, edge: Array, next_edge: Array) -> Mask:
    same: Mask = (np.abs(rise - next_rise) < _FLAT).all(-1) & (np.abs(edge - next_edge) < _STEP)
    return same


def _cells(chosen: Mask, size: int = 1) -> NDArray[np.int64]:
    y, x = np.nonzero(chosen)
    return np.stack([x, y, x + 1, y + 1], axis=-1) * size


def _top(corners: Array, boxes: NDArray[np.int64]) -> Array:
    x0, y0, x1, y1 = boxes.T
    return _quads(boxes, corners[y0, x0, 0], corners[y0, x1 - 1, 1], corners[y1 - 1, x1 - 1, 3], corners[y1 - 1, x0, 2])


def _quads(boxes: NDArray[np.int64], *heights: Array) -> Array:
    """Rectangles (n, 4) with heights for their corners, counter-clockwise from (x0, y0)."""
    x0, y0, x1, y1 = boxes.T
    ways = zip((x0, x1, x1, x0), (y0, y0, y1, y1), heights, strict=True)
    return np.stack([np.stack(corner, axis=-1) for corner in ways], axis=1)


def _walls(corners: Array) -> Array:
    """Walls between neighbours in x, joined along y while they keep their heights."""
    left, right = corners[:, :-1, [1, 3]], corners[:, 1:, [0, 2]]
    sides = np.concatenate([left, right], axis=-1)
    level = (np.abs(left[..., 0] - left[..., 1]) < _STEP) & (np.abs(right[..., 0] - right[..., 1]) < _STEP)
    stands = np.asarray((np.abs(left - right) >= _STEP).any(-1))
    begins = stands.copy()
    same = level[1:] & level[:-1] & (np.abs(sides[1:] - sides[:-1]) < _STEP).all(-1)
    begins[1:] &= ~(stands[:-1] & same)
    ends = stands.copy()
    ends[:-1] &= begins[1:] | ~stands[1:]
    x, y0 = np.nonzero(begins.T)
    y1 = np.nonzero(ends.T)[1]
    a, b = sides[y0, x], sides[y1, x]
    # in this order a face looks towards its lower side, whichever that is
    points = [(y0, a[:, 0]), (y0, a[:, 2]), (y1 + 1, b[:, 3]), (y1 + 1, b[:, 1])]
    return np.stack([np.stack([x + 1.0, y, z], -1) for y, z in points], axis=1)


def _apron(nx: int, ny: int, width: int) -> Array:
    """Four level rectangles around the terrain."""
    left, right = (-width, -width, 0, ny + width), (nx, -width, nx + width, ny + width)
    below, above = (0, -width, nx, 0), (0, ny, nx, ny + width)
    return _quads(np.array([left, right, below, above]), *np.zeros((4, 4)))
