"""Where a policy can be played: the training tiles, and a tour over everything in one line.

A course has a route for its videos. Whoever drives it looks where the robot goes: the turning rate follows from the
direction of the next way point.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from him.errors import HimError
from him.terrain import CELL, PLATFORM, Terrain, Tiles, arena, flat, tiles
from him.terrain.surface import from_cells, from_vertices

Array = NDArray[np.float64]
Corners = NDArray[np.float32]
Route = tuple[tuple[float, float], ...]
"""Way points in metres, from the first to walk to."""

KINDS = {"slopes": "slope", "rough": "rough_slope", "stairs": "stairs", "obstacles": "obstacles"}
"""Courses of two training tiles and the kind of these."""

PLACES = ("flat", *KINDS, "tour")
"""Everything there is to choose from."""

SPEED = 0.7
"""Forward speed on a route, m/s."""

WIDTH = 3.0
"""Width of what the tour leads over, in metres."""

TREAD, STAIRS = 0.30, 5
"""Depth of a step in metres, and their number each way (on the tour)."""

RAMP = 1.8
"""Length of a ramp of the tour in metres."""

TURN, FASTEST = 1.5, 1.0
"""Turning rate in rad/s for each radian off the way, and its bound."""

AHEAD = 0.3
"""Distance from a robot's middle to its front feet in metres."""

NEAR = 0.5
"""A way point counts as reached within this many metres."""


class Start(NamedTuple):
    """Position in metres and heading in radians."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Course:
    """A terrain, where the robot starts on it, and a route over it."""

    terrain: Terrain
    start: Start
    route: Route
    parts: tuple[tuple[float, str], ...]
    """Names of the stretches: each from a position along x on."""

    def part(self, x: float) -> str:
        """Name of the stretch that a robot at a position along x is about to step on."""
        return [name for begin, name in self.parts if begin <= max(x + AHEAD, self.parts[0][0])][-1]


class Driver:
    """Drives along a route and then stands; or keeps one command, where one is given."""

    def __init__(self, route: Route, steady: ArrayLike | None = None) -> None:
        self.route = route
        self.steady = None if steady is None else np.array(steady, dtype=np.float64)
        self.reset()

    def reset(self) -> None:
        """From the beginning."""
        self._next = 0

    def command(self, qpos: ArrayLike) -> Array:
        """Forward, left and turn for a robot in this position."""
        if self.steady is not None:
            return self.steady
        q = np.asarray(qpos, dtype=np.float64)
        while self._next < len(self.route) and self._passed(q[:2]):
            self._next += 1
        if self._next == len(self.route):
            return np.zeros(3)
        way = self.route[self._next] - q[:2]
        off = (np.arctan2(way[1], way[0]) - heading(q) + np.pi) % (2 * np.pi) - np.pi
        return np.array([SPEED * max(np.cos(off), 0.0), 0.0, np.clip(TURN * off, -FASTEST, FASTEST)])

    def _passed(self, at: Array) -> bool:
        """Whether the next way point is near, or lies behind on the way to the one after it."""
        beyond = at - self.route[self._next]
        onward = np.subtract(self.route[min(self._next + 1, len(self.route) - 1)], self.route[self._next])
        return bool(np.linalg.norm(beyond) < NEAR or beyond @ onward > 0)


def heading(qpos: ArrayLike) -> float:
    """Yaw of the base in radians."""
    w, x, y, z = np.asarray(qpos, dtype=np.float64)[3:7]
    return float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def course(place: str, level: int = 4, seed: int = 1) -> Course:
    """A place by name; the levels are those of the training terrain."""
    if place not in PLACES:
        raise HimError(f"there is no place called {place!r} to play on; choose one of {', '.join(PLACES)}")
    if level not in range(tiles.LEVELS):
        raise HimError(f"levels run from 0 to {tiles.LEVELS - 1}; {level} is not one of them")
    if place == "flat":
        ways = ((6.0, 0.0), (8.0, 2.0), (6.0, 4.0), (0.0, 4.0), (-2.0, 2.0), (0.0, 0.0))
        return Course(flat(40.0), Start(0.0, 0.0, 0.0), ways, ((0.0, "flat ground"),))
    if place == "tour":
        return tour(level, seed)
    ground = arena(KINDS[place], level, (3, 1), seed)
    return Course(ground, Start(0.0, 0.0, 0.0), ((20.0, 0.0),), ((0.0, f"{place}, level {level}"),))


def tour(level: int, seed: int = 1) -> Course:
    """Flat ground, a ramp up and down, stairs up and down, obstacles: 16 m in a line, to walk in some 20 s."""
    slope, rise = float(np.tan(tiles.inclination(level))), tiles.step_height(level)
    up = slope * CELL * np.arange(round(RAMP / CELL) + 1, dtype=np.float64)
    steps = rise * np.repeat(np.arange(1, STAIRS + 1, dtype=np.float64), round(TREAD / CELL))
    pieces: list[tuple[str, Corners]] = [
        ("flat ground", _level(2.0, 0.0)),
        ("slope up", _strip(from_vertices, up)),
        ("slope down", np.concatenate([_level(0.6, up[-1]), _strip(from_vertices, up[::-1])], axis=1)),
        ("flat ground", _level(0.7, 0.0)),
        ("stairs up", _strip(from_cells, steps)),
        ("stairs down", np.concatenate([_level(0.8, steps[-1]), _strip(from_cells, steps[::-1])], axis=1)),
        ("flat ground", _level(0.6, 0.0)),
        ("obstacles", _obstacles(level, seed)),
        ("flat ground", _level(1.5, 0.0)),
    ]
    strip = np.concatenate([piece for _, piece in pieces], axis=1)
    margin = round(4.0 / CELL)
    corners = np.pad(strip, ((margin, margin), (margin, margin), (0, 0)))
    begins = np.cumsum([0, *(piece.shape[1] for _, piece in pieces)]) * CELL
    terrain = Terrain(corners, -margin * CELL, -corners.shape[0] * CELL / 2, _one_tile(corners))
    parts = tuple((float(x), name) for x, (name, _) in zip(begins, pieces, strict=False))
    route = tuple((float(x), 0.0) for x in np.arange(2.0, begins[-1] + 1.0, 1.5))
    return Course(terrain, Start(0.4, 0.0, 0.0), route, parts)


def _strip(make: Callable[[Array], Corners], profile: Array) -> Corners:
    """Corners of a strip across the tour from its heights along the way."""
    rows = round(WIDTH / CELL) + (make is from_vertices)
    return make(np.tile(profile, (rows, 1)))


def _level(length: float, height: float) -> Corners:
    return _strip(from_cells, np.full(round(length / CELL), height))


def _obstacles(level: int, seed: int) -> Corners:
    """The middle of a training tile of obstacles."""
    return arena("obstacles", level, (1, 1), seed, border=0.0).corners[20:80, 30:110]


def _one_tile(corners: Corners) -> Tiles:
    one = np.zeros((1, 1), np.int64)
    return Tiles(one, one, one, np.zeros((1, 1, 2)), np.zeros((1, 1)), PLATFORM, corners.shape[1] * CELL)
