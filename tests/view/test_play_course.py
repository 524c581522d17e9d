import numpy as np
import pytest

from him.errors import HimError
from him.terrain import tiles
from him.view.play_course import PLACES, Driver, course


@pytest.mark.parametrize("place", PLACES)
def test_every_place_starts_on_level_ground_and_has_a_route(place):
    there = course(place, 5)
    x, y, _ = there.start
    around = there.terrain.height(x + np.array([-0.3, 0.0, 0.3]), np.full(3, y))
    assert np.ptp(around) < 1e-6
    assert there.route
    assert there.part(x)


def test_the_tour_leads_over_everything():
    there = course("tour", 6)
    x = np.arange(0, there.route[-1][0], 0.025) + 0.0125
    profile = there.terrain.height(x, np.zeros_like(x))
    steps = np.round(np.abs(np.diff(profile)), 4)
    assert (np.isclose(steps, tiles.step_height(6), atol=1e-3)).sum() == 10
    ramp = (x > 2.1) & (x < 3.7)
    assert np.polyfit(x[ramp], profile[ramp], 1)[0] == pytest.approx(np.tan(tiles.inclination(6)), rel=1e-3)
    names = [name for _, name in there.parts]
    assert {"slope up", "slope down", "stairs up", "stairs down", "obstacles"} < set(names)
    assert 14 < there.route[-1][0] - there.start.x < 18


def test_a_driver_reaches_the_end_and_stops():
    driver, at, yaw = Driver(((1.0, 0.0), (1.0, 2.0), (-1.0, 2.0))), np.array([0.0, 0.5]), 2.0
    for _ in range(2000):
        qpos = np.array([*at, 0.3, np.cos(yaw / 2), 0.0, 0.0, np.sin(yaw / 2)])
        forward, left, turn = driver.command(qpos)
        yaw += 0.02 * turn
        at = at + 0.02 * forward * np.array([np.cos(yaw), np.sin(yaw)])
    assert (forward, left, turn) == (0.0, 0.0, 0.0)
    assert np.linalg.norm(at - (-1.0, 2.0)) < 0.6


def test_a_steady_driver_keeps_its_command():
    assert Driver(((1.0, 0.0),), (0.5, -0.1, 0.2)).command(np.zeros(7)).tolist() == [0.5, -0.1, 0.2]


@pytest.mark.parametrize(("place", "level", "words"), [("moon", 4, "choose one of flat"), ("stairs", 10, "0 to 9")])
def test_mistakes_are_explained(place, level, words):
    with pytest.raises(HimError, match=words):
        course(place, level)
