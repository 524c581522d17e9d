"""The figures of a policy, from made-up outcomes, and standing from real physics."""

import numpy as np
import pytest
import torch

from him.bench import evaluation, tracking
from him.bench.evaluation import TERRAINS, EvalSettings
from him.bench.player import Player
from him.bench.trial import Ground
from him.env.geometry import to_body
from tests.bench.grounds import PLAYER, FakeGround
from tests.bench.test_trial import Scripted
from tests.threads import one_thread  # noqa: F401


@pytest.fixture(autouse=True)
def grounds(monkeypatch: pytest.MonkeyPatch) -> list[FakeGround]:
    torch.manual_seed(0)
    FakeGround.made = []
    for module in (evaluation, tracking):
        monkeypatch.setattr(module, "Ground", FakeGround)
    return FakeGround.made


def test_tracking_is_the_papers_table(grounds: list[FakeGround]) -> None:
    rows = evaluation.tracking(PLAYER, EvalSettings(trials=40, seed=3, device="cpu"))
    assert len(rows) == 24
    assert {row["trials"] for row in rows} == {40}
    assert [(ground.robot, ground.seed, ground.each) for ground in grounds] == [("aliengo", 3, 30)] * 2


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
    evaluation.success(PLAYER, EvalSettings(robots=50, levels=(0,), ways="forward"))
    ahead = grounds[-1].commands[0]
    assert ahead[:, 0].min() >= 0.3
    assert (ahead[:, 1:] == 0).all()


def test_flat_ground_gives_the_estimate_and_standing(
    grounds: list[FakeGround], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "_standing", lambda player, noise, settings: {"base_speed": len(noise)})
    monkeypatch.setattr(evaluation, "_seen", lambda player, settings: 0.25)
    figures = evaluation.flat(PLAYER, EvalSettings(), robots=64)
    outcome = grounds[0].outcomes[0]
    assert figures["estimate_rms"] == pytest.approx(np.sqrt(outcome.estimate.numpy().mean()), abs=1e-4)
    assert figures["linear_error"] == pytest.approx(outcome.linear.numpy().mean(), abs=1e-4)
    assert figures["falls"] == int(outcome.fell.sum())
    assert figures["estimate_sees"] == 0.25
    assert figures["height_error"] == pytest.approx(-0.05), "0.25 m where 0.3 are the target, once they walk"
    assert (figures["stand_base_speed_noise_off"], figures["stand_base_speed_noise_on"]) == (3, 2)


def test_a_robot_that_stands_is_measured_as_standing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real physics from second 2 on: the default pose, held, does not move."""
    monkeypatch.undo()
    speeds = evaluation._standing(Scripted(0.0), "off", EvalSettings(device="cpu"), robots=2)
    assert 0 <= speeds["base_speed"] < 0.01
    assert 0 <= speeds["joint_speed"] < 0.02
    assert abs(speeds["sinks"]) < 0.02  # a held pose creeps by some millimetres


def test_what_the_estimate_sees_of_a_pull(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing, if it always says the same; all of it, if it is the truth, here from who is pulled as told."""
    monkeypatch.undo()
    settings = EvalSettings(device="cpu")
    assert evaluation._seen(Scripted(0.0, velocity=(0.5, 0.0, 0.0)), settings, robots=2) == 0.0
    assert evaluation._seen(Scripted(0.0), settings, robots=2) == 0.0, "says nothing of its velocity"
    player = Player("go1")
    honest = Honest(player)
    monkeypatch.setattr(evaluation, "Ground", honest.ground)
    assert evaluation._seen(honest, settings, robots=6) == pytest.approx(1.0, abs=0.02)
    pulled = honest.made.task.episode.force
    assert torch.linalg.vector_norm(pulled[0]) == pytest.approx(
        evaluation.PULL * honest.made.task.constants.mass, rel=1e-3
    )


class Honest:
    """A player that walks by a policy and says its true velocity."""

    def __init__(self, player: Player) -> None:
        self.player, self.contract, self.robot = player, player.contract, player.robot

    def ground(self, *arguments: object) -> Ground:
        self.made = Ground(*arguments)
        return self.made

    def __call__(self, history: torch.Tensor, time: torch.Tensor) -> dict[str, torch.Tensor]:
        engine = self.made.task.engine
        return self.player(history, time) | {"velocity": to_body(engine.qpos[:, 3:7], engine.qvel[:, :3])}
