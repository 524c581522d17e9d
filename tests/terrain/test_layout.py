"""The training grid of the paper, arenas and flat ground."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from him.errors import HimError
from him.terrain import CELL, DIRECTED, KINDS, Shares, Terrain, TerrainSettings, arena, flat, grid, tile
from him.terrain.layout import column_specs

NAMES = list(KINDS)
ONE_EACH = Shares(slope=0.2, rough_slope=0.2, stairs=0.4, obstacles=0.2)
SMALL = TerrainSettings(shares=ONE_EACH, columns=5, levels=3, border=1.0, seed=4)


@pytest.fixture(scope="module")
def ground() -> Terrain:
    return grid(SMALL)


def cut(ground: Terrain, column: int, row: int) -> np.ndarray:
    """The cells of one tile, found from its centre."""
    x, y = ground.tiles.centre[column, row]
    i, j = round((x - 5 - ground.x0) / CELL), round((y - 5 - ground.y0) / CELL)
    return ground.corners[j : j + 200, i : i + 200]


def test_twenty_columns_follow_the_proportions_of_the_appendix():
    columns = column_specs(Shares(), 20)
    assert Counter(kind for kind, _ in columns) == {
        "slope": 2,
        "rough_slope": 4,
        "stairs": 12,
        "obstacles": 2,
    }
    ways = Counter(columns)
    assert all(ways[kind, 1] == ways[kind, -1] for kind in DIRECTED)
    assert ways["obstacles", 0] == 2


@given(st.lists(st.integers(0, 9), min_size=7, max_size=7).filter(any), st.integers(1, 60))
def test_columns_are_within_one_of_any_proportions(weights, columns):
    shares = {name: weight / sum(weights) for name, weight in zip(NAMES, weights, strict=True)}
    counts = Counter(kind for kind, _ in column_specs(Shares(**shares), columns))
    assert sum(counts.values()) == columns
    assert all(abs(counts[kind] - share * columns) < 1 for kind, share in shares.items())


@pytest.mark.parametrize(("way", "direction"), [("up", 1), ("down", -1)])
def test_slopes_and_stairs_can_all_lead_one_way(way, direction):
    columns = column_specs(Shares(), 20, way)
    assert [kind for kind, _ in columns] == [kind for kind, _ in column_specs(Shares(), 20)]
    assert all(led == (direction if kind in DIRECTED else 0) for kind, led in columns)
    one = grid(TerrainSettings(columns=20, levels=2, way=way))
    stairs = one.tiles.kind[:, 0] == NAMES.index("stairs")
    assert (np.sign(one.tiles.spawn_height[stairs, 1]) == -direction).all()


def test_default_grid_is_the_papers():
    settings = TerrainSettings()
    assert (settings.columns, settings.levels) == (20, 10)
    assert (Shares().slope, Shares().rough_slope, Shares().stairs, Shares().obstacles) == (0.1, 0.2, 0.6, 0.1)


def test_every_tile_lies_where_its_entry_says(ground):
    for column, row in np.ndindex(5, 3):
        kind, level = NAMES[ground.tiles.kind[column, row]], int(ground.tiles.level[column, row])
        way = int(ground.tiles.direction[column, row])
        stream = np.random.default_rng((SMALL.seed, column, row))
        assert level == row
        assert np.array_equal(cut(ground, column, row), tile(kind, level, stream, way))


def test_a_grid_may_begin_with_a_higher_level():
    tiles = grid(TerrainSettings(columns=5, levels=2, first_level=4)).tiles
    assert tiles.level.tolist() == [[4, 5]] * 5
    with pytest.raises(HimError, match="change first_level or levels"):
        TerrainSettings(levels=7, first_level=4)


def test_robots_spawn_on_the_platform(ground):
    tiles = ground.tiles
    for dx, dy in [(0, 0), (0.99, 0.99), (-0.99, 0.99), (0.99, -0.99), (-0.99, -0.99)]:
        heights = ground.height(tiles.centre[..., 0] + dx, tiles.centre[..., 1] + dy)
        assert np.allclose(heights, tiles.spawn_height, atol=1e-6)
    climbing = (tiles.direction != 0) & ((tiles.level > 0) | (tiles.kind == NAMES.index("stairs")))
    assert np.all(np.sign(tiles.spawn_height[climbing]) == -tiles.direction[climbing])


def test_border_is_flat_and_tiles_join_at_zero(ground):
    edge = round(SMALL.border / CELL)
    assert ground.corners.shape == (3 * 200 + 2 * edge, 5 * 200 + 2 * edge, 4)
    seams = [slice(edge + k * 200 - 10, edge + k * 200 + 10) for k in range(6)]
    assert all(np.all(ground.corners[:, seam] == 0) for seam in seams)
    assert all(np.all(ground.corners[seam] == 0) for seam in seams[:4])
    assert ground.height(1e3, -1e3) == 0


def test_grid_is_centred_on_the_origin(ground):
    assert np.allclose(ground.tiles.centre.mean(axis=(0, 1)), 0)
    assert (ground.x0, ground.y0) == pytest.approx((-26, -16))


def test_same_seed_same_terrain(ground):
    assert np.array_equal(grid(SMALL).corners, ground.corners)
    other = TerrainSettings(shares=ONE_EACH, columns=5, levels=3, border=1.0, seed=5)
    assert not np.array_equal(grid(other).corners, ground.corners)


def test_a_tile_does_not_depend_on_its_neighbours(ground):
    alone = grid(TerrainSettings(shares=ONE_EACH, columns=5, levels=1, border=0.0, seed=4))
    assert np.array_equal(cut(alone, 3, 0), cut(ground, 3, 0))


def test_arena_has_one_kind_and_level_and_alternates():
    ground = arena("stairs", 4, tiles=(3, 2), border=0.0)
    assert ground.tiles.kind.shape == (3, 2)
    assert np.all(ground.tiles.kind == NAMES.index("stairs"))
    assert np.all(ground.tiles.level == 4)
    assert ground.tiles.direction.tolist() == [[1, -1], [-1, 1], [1, -1]]
    assert not np.array_equal(np.abs(cut(ground, 0, 0)), np.abs(cut(ground, 2, 0)))


def test_arena_keeps_to_one_direction_when_told():
    assert np.all(arena("slope", 4, tiles=(2, 2), direction=-1).tiles.direction == -1)


def test_flat_ground_is_flat():
    ground = flat(7.0)
    assert ground.corners.shape == (140, 140, 4)
    assert not ground.corners.any()
    assert (ground.x0, ground.tiles.size) == pytest.approx((-3.5, 7.0))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Shares(stairs=0.7), "add up to 1"),
        (lambda: Shares(stairs=0.8, slope=-0.1), "at least 0"),
        (lambda: Shares(stairs=float("nan")), "add up to 1"),
        (lambda: TerrainSettings(columns=0), "at least one column"),
        (lambda: TerrainSettings(levels=11), "1 to 10 levels"),
        (lambda: TerrainSettings(border=-1), "0 m or wider"),
        (lambda: TerrainSettings(seed=-1), "0 or larger"),
        (lambda: arena("stairs", 4, tiles=(0, 1)), "at least one tile"),
        (lambda: arena("ladder", 4), "choose one of"),
        (lambda: arena("stairs", 12), "0 to 9"),
        (lambda: arena("stairs", 1, direction=2), "must be"),
        (lambda: flat(-3), "at least 2 m"),
        (lambda: flat(float("inf")), "at least 2 m"),
    ],
)
def test_bad_layouts_are_refused_with_the_reason(make, words):
    with pytest.raises(HimError, match=words):
        make()
