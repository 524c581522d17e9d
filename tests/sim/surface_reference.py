"""The terrain as a heap of triangles, searched by brute force: what the contact function must find.

Double precision, and nothing shared with the contact function: every cell gives two triangles, every wall
between neighbours two more, and the closest point is looked for on all of them.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from him.terrain import CELL, Terrain, flat

Array = NDArray[np.float64]


def ground(corners: Array, x0: float = 0.0, y0: float = 0.0) -> Terrain:
    """A small terrain by hand."""
    return replace(flat(), corners=np.ascontiguousarray(corners, dtype=np.float32), x0=x0, y0=y0)


class Surface:
    """Triangles (n, 3 corners, 3) with their outward normals."""

    def __init__(self, terrain: Terrain) -> None:
        faces = _tops(terrain) + _walls(terrain)
        self.triangles = np.array([triangle for triangle, _ in faces])
        self.normals = np.array([normal for _, normal in faces])

    def distance(self, point: Array) -> float:
        return float(_distances(self.triangles, point).min())

    def faces(self, point: Array, normal: Array) -> Array:
        """Heights of a point over the faces it sees squarely from outside along this normal."""
        height = np.einsum("nk,nk->n", point - self.triangles[:, 0], self.normals)
        seen = (self.normals @ normal > 1 - 1e-4) & (height > -1e-6)
        return np.array([h for k, h in enumerate(height) if seen[k] and self._holds(k, point - h * normal)])

    def _holds(self, k: int, point: Array) -> bool:
        """Whether a point lies on a triangle."""
        return _distances(self.triangles[k : k + 1], point)[0] < 1e-4


def _distances(triangles: Array, point: Array) -> Array:
    """Distance of a point from each triangle: from its plane if the foot lies inside, else from its edges."""
    a, b, c = np.moveaxis(triangles, 1, 0)
    sides = ((a, b), (b, c), (c, a))
    normal = np.cross(b - a, c - a)
    area = np.einsum("nk,nk->n", normal, normal)
    height = np.einsum("nk,nk->n", point - a, normal)
    size = np.where(area > 0, area, 1.0)
    foot = point - normal * (height / size)[:, None]
    inside = area > 0
    for p, q in sides:
        inside &= np.einsum("nk,nk->n", np.cross(q - p, foot - p), normal) >= 0
    edges = np.min([_to_segment(point, p, q) for p, q in sides], axis=0)
    return np.where(inside, np.abs(height) / np.sqrt(size), edges)


def _to_segment(point: Array, a: Array, b: Array) -> Array:
    along = b - a
    length = np.einsum("nk,nk->n", along, along)
    t = np.einsum("nk,nk->n", point - a, along) / np.where(length > 0, length, 1.0)
    return np.linalg.norm(point - a - np.clip(t, 0, 1)[:, None] * along, axis=1)


Face = tuple[Array, Array]


def _tops(terrain: Terrain) -> list[Face]:
    faces = []
    for j, i in np.ndindex(terrain.corners.shape[:2]):
        z = terrain.corners[j, i].astype(np.float64)
        x, y = terrain.x0 + i * CELL, terrain.y0 + j * CELL
        v = [np.array([x + u * CELL, y + w * CELL, z[u + 2 * w]]) for w in (0, 1) for u in (0, 1)]
        for triangle in (np.array([v[0], v[1], v[2]]), np.array([v[3], v[2], v[1]])):
            normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])
            faces.append((triangle, normal / np.linalg.norm(normal)))
    return faces


def _walls(terrain: Terrain) -> list[Face]:
    faces = []
    c = terrain.corners.astype(np.float64)
    ny, nx, _ = c.shape
    for j, i in np.ndindex(ny, nx):
        x, y = terrain.x0 + (i + 1) * CELL, terrain.y0 + (j + 1) * CELL
        if i + 1 < nx:
            ends = np.array([[x, y - CELL, 0], [x, y, 0]])
            faces += _wall(ends, c[j, i, [1, 3]], c[j, i + 1, [0, 2]], np.array([1.0, 0, 0]))
        if j + 1 < ny:
            ends = np.array([[x - CELL, y, 0], [x, y, 0]])
            faces += _wall(ends, c[j, i, [2, 3]], c[j + 1, i, [0, 1]], np.array([0, 1.0, 0]))
    return faces


def _wall(ends: Array, here: Array, there: Array, ahead: Array) -> list[Face]:
    """Between two lines over the same edge; where they cross, the wall faces the other way beyond."""
    step = here - there
    if not step.any():
        return []
    up = np.array([0.0, 0, 1])
    a, b = (ends + h[:, None] * up for h in (here, there))
    if step[0] * step[1] < 0:
        t = step[0] / (step[0] - step[1])
        cross = a[0] + t * (a[1] - a[0])
        return [(np.array([a[k], b[k], cross]), ahead * np.sign(step[k])) for k in (0, 1)]
    facing = ahead * np.sign(step.sum())
    return [(np.array([a[0], a[1], b[1]]), facing), (np.array([a[0], b[1], b[0]]), facing)]
