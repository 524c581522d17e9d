import numpy as np
import pytest

from him.terrain import arena, flat
from him.view import relief


def test_level_ground_has_one_colour_from_above():
    picture = relief.from_above(flat(4.0))
    assert picture.shape == (40, 40, 4)
    assert np.ptp(picture, axis=(0, 1)).max() < 1e-6


def test_colour_runs_from_blue_pits_to_brown_hills():
    pit, hill = relief.colour(np.array([-4.0, 4.0]))
    assert pit[2] > pit[0]
    assert hill[0] > hill[2]


def test_slopes_towards_the_sun_are_brighter():
    facing, level, turned = (float(relief.shade(np.array(s), np.array(0.0), (-1, 0, 1))) for s in (0.5, 0, -0.5))
    assert level == pytest.approx(1)
    assert facing > level > turned


def test_a_hill_stands_higher_in_the_picture_than_flat_ground():
    """Seen at an angle the height adds height x cos(tilt) to the rows above the far edge."""
    hill = arena("stairs", 9, tiles=(1, 1), direction=-1, border=0.0)
    level = relief.at_an_angle(flat(10.0), (0, 0), 10.0, pixel=0.05, turn=0, tilt=20)
    raised = relief.at_an_angle(hill, (0, 0), 10.0, pixel=0.05, turn=0, tilt=20)
    top = hill.tiles.spawn_height[0, 0] * np.cos(np.deg2rad(20)) + 1.0 * np.sin(np.deg2rad(20))
    extra = (top - 5.0 * np.sin(np.deg2rad(20))) / 0.05
    assert raised.shape[0] - level.shape[0] == pytest.approx(extra, abs=3)


def test_risers_are_darker_than_treads():
    """Down the middle of the near side of a flight the picture alternates between tread and wall."""
    hill = arena("stairs", 9, tiles=(1, 1), direction=-1, border=0.0)
    picture = relief.at_an_angle(hill, (0, 0), 10.0, turn=0)
    grey = picture[:, picture.shape[1] // 2, :3].mean(axis=1)
    edges = np.abs(np.diff(grey)) > 0.08
    section = hill.corners[100, 100:, 0]
    risers = np.count_nonzero(np.diff(section))
    assert np.count_nonzero(edges) >= 2 * risers
