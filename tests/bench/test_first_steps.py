"""The check at the end of a first training: what is asked of the robots, and how their answers are summed up."""

import pytest
import torch

from him.bench import first_steps
from him.env.presets import laptop
from tests.bench.grounds import PLAYER, FakeGround


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> tuple[FakeGround, dict[str, float]]:
    FakeGround.made = []
    monkeypatch.setattr(first_steps, "Ground", FakeGround)
    torch.manual_seed(0)
    result = first_steps.measure(PLAYER, laptop().task, robots=400)
    return FakeGround.made[0], result


def test_robots_meet_on_flat_ground_what_they_met_in_training(checked: tuple[FakeGround, dict[str, float]]) -> None:
    assert checked[0].settings == laptop().task
    assert [(cell.kind, cell.level) for cell in checked[0].cells] == [("flat", 0)]


def test_commands_lead_any_way_at_up_to_half_a_metre_a_second(checked: tuple[FakeGround, dict[str, float]]) -> None:
    command = checked[0].commands[0]
    speed = command[:, :2].norm(dim=-1)
    assert 0.48 < speed.max() <= 0.5 + 1e-6
    assert speed.min() < 0.02
    assert (command[:, :2].mean(0).abs() < 0.05).all(), "every way"
    assert (command[:, 2] == 0).all()


def test_the_summary_is_of_all_robots_and_of_the_brisk_ones(checked: tuple[FakeGround, dict[str, float]]) -> None:
    ground, result = checked
    outcome, speed = ground.outcomes[0], ground.commands[0].norm(dim=-1)
    assert result["mean_error_m_s"] == pytest.approx(float(outcome.linear.mean()), abs=1e-4)
    assert result["falls"] == int(outcome.fell.sum())
    brisk = outcome.progress[speed > 0.3].mean()
    assert result["share_of_commanded_speed"] == pytest.approx(float(brisk), abs=1e-4)
