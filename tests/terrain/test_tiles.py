"""Each tile against the numbers of the paper's appendix "Training Terrains"."""

import numpy as np
import pytest

from him.errors import HimError
from him.terrain import CELL, DIRECTED, KINDS, LEVELS, tile, ways
from him.terrain.tiles import Corners, inclination, obstacle_height, roughness, step_height

N = 200
EVERY = [(kind, way) for kind in KINDS for way in ways(kind)]
SMOOTH = ("slope", "rough_slope", "rough_flat", "waves", "flat")


def make(kind: str, level: int, way: int, seed: int = 0) -> Corners:
    return tile(kind, level, np.random.default_rng(seed), way)


def ring() -> np.ndarray:
    """How many cells each cell is away from the central corner, counted along the longer axis."""
    away = np.abs(np.arange(N) + 0.5 - N / 2)
    return np.maximum(away[:, None], away[None, :]).astype(int)


def walls(corners: Corners) -> tuple[np.ndarray, np.ndarray]:
    """Height differences across the edges shared by neighbours along x and along y, at both ends."""
    along_x = corners[:, 1:, [0, 2]] - corners[:, :-1, [1, 3]]
    along_y = corners[1:, :, [0, 1]] - corners[:-1, :, [2, 3]]
    return along_x, along_y


@pytest.mark.parametrize(
    ("formula", "first", "fourth", "last"),
    [
        (lambda level: np.rad2deg(inclination(level)), 0.0, 40 / 3, 40.0),
        (lambda level: 100 * roughness(level), 1.0, 1 + 7 / 3, 8.0),
        (lambda level: 100 * step_height(level), 5.0, 11.0, 23.0),
        (lambda level: 100 * obstacle_height(level), 5.0, 5 + 10 / 3, 15.0),
    ],
    ids=["slope", "rough", "stairs", "obstacles"],
)
def test_formulas_reach_the_appendix_ranges(formula, first, fourth, last):
    assert formula(0) == pytest.approx(first)
    assert formula(3) == pytest.approx(fourth)
    assert formula(9) == pytest.approx(last)
    assert np.allclose(np.diff([formula(level) for level in range(LEVELS)]), (last - first) / 9)


@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("way", [1, -1])
def test_slope_has_the_inclination_of_its_level(level, way):
    section = make("slope", level, way)[N // 2, :, 0].astype(float)
    ramp = section[120:191]
    degrees = np.rad2deg(np.arctan(np.diff(ramp) / CELL))
    assert np.allclose(degrees, way * 40 * level / 9, atol=1e-3)
    assert section[100] == pytest.approx(-way * 3.5 * np.tan(np.deg2rad(40 * level / 9)), abs=1e-6)


@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("kind", ["rough_slope", "rough_flat"])
def test_noise_fills_the_amplitude_of_its_level(kind, level):
    way = ways(kind)[0]
    smooth = make("slope", level, way) if kind == "rough_slope" else np.float32(0)
    noise = 100 * (make(kind, level, way) - smooth).astype(float)
    amplitude = 1 + 7 * level / 9
    assert np.abs(noise).max() <= amplitude + 1e-4
    assert noise.max() > 0.95 * amplitude
    assert noise.min() < -0.95 * amplitude
    knots = noise[::4, ::4, 0][(ring() > 20)[::4, ::4] & (ring() < 80)[::4, ::4]]
    assert knots.std() == pytest.approx(amplitude / np.sqrt(3), rel=0.1)


@pytest.mark.parametrize("level", range(LEVELS))
@pytest.mark.parametrize("way", [1, -1])
def test_stairs_have_level_treads_and_equal_risers(level, way):
    corners = make("stairs", level, way, seed=level)
    assert np.ptp(corners, axis=-1).max() == 0
    section = corners[N // 2, N // 2 :, 0].astype(float)
    risers = np.flatnonzero(np.diff(section)) + 1
    assert risers[0] * CELL == pytest.approx(1.0)
    treads = np.diff(risers) * CELL
    assert 0.2 <= treads[0] <= 0.4 + 1e-9
    assert np.allclose(treads, treads[0])
    assert risers[-1] * CELL + treads[0] > 4.5
    assert np.allclose(np.diff(section)[risers - 1], way * (5 + 18 * level / 9) / 100, atol=1e-6)


def test_stairs_draw_every_tread_from_20_to_40_cm():
    treads = set()
    for seed in range(60):
        section = make("stairs", 5, 1, seed)[N // 2, N // 2 :, 0]
        treads.add(int(np.diff(np.flatnonzero(np.diff(section)))[0]))
    assert treads == {4, 5, 6, 7, 8}


@pytest.mark.parametrize("level", range(LEVELS))
def test_obstacles_stand_out_and_sink_by_the_height_of_their_level(level):
    corners = make("obstacles", level, 0)
    assert np.ptp(corners, axis=-1).max() == 0
    height = (5 + 10 * level / 9) / 100
    assert np.allclose(np.unique(corners), [-height, 0, height])
    assert 0.1 < np.mean(corners != 0) < 0.6


@pytest.mark.parametrize(("kind", "way"), EVERY)
@pytest.mark.parametrize("level", [0, 4, 9])
def test_rim_is_zero_and_platform_level(kind, way, level):
    corners = make(kind, level, way)
    assert np.all(corners[ring() >= 90] == 0)
    assert np.ptp(corners[ring() < 20]) == 0


@pytest.mark.parametrize("kind", DIRECTED)
def test_up_starts_in_a_pit_and_down_on_top(kind):
    assert make(kind, 5, 1)[100, 100, 0] < 0 < make(kind, 5, -1)[100, 100, 0]


@pytest.mark.parametrize("kind", SMOOTH)
def test_smooth_kinds_have_no_walls(kind):
    for way in ways(kind):
        assert all(np.all(jump == 0) for jump in walls(make(kind, 9, way)))


@pytest.mark.parametrize("kind", ["stairs", "obstacles"])
def test_steps_are_walls_between_cells(kind):
    """Cells are level, so a riser has no run at all: both ends of the shared edge jump alike."""
    for jump in walls(make(kind, 9, ways(kind)[0])):
        assert np.all(jump[..., 0] == jump[..., 1])
        assert np.abs(jump).max() >= (0.15 if kind == "obstacles" else 0.23) - 1e-6


@pytest.mark.parametrize("kind", DIRECTED)
def test_up_and_down_mirror_each_other(kind):
    up, down = (make(kind, 7, way).astype(float) for way in (1, -1))
    tolerance = 2 * roughness(7) if kind == "rough_slope" else 0
    assert np.abs(up + down).max() <= tolerance + 1e-6


@pytest.mark.parametrize(("kind", "way"), EVERY)
def test_same_stream_gives_the_same_tile(kind, way):
    assert np.array_equal(make(kind, 5, way, seed=3), make(kind, 5, way, seed=3))


@pytest.mark.parametrize(
    ("kind", "level", "way", "words"),
    [
        ("ladder", 0, 1, "choose one of slope"),
        ("stairs", 10, 1, "0 to 9"),
        ("stairs", -1, 1, "0 to 9"),
        ("stairs", 0, 0, r"\+1 \(up\) or -1"),
        ("obstacles", 0, 1, "neither up nor down"),
    ],
)
def test_bad_tiles_are_refused_with_the_reason(kind, level, way, words):
    with pytest.raises(HimError, match=words):
        make(kind, level, way)
