"""The paper's table of tracking errors: its cells, its commands, and what is left of a block."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from him.bench import tracking
from him.bench.paper import ROWS
from him.bench.tracking import LEVELS, TrackingSettings
from him.env.settings import Randomisation
from him.errors import HimError
from tests.bench.grounds import PLAYER, FakeGround

SMALL = TrackingSettings(trials=40, block=40, seed=3)


@pytest.fixture(autouse=True)
def grounds(monkeypatch: pytest.MonkeyPatch) -> list[FakeGround]:
    FakeGround.made = []
    monkeypatch.setattr(tracking, "Ground", FakeGround)
    return FakeGround.made


def test_every_row_of_the_paper_is_measured_once() -> None:
    blocks = list(tracking.everything(PLAYER, SMALL))
    assert Counter(key for block in blocks for key in block) == {row.key: 1 for row in ROWS}
    assert len(tracking.rows(blocks)) == len(ROWS) == 24


def test_ranges_are_measured_where_the_paper_does(grounds: list[FakeGround]) -> None:
    list(tracking.everything(PLAYER, SMALL))
    narrow, wide = grounds
    assert {(cell.kind, cell.level) for cell in narrow.cells} == {
        (kind, level) for kind in ("slope", "rough_slope", "stairs", "obstacles") for level in (1, 2, 3, 4)
    }
    assert {cell.kind for cell in wide.cells} == {"slope", "rough_slope"}


def test_forces_are_the_authors_jolts_or_trainings(grounds: list[FakeGround]) -> None:
    list(tracking.everything(PLAYER, SMALL))
    list(tracking.everything(PLAYER, replace(SMALL, forces="training")))
    authors, _, training, _ = (ground.settings.randomisation for ground in grounds)
    assert training == Randomisation()
    assert authors.force * authors.force_seconds[0] == pytest.approx(30.0 * 0.005), "newton seconds"
    assert authors.force_seconds[0] / authors.force_share == pytest.approx(0.160), "seconds from one to the next"
    same = {"force": 0.0, "force_share": 0.0, "force_seconds": (0.0, 0.0)}
    assert replace(authors, **same) == replace(training, **same), "nothing else differs"


def test_commands_are_the_papers_ranges(grounds: list[FakeGround]) -> None:
    list(tracking.everything(PLAYER, TrackingSettings(trials=400, block=400)))
    ranges = [(1, 1, 0), (0, 0, 1), (1, 1, 1)], [(2, 1, 0), (0, 0, 2), (2, 1, 2)]
    for ground, wanted in zip(grounds, ranges, strict=True):
        command = ground.commands[0].view(len(ground.cells), len(tracking.TESTS), -1, 3)
        widest = command.abs().amax((0, 2))
        torch.testing.assert_close(widest, torch.tensor(wanted).float(), atol=0.02, rtol=0)
        assert (command.mean((0, 2)).abs() < 0.2).all(), "both ways"


def test_a_row_is_the_mean_over_its_four_levels_with_intervals(grounds: list[FakeGround]) -> None:
    rows = tracking.rows(list(tracking.everything(PLAYER, SMALL)))
    ground = grounds[0]
    outcome = ground.outcomes[0]
    stairs = [i for i, cell in enumerate(ground.cells) if cell.kind == "stairs"]
    combined = np.arange(len(ground.cell)) % ground.each >= 20
    chosen = np.isin(ground.cell.numpy(), stairs) & combined
    row = next(r for r in rows if (r["terrain"], r["test"], r["error"]) == ("stairs", "combined", "angular"))
    error = outcome.angular.double().numpy()[chosen]
    assert row["trials"] == len(error) == 40
    assert row["measured"] == pytest.approx(error.mean(), abs=1e-4)
    groups = error.reshape(len(LEVELS), 10).mean(0)
    assert row["interval"] == pytest.approx(2.262 * groups.std(ddof=1) / np.sqrt(10), abs=2e-4), (
        "Student's t, 9 degrees"
    )
    assert row["half_second"] == pytest.approx(outcome.angular_window.numpy()[chosen].mean(), abs=1e-4)
    assert row["falls"] == outcome.fell.numpy()[chosen].sum()
    assert row["paper"] == 0.096


def test_every_policy_meets_the_same_commands_and_every_block_others() -> None:
    ground = tracking.lay("aliengo", "narrow", SMALL)
    for number in (0, 0, 1):
        torch.rand(number + 1)
        tracking.measure(ground, PLAYER, "narrow", number, SMALL)
    first, again, other = ground.commands
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@given(st.integers(8, 50_000), st.integers(8, 5000))
def test_blocks_and_groups_hold_the_trials_asked_for_and_few_more(trials: int, block: int) -> None:
    settings = TrackingSettings(trials, block)
    groups, size = settings.groups
    made = settings.blocks * len(LEVELS) * groups * size
    assert 2 <= groups <= tracking.GROUPS
    assert trials <= made <= trials + settings.blocks * len(LEVELS) * (size + 1)


def test_the_papers_trials_are_exactly_that() -> None:
    settings = TrackingSettings()
    assert (settings.blocks, settings.groups) == (5, (16, 64))


def test_too_few_trials_for_an_interval_are_refused() -> None:
    with pytest.raises(HimError, match="at least 8 trials"):
        TrackingSettings(trials=4)
