"""The figures of a policy, from made-up outcomes, and standing from real physics."""

from collections import Counter

import numpy as np
import pytest
import torch

from him.bench import evaluation
from him.bench.evaluation import PAPER, TERRAINS, EvalSettings
from tests.bench.grounds import PLAYER, FakeGround
from tests.bench.test_trial import Scripted
from tests.threads import one_thread  # noqa: F401


@pytest.fixture(autouse=True)
def grounds(monkeypatch: pytest.MonkeyPatch) -> list[FakeGround]:
    torch.manual_seed(0)
    FakeGround.made = []
    monkeypatch.setattr(evaluation, "Ground", FakeGround)
    return FakeGround.made


OURS = [
    *(("slope", [0.073, 0.084, 0.078, 0.047]), ("rough_slope", [0.086, 0.097, 0.088, 0.054])),
    *(("stairs", [0.147, 0.087, 0.135, 0.096]), ("obstacles", [0.125, 0.083, 0.125, 0.075])),
    *(("slope", [0.075, 0.124, 0.094, 0.067]), ("rough_slope", [0.085, 0.143, 0.103, 0.076])),
]
"""The paper's table of tracking errors, column "Ours": narrow ranges, then wide ones."""


def test_the_rows_are_the_papers() -> None:
    rows = evaluation.tracking(PLAYER, EvalSettings(trials=8))
    assert len(rows) == 24
    for n, (terrain, expected) in enumerate(OURS):
        width = "narrow" if n < 4 else "wide"
        mine = [row for row in rows if (row["terrain"], row["range"]) == (terrain, width)]
        assert [row["paper"] for row in mine] == expected
        kinds = [(row["test"], row["error"]) for row in mine]
        assert kinds == [
            ("linear", "linear"),
            ("angular", "angular"),
            ("combined", "linear"),
            ("combined", "angular"),
        ]
    assert sum(len(values) for values in PAPER.values()) == 24


def test_rows_are_means_over_four_levels_with_intervals(grounds: list[FakeGround]) -> None:
    rows = evaluation.tracking(PLAYER, EvalSettings(trials=40, seed=3))
    (ground,) = grounds
    assert (ground.robot, ground.each, ground.seed) == ("aliengo", 10, 3)
    assert Counter((cell.kind, cell.level) for cell in ground.cells) == {
        (kind, level): 1 for kind in TERRAINS for level in (1, 2, 3, 4)
    }
    narrow_combined = ground.outcomes[2]
    stairs = [i for i, cell in enumerate(ground.cells) if cell.kind == "stairs"]
    chosen = np.isin(ground.cell.numpy(), stairs)
    row = next(r for r in rows if (r["terrain"], r["test"], r["error"]) == ("stairs", "combined", "angular"))
    error = narrow_combined.angular.double().numpy()[chosen]
    assert row["trials"] == 40
    assert row["measured"] == pytest.approx(error.mean(), abs=1e-4)
    assert row["interval"] == pytest.approx(1.96 * error.std(ddof=1) / np.sqrt(40), abs=1e-4)
    assert row["half_second"] == pytest.approx(narrow_combined.angular_window.numpy()[chosen].mean(), abs=1e-4)
    assert row["falls"] == narrow_combined.fell.numpy()[chosen].sum()


def test_commands_of_the_rows_are_the_papers_ranges(grounds: list[FakeGround]) -> None:
    evaluation.tracking(PLAYER, EvalSettings(trials=400))
    widest = [command.abs().amax(0) for command in grounds[0].commands]
    ranges = [(1, 1, 0), (0, 0, 1), (1, 1, 1), (2, 1, 0), (0, 0, 2), (2, 1, 2)]
    torch.testing.assert_close(torch.stack(widest), torch.tensor(ranges).float(), atol=0.02, rtol=0)


def test_success_is_no_fall_and_four_fifths_of_the_way(grounds: list[FakeGround]) -> None:
    table = evaluation.success(PLAYER, EvalSettings(robots=50, levels=(0, 6)))
    (ground,) = grounds
    assert [(row["terrain"], row["level"]) for row in table] == [(kind, level) for kind in TERRAINS for level in (0, 6)]
    outcome = ground.outcomes[0]
    good = (~outcome.fell & (outcome.progress >= 0.8)).numpy().reshape(8, 50).mean(1)
    fell = outcome.fell.numpy().reshape(8, 50).mean(1)
    assert [row["success"] for row in table] == pytest.approx(good, abs=1e-4)
    assert [row["falls"] for row in table] == pytest.approx(fell, abs=1e-4)
    command = ground.commands[0].numpy()
    speed = np.hypot(command[:, 0], command[:, 1])
    assert speed.min() >= 0.3
    assert speed.max() <= 1.0
    assert (command[:, 2] == 0).all()
    assert np.ptp(np.arctan2(command[:, 1], command[:, 0])) > 6.0, "any way"


def test_flat_ground_gives_the_estimate_and_standing(
    grounds: list[FakeGround], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "_standing", lambda player, noise, settings: {"base_speed": len(noise)})
    figures = evaluation.flat(PLAYER, EvalSettings(), robots=64)
    outcome = grounds[0].outcomes[0]
    assert figures["estimate_rms"] == pytest.approx(np.sqrt(outcome.estimate.numpy().mean()), abs=1e-4)
    assert figures["linear_error"] == pytest.approx(outcome.linear.numpy().mean(), abs=1e-4)
    assert figures["falls"] == int(outcome.fell.sum())
    assert (figures["stand_base_speed_noise_off"], figures["stand_base_speed_noise_on"]) == (3, 2)


def test_a_robot_that_stands_is_measured_as_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real physics from second 2 on: the default pose, held, does not move."""
    monkeypatch.undo()
    speeds = evaluation._standing(Scripted(0.0), "off", EvalSettings(device="cpu"), robots=2)  # type: ignore[arg-type]
    assert 0 <= speeds["base_speed"] < 0.01
    assert 0 <= speeds["joint_speed"] < 0.02
