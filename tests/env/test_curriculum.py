"""Levels: each rule by a case made for it."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from him.env import curriculum
from him.env.curriculum import Travel
from him.env.settings import TaskSettings

PLATFORM = 1.0
DT = 0.02


def zero(n: int = 1) -> Travel:
    return Travel(*(torch.zeros(n) for _ in Travel._fields))


def judged(
    asked: float = 10.0,
    made: float = 9.0,
    tracked: float = 0.9,
    farthest: float = 4.0,
    fell: bool = False,
    left_out: float = 0.0,
) -> str:
    """What becomes of one robot after 1000 steps; by default it has earned the next level."""
    travel = zero()._replace(
        asked=torch.tensor([asked]),
        made=torch.tensor([made]),
        tracking=torch.tensor([tracked * 1000]),
        farthest=torch.tensor([farthest]),
    )
    now = (torch.tensor([1000.0]), torch.tensor([fell]), torch.tensor([left_out]))
    up, down = curriculum.judge(travel, *now, PLATFORM, TaskSettings())
    return {(True, False): "up", (False, True): "down", (False, False): "stay"}[bool(up), bool(down)]


def test_good_tracking_progress_and_leaving_the_platform_promote() -> None:
    assert judged() == "up"
    assert judged(made=8.01, tracked=0.801, farthest=1.01) == "up"


@pytest.mark.parametrize("missing", [{"tracked": 0.79}, {"made": 7.9}, {"farthest": 0.99}, {"fell": True}])
def test_each_of_them_is_needed(missing: dict) -> None:
    assert judged(**missing) == "stay"


def test_less_than_half_the_way_demotes() -> None:
    assert judged(made=4.9) == "down"
    assert judged(made=5.1) == "stay"
    assert judged(made=-3.0) == "down"


def test_good_tracking_does_not_save_who_got_nowhere() -> None:
    assert judged(made=4.0, tracked=1.0) == "down"


@pytest.mark.parametrize("fell", [False, True])
def test_standing_and_turning_change_nothing(fell: bool) -> None:
    """Whatever else happened: nothing was asked for."""
    for made, tracked, farthest in ((0.0, 1.0, 0.0), (-2.0, 0.0, 3.0), (5.0, 1.0, 3.0)):
        assert judged(asked=0.0, made=made, tracked=tracked, farthest=farthest, fell=fell) == "stay"


def test_who_falls_has_not_made_the_rest_of_the_episode() -> None:
    """A perfect walk of 6 m, then a fall with 14 m to go: 30 % were made. With 5 m to go it is 55 %."""
    assert judged(asked=6.0, made=6.0, fell=True, left_out=14.0) == "down"
    assert judged(asked=6.0, made=6.0, fell=True, left_out=5.0) == "stay"


def test_who_was_stopped_by_the_clock_owes_nothing() -> None:
    assert judged(asked=6.0, made=6.0, left_out=14.0) == "up"


def test_an_early_fall_counts_although_little_was_asked_so_far() -> None:
    assert judged(asked=0.1, made=0.1, fell=True, left_out=10.0) == "down"


@settings(deadline=None)
@given(*(st.floats(-20, 20) for _ in range(2)), st.floats(0, 1), st.floats(0, 5), st.booleans(), st.floats(0, 20))
def test_nobody_goes_both_ways(asked: float, made: float, tracked: float, far: float, fell: bool, left: float) -> None:
    assert judged(abs(asked), made, tracked, far, fell, left) in ("up", "down", "stay")


def test_travel_is_the_velocity_along_the_command_integrated() -> None:
    rng = np.random.default_rng(0)
    command, velocity, rewards, away = (rng.normal(size=(50, 4, k)) for k in (3, 3, 2, 2))
    travel = zero(4)
    for now in zip(command, velocity, rewards, away, strict=True):
        c, v, r, a = (torch.from_numpy(x) for x in now)
        travel = curriculum.advance(travel, c, v, r[:, 0], r[:, 1], a, DT)
    speed = np.hypot(command[..., 0], command[..., 1])
    along = (command[..., 0] * velocity[..., 0] + command[..., 1] * velocity[..., 1]) / speed
    np.testing.assert_allclose(travel.asked, speed.sum(0) * DT)
    np.testing.assert_allclose(travel.made, along.sum(0) * DT)
    np.testing.assert_allclose(travel.tracking, rewards[..., 0].sum(0))
    np.testing.assert_allclose(travel.turning, rewards[..., 1].sum(0))
    np.testing.assert_allclose(travel.farthest, np.abs(away).max(axis=(0, 2)))


def test_path_length_is_no_progress() -> None:
    """Told to go forward, the robot sways sideways to and fro at the commanded speed."""
    travel, one = zero(), torch.ones(1)
    for t in range(1000):
        velocity = torch.tensor([[0.0, math.copysign(1.0, math.sin(t)), 0.0]])
        travel = curriculum.advance(travel, torch.tensor([[1.0, 0.0, 0.0]]), velocity, one, one, one[:, None], DT)
    assert travel.asked.item() == pytest.approx(20.0, rel=1e-4)
    assert travel.made.item() == 0.0


def test_a_zero_command_asks_for_nothing() -> None:
    velocity, one = torch.tensor([[1.0, 1.0, 0.0]]), torch.ones(1)
    travel = curriculum.advance(zero(), torch.tensor([[0.0, 0.0, 2.0]]), velocity, one, one, one[:, None], DT)
    assert (travel.asked.item(), travel.made.item()) == (0.0, 0.0)


def test_levels_move_by_one_and_not_below_the_first() -> None:
    level = torch.tensor([0, 3, 3, 3, 8])
    up, down = torch.tensor([False, True, False, False, True]), torch.tensor([True, False, True, False, False])
    moved = curriculum.move(level, up, down, up & down, 10, torch.full((5,), 0.55))
    assert moved.tolist() == [0, 4, 2, 3, 9]


def test_who_passes_the_last_level_goes_to_a_random_one() -> None:
    uniform = (torch.arange(1000) + 0.5) / 1000
    last, yes = torch.full((1000,), 9), torch.ones(1000, dtype=torch.bool)
    moved = curriculum.move(last, yes, ~yes, ~yes, 10, uniform)
    assert torch.bincount(moved).tolist() == [100] * 10
    assert (curriculum.move(last, ~yes, ~yes, ~yes, 10, uniform) == 9).all()


def test_a_terrain_of_one_level_keeps_everyone() -> None:
    everyone = torch.tensor([True, False]), torch.tensor([False, True])
    for again in everyone:
        assert curriculum.move(torch.tensor([0, 0]), *everyone, again, 1, torch.tensor([0.99, 0.99])).tolist() == [0, 0]


def test_who_goes_over_the_ground_again_starts_on_any_level_up_to_the_own() -> None:
    uniform = (torch.arange(1000) + 0.5) / 1000
    level, yes = torch.full((1000,), 3), torch.ones(1000, dtype=torch.bool)
    assert torch.bincount(curriculum.move(level, yes, ~yes, yes, 10, uniform)).tolist() == [200] * 5, "promoted to 4"
    assert torch.bincount(curriculum.move(level, ~yes, yes, yes, 10, uniform)).tolist()[0] == 333, "demoted to 2"
