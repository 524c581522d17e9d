"""Commands keep to the ranges of their terrain, and some of them ask for nothing."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from him.env import commands
from him.env.settings import Commands
from him.errors import HimError
from him.terrain import KINDS

RANGES = {
    "slope": (3.0, 1.0, 3.0),
    "rough_slope": (3.0, 1.0, 3.0),
    "stairs": (1.0, 1.0, 2.0),
    "obstacles": (1.0, 1.0, 2.0),
}
"""Largest forward, sideways and yaw velocity (paper, section 3.4)."""

FULL = Commands()
CPU = torch.device("cpu")
UNIT = st.floats(0, 1, exclude_max=True, width=32)


def kinds(*names: str) -> torch.Tensor:
    return torch.tensor([list(KINDS).index(name) for name in names])


def test_full_ranges_are_the_papers() -> None:
    got = commands.Limits(FULL, CPU)(kinds(*RANGES), torch.ones(len(RANGES), 3))
    torch.testing.assert_close(got, torch.tensor(list(RANGES.values())))


def test_everyone_starts_with_easy_ranges() -> None:
    got = commands.Limits(FULL, CPU)(kinds(*RANGES), torch.zeros(len(RANGES), 3))
    torch.testing.assert_close(got, torch.ones(len(RANGES), 3))


def test_easy_is_never_wider_than_the_full_range() -> None:
    gentle = Commands(smooth_x=0.6, y=0.4, smooth_yaw=0.8)
    for reach in (0.0, 0.5, 1.0):
        got = commands.Limits(gentle, CPU)(kinds("flat"), torch.full((1, 3), reach))
        torch.testing.assert_close(got, torch.tensor([[0.6, 0.4, 0.8]]))


def test_reach_is_how_far_ranges_have_come() -> None:
    limits, everywhere = commands.Limits(FULL, CPU), torch.arange(len(KINDS))
    reach = limits.reach(torch.tensor([1.6, 0.5, 9.0]))
    wide = torch.tensor([RANGES.get(kind, RANGES["slope"]) for kind in KINDS])
    expected = torch.stack([wide[:, 0].clamp(max=1.6), torch.ones(len(KINDS)), wide[:, 2]], -1)
    torch.testing.assert_close(limits(everywhere, reach), expected)


@settings(deadline=None)
@given(st.sampled_from(sorted(KINDS)), UNIT, st.tuples(UNIT, UNIT, UNIT, UNIT))
def test_commands_keep_to_the_reached_part_of_the_range(kind: str, reach: float, uniform: tuple) -> None:
    limits = commands.Limits(FULL, CPU)(kinds(kind), torch.full((1, 3), reach))
    widest = torch.tensor(RANGES.get(kind, (3.0, 1.0, 3.0)))
    assert (limits <= 1 + reach * (widest - 1) + 1e-5).all()
    command = commands.sample(torch.tensor([uniform]), limits, FULL)
    assert (command.abs() <= limits).all()


def test_commands_fill_their_range_both_ways() -> None:
    limits = torch.tensor([[3.0, 1.0, 2.0]])
    ends = [commands.sample(torch.tensor([[u, u, u, 0.99]]), limits, FULL)[0] for u in (0.0, 0.5, 1.0)]
    torch.testing.assert_close(torch.stack(ends), torch.stack([-limits[0], 0 * limits[0], limits[0]]))


def test_shares_of_standing_turning_and_going_straight() -> None:
    torch.manual_seed(0)
    shares = Commands(zero_share=0.15, turn_share=0.25, straight_share=0.2, forward_share=0.15)
    drawn = commands.sample(torch.rand(40_000, commands.DRAWS), torch.ones(40_000, 3), shares)
    moves, turns = (drawn[:, :2] != 0).any(-1), drawn[:, 2] != 0
    assert (~moves & ~turns).float().mean().item() == pytest.approx(0.15, abs=0.01)
    assert (~moves & turns).float().mean().item() == pytest.approx(0.25, abs=0.01)
    assert (moves & ~turns).float().mean().item() == pytest.approx(0.35, abs=0.01)
    forward = (drawn[:, 0] != 0) & (drawn[:, 1] == 0)
    assert forward.float().mean().item() == pytest.approx(0.15, abs=0.01)
    assert not (forward & turns).any()


def test_shares_beyond_the_whole_are_refused() -> None:
    with pytest.raises(HimError, match="must not"):
        Commands(zero_share=0.5, turn_share=0.3, straight_share=0.3)


@pytest.mark.parametrize(
    ("tracked", "fell", "change"), [(0.9, 0, 1), (0.9, 1, -1), (0.6, 0, 0), (0.6, 1, -1), (0.4, 0, -1)]
)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_range_grows_with_good_tracking_near_its_edge_and_shrinks_with_bad(
    axis: int, tracked: float, fell: int, change: int
) -> None:
    """Whatever the other ranges were asked for, and however the other velocity was tracked. Of the two robots at the
    second of three places one was asked for so much."""
    reach, asked = torch.full((3, 3), 0.5), torch.full((2, 3), 0.6)
    asked[0, axis] = 0.8
    linear, angular = (tracked, 0.6) if axis < 2 else (0.6, tracked)
    rewards = (torch.full((2,), linear), torch.full((2,), angular), torch.full((2,), bool(fell)))
    place, done = torch.tensor([1, 1]), torch.tensor([True, True])
    expected = reach.clone()
    expected[1, axis] += 0.2 * change / 2
    torch.testing.assert_close(commands.grow(reach, place, asked, *rewards, done, Commands(growth=0.2)), expected)
    nothing = commands.grow(reach, place, asked, *rewards, ~done, Commands(growth=0.2))
    assert torch.equal(nothing, reach), "an episode is judged at its end"


def test_ranges_end_where_they_begin_and_where_they_are_full() -> None:
    asked, fell = torch.ones(2, 3), torch.zeros(2, dtype=torch.bool)
    tracked = torch.tensor([0.9, 0.4])
    reach = torch.tensor([[0.95] * 3, [0.05] * 3])
    got = commands.grow(reach, torch.arange(2), asked, tracked, tracked, fell, ~fell, Commands(growth=0.2))
    torch.testing.assert_close(got, torch.tensor([[1.0] * 3, [0.0] * 3]))
