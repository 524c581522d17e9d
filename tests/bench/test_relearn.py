"""Internal models taught anew: what they are taught is what was walked, and each loss teaches what it names."""

from pathlib import Path
from unittest import mock

import pytest
import torch

from him.bench import latent, relearn, trial
from him.bench.latent import LatentSettings
from him.bench.player import Player
from him.bench.relearn import Lessons, RelearnSettings
from him.env.protocol import Sizes
from tests.bench.policies import untrained
from tests.threads import one_thread  # noqa: F401

SMALL = RelearnSettings(robots=4, seconds=0.2, epochs=3, batch=64)
STEPS, ROBOTS = 9, 64
"""Instants with a velocity before them, and robots: four terrains, four levels, four each."""


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sizes, Lessons, Lessons]:
    with mock.patch.object(trial, "ARENA", 2):  # whoever walks for a moment does not need 50 metres
        return relearn.walk(untrained(tmp_path_factory.mktemp("p") / "p.onnx"), SMALL, "cpu")


def test_a_quarter_of_the_robots_is_put_aside(walked: tuple[Sizes, Lessons, Lessons]) -> None:
    _, taught, aside = walked
    assert len(taught.history()) == STEPS * ROBOTS * 3 // 4
    assert len(aside.history()) == STEPS * ROBOTS // 4
    assert not torch.isin(aside.history()[:, 0, 9:].flatten(), taught.history()[:, 0, 9:].flatten()).all()


def test_what_followed_is_the_next_instant(walked: tuple[Sizes, Lessons, Lessons]) -> None:
    """Nobody falls in a fifth of a second: an instant's successor is the newest frame of the one after it."""
    _, taught, _ = walked
    each = ROBOTS * 3 // 4
    torch.testing.assert_close(taught.successor()[:-each], taught.history()[each:, 0])
    torch.testing.assert_close(taught.history()[:-each, 0], taught.history()[each:, 1])
    scale = taught.successor_velocity()[:-each] / taught.velocity()[each:]
    torch.testing.assert_close(scale, torch.full_like(scale, 2.0), atol=1e-3, rtol=0, msg="as the critic sees it")


def test_each_loss_teaches_what_it_names(walked: tuple[Sizes, Lessons, Lessons]) -> None:
    usual = relearn.measure("default", {}, walked, None, SMALL)
    without = relearn.measure("weight-0", {"contrastive_weight": 0.0}, walked, None, SMALL)
    blind = relearn.measure("no-velocity", {"velocity_weight": 0.0}, walked, None, SMALL)
    assert usual["samples"] == 3 * STEPS * ROBOTS * 3 // 4
    alike = ("contrastive_pull", "contrastive_loss", "velocity_loss")
    assert [usual["start"][name] for name in alike] == [blind["start"][name] for name in alike], "the same beginning"
    assert usual["end"]["contrastive_loss"] < 0.9 * usual["start"]["contrastive_loss"]
    assert without["end"]["velocity_loss"] < 0.5 * blind["end"]["velocity_loss"]
    assert (without["start"]["share"], without["end"]["share"]) == (0.0, 0.0)


def test_a_successor_without_its_command(walked: tuple[Sizes, Lessons, Lessons]) -> None:
    found = relearn.measure("response", {"target_input": "response"}, walked, None, SMALL)
    assert found["target_input"] == "response"
    assert found["end"]["contrastive_loss"] < found["start"]["contrastive_loss"]


def test_probes_read_the_taught_model(walked: tuple[Sizes, Lessons, Lessons], tmp_path: Path) -> None:
    small = LatentSettings(robots=4, levels=(0, 2), seconds=1.2, instants=3)
    with mock.patch.object(trial, "ARENA", 2):
        walks = latent.walk(Player(untrained(tmp_path / "p.onnx")), small, "cpu")
    found = relearn.measure("default", {}, walked, walks, SMALL)["probes"]
    assert set(found) == set(walks.labels)
    assert 0 <= found["terrain"]["latent"]["score"] <= 1
