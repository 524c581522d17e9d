"""Tiles laid side by side: the training grid, arenas of one kind and level, and plain flat ground."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

import numpy as np

from him.errors import HimError
from him.terrain.surface import CELL, Terrain, Tiles
from him.terrain.tiles import KINDS, LEVELS, PLATFORM, TILE, N, tile, ways

Spec = tuple[str, int, int]
"""What a tile is: kind, level and direction."""


@dataclass(frozen=True)
class Shares:
    """The part of the columns each kind of terrain gets; together 1."""

    slope: float = 0.1
    """Paper, appendix on training terrains."""
    rough_slope: float = 0.2
    """Paper, appendix on training terrains."""
    stairs: float = 0.6
    """Paper, appendix on training terrains; half of them up, half down."""
    obstacles: float = 0.1
    """Paper, appendix on training terrains."""
    rough_flat: float = 0.0
    """Named in the paper's ablation section; the appendix gives it no share."""
    waves: float = 0.0
    """Named in the paper's ablation section; the appendix gives it no share."""
    flat: float = 0.0
    """Not in the paper; for first steps."""

    def __post_init__(self) -> None:
        shares = asdict(self)
        if any(not share >= 0 for share in shares.values()) or abs(sum(shares.values()) - 1) > 1e-6:
            raise HimError(f"Terrain shares must be at least 0 and add up to 1; these are {shares}.")


@dataclass(frozen=True)
class TerrainSettings:
    """The training grid."""

    shares: Shares = field(default_factory=Shares)
    """How many of the columns each kind gets."""
    columns: int = 20
    """Tiles along x, one kind and direction each (paper: a grid of 20 x 10)."""
    levels: int = 10
    """Tiles along y, the first level first (paper: levels 0 to 9)."""
    first_level: int = 0
    """Level they begin with. To go on from a policy on ground that it does not master yet, leave out the rest."""
    way: Literal["both", "up", "down"] = "both"
    """Where slopes and stairs lead from the platforms that robots start on: up and down in turns, or one alone."""
    border: float = 10.0
    """Flat ground around the grid in metres; beyond it the edge goes on for ever."""
    seed: int = 1
    """Same seed, same terrain."""

    def __post_init__(self) -> None:
        if self.columns < 1:
            raise HimError(f"A terrain needs at least one column, not {self.columns}.")
        if self.levels not in range(1, LEVELS + 1):
            raise HimError(f"A terrain has 1 to {LEVELS} levels, not {self.levels}.")
        if self.first_level not in range(LEVELS - self.levels + 1):
            raise HimError(
                f"{self.levels} levels from {self.first_level} on are not all within 0 to {LEVELS - 1}: "
                "change first_level or levels."
            )
        _check_layout(self.border, self.seed)


def grid(settings: TerrainSettings | None = None) -> Terrain:
    """The training terrain: columns of one kind along x, levels increasing along y, centred on the origin."""
    settings = settings or TerrainSettings()
    columns = column_specs(settings.shares, settings.columns, settings.way)
    levels = range(settings.first_level, settings.first_level + settings.levels)
    specs = [[(kind, level, way) for level in levels] for kind, way in columns]
    return _lay(specs, settings.border, settings.seed)


def arena(
    kind: str,
    level: int,
    tiles: tuple[int, int] = (2, 2),
    seed: int = 1,
    direction: int | None = None,
    border: float = 10.0,
) -> Terrain:
    """Tiles (along x, along y) of one kind and level, for evaluation; up and down alternate unless chosen."""
    if min(tiles) < 1:
        raise HimError(f"An arena needs at least one tile each way, not {tiles[0]} x {tiles[1]}.")
    _check_layout(border, seed)
    choice = ways(kind) if direction is None else (direction,)
    specs = [[(kind, level, choice[(i + j) % len(choice)]) for j in range(tiles[1])] for i in range(tiles[0])]
    return _lay(specs, border, seed)


def arenas(
    cells: Sequence[tuple[str, int]], tiles: tuple[int, int] = (4, 4), seed: int = 1, border: float = 10.0
) -> Terrain:
    """Several arenas side by side along x, `tiles` (along x, along y) each: one per (kind, level) given.

    Arena k holds the columns k * tiles[0] to (k + 1) * tiles[0] - 1. Up and down alternate in each.
    """
    if min(tiles) < 1 or not cells:
        raise HimError("Arenas need at least one kind and level, and at least one tile each way.")
    _check_layout(border, seed)
    specs = []
    for kind, level in cells:
        turns = ways(kind)
        specs += [[(kind, level, turns[(i + j) % len(turns)]) for j in range(tiles[1])] for i in range(tiles[0])]
    return _lay(specs, border, seed)


def flat(size: float = TILE) -> Terrain:
    """One level square, `size` metres wide, centred on the origin; like every terrain it goes on beyond."""
    n = math.ceil(round(size / CELL, 6)) if math.isfinite(size) else 0
    if n * CELL < 2 * PLATFORM:
        raise HimError(f"Flat ground must be at least {2 * PLATFORM:g} m wide, not {size:g} m.")
    one = np.zeros((1, 1), np.int64)
    tiles = Tiles(
        kind=one + list(KINDS).index("flat"),
        level=one,
        direction=one,
        centre=np.zeros((1, 1, 2)),
        spawn_height=np.zeros((1, 1)),
        platform=PLATFORM,
        size=n * CELL,
    )
    return Terrain(np.zeros((n, n, 4), np.float32), -n * CELL / 2, -n * CELL / 2, tiles)


def column_specs(shares: Shares, columns: int, way: str = "both") -> list[tuple[str, int]]:
    """Kind and direction of every column; where shares do not divide evenly the largest remainders round up.

    Directions alternate within a kind, starting with up, unless all lead one way.
    """
    wanted = {"both": (1, 0, -1), "up": (1, 0), "down": (0, -1)}[way]
    exact = {kind: share * columns for kind, share in asdict(shares).items()}
    counts = {kind: math.floor(value + 1e-6) for kind, value in exact.items()}
    by_remainder = sorted(exact, key=lambda kind: counts[kind] - exact[kind])
    for kind in by_remainder[: columns - sum(counts.values())]:
        counts[kind] += 1
    turns = {kind: [w for w in ways(kind) if w in wanted] for kind in counts}
    return [(kind, turns[kind][i % len(turns[kind])]) for kind, count in counts.items() for i in range(count)]


def _check_layout(border: float, seed: int) -> None:
    if not (math.isfinite(border) and border >= 0):
        raise HimError(f"The border must be 0 m or wider, not {border:g} m.")
    if seed < 0:
        raise HimError(f"The terrain's seed must be 0 or larger, not {seed}.")


def _lay(specs: Sequence[Sequence[Spec]], border: float, seed: int) -> Terrain:
    """Build every tile from its own random stream (seed, column, row): none depends on its neighbours."""
    columns, rows = len(specs), len(specs[0])
    edge = math.ceil(round(border / CELL, 6))
    corners = np.zeros((rows * N + 2 * edge, columns * N + 2 * edge, 4), np.float32)
    for i, column in enumerate(specs):
        for j, (kind, level, way) in enumerate(column):
            made = tile(kind, level, np.random.default_rng((seed, i, j)), way)
            corners[edge + j * N : edge + (j + 1) * N, edge + i * N : edge + (i + 1) * N] = made
    middle = slice(edge + N // 2, -edge - 1 if edge else None, N)
    names = list(KINDS)
    x, y = ((np.arange(n) - (n - 1) / 2) * TILE for n in (columns, rows))
    tiles = Tiles(
        kind=np.array([[names.index(kind) for kind, _, _ in column] for column in specs]),
        level=np.array([[level for _, level, _ in column] for column in specs]),
        direction=np.array([[way for _, _, way in column] for column in specs]),
        centre=np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1),
        spawn_height=corners[middle, middle, 0].T.astype(np.float64),
        platform=PLATFORM,
        size=TILE,
    )
    return Terrain(corners, -(columns * TILE / 2 + edge * CELL), -(rows * TILE / 2 + edge * CELL), tiles)
