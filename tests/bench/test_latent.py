"""Latents and labels of walking robots, and what probes find in latents whose content is known."""

from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch

from him.bench import latent, probes, trial
from him.bench.evaluation import TERRAINS
from him.bench.latent import LatentSettings, Walks
from him.bench.player import Player
from him.errors import HimError
from tests.bench.policies import untrained
from tests.threads import one_thread  # noqa: F401

SMALL = LatentSettings(robots=4, levels=(0, 2), seconds=1.2, instants=3)


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Walks:
    with mock.patch.object(trial, "ARENA", 2):  # whoever walks for a second does not need 50 metres
        return latent.walk(Player(untrained(tmp_path_factory.mktemp("p") / "p.onnx")), SMALL, "cpu")


def test_every_walk_has_the_labels_of_its_world(walks: Walks) -> None:
    robots = len(TERRAINS) * 2 * 4
    assert walks.latent.shape[1:] == (16,)
    assert walks.history.shape[1:] == (6 * 45,)
    assert set(walks.robot) <= set(range(robots))
    for robot in np.unique(walks.robot):
        mine = walks.robot == robot
        assert mine.sum() <= 3
        for values in walks.labels.values():
            assert len(set(values[mine])) == 1, "one trajectory, one world"
        assert walks.labels["terrain"][mine][0] == robot // 8
        assert walks.labels["level"][mine][0] == 2 * (robot // 4 % 2)
    for name in ("friction", "payload"):
        assert np.abs(walks.labels[name]).max() <= 1.0
        assert np.std(walks.labels[name]) > 0.2, "drawn from the whole range"


def test_latents_are_what_the_policy_says_of_the_history(walks: Walks, tmp_path: Path) -> None:
    player = Player(untrained(tmp_path / "p.onnx"))
    said = player(torch.from_numpy(walks.history).view(-1, 6, 45))["latent"]
    np.testing.assert_allclose(walks.latent, said.numpy(), atol=1e-5)


def test_a_policy_without_a_latent_is_refused(tmp_path: Path) -> None:
    player = Player(untrained(tmp_path / "p.onnx"))
    player.outputs = ["action"]
    with pytest.raises(HimError, match="tells no latent"):
        latent.walk(player, SMALL, "cpu")


def made_up(separation: float, robots: int = 120, each: int = 5) -> Walks:
    """Latents that know the terrain as well as they are told to, the payload exactly, and nothing of the rest."""
    rng = np.random.default_rng(0)
    robot = np.repeat(np.arange(robots), each)
    terrain, payload = robot % 4, rng.uniform(-1, 1, robots)[robot]
    x = rng.normal(size=(robots * each, 6))
    x[np.arange(len(x)), terrain] += separation
    x[:, 5] = payload
    labels = {
        "terrain": terrain,
        "level": rng.uniform(0, 9, robots)[robot],
        "friction": rng.uniform(-1, 1, robots)[robot],
        "payload": payload,
    }
    return Walks(x, rng.normal(size=(len(x), 4)), robot, labels)


def test_probes_find_what_is_there_and_nothing_else() -> None:
    found = probes.figures(made_up(6.0))
    scores = {name: about["latent"] for name, about in found["probes"].items()}
    assert scores["terrain"]["score"] > 0.95
    assert scores["payload"]["score"] > 0.99
    assert scores["friction"]["score"] < 0.1
    assert scores["level"]["score"] < 0.1
    assert found["probes"]["terrain"]["history"]["score"] < 0.4
    assert (found["trajectories"], found["instants"]) == (120, 600)
    for score in scores.values():
        assert score["low"] <= score["score"] <= score["high"]


def test_separate_terrains_have_the_larger_silhouette() -> None:
    near, far = (probes.figures(made_up(gap))["silhouette"]["latent"] for gap in (0.0, 8.0))
    assert near < 0.05
    assert far > 0.3


def test_whole_trajectories_are_held_out() -> None:
    """A latent that is a name of its trajectory helps nobody to read a label that belongs to the trajectory."""
    rng = np.random.default_rng(0)
    robot = np.repeat(np.arange(40), 20)
    label = rng.uniform(-1, 1, 40)[robot]
    name = np.eye(40)[robot]
    held = probes.held_out(robot, 0)
    assert 0.2 < held.mean() < 0.3
    assert not set(robot[held]) & set(robot[~held])
    assert probes.probe(name, label, robot, held, classes=False)["score"] < 0.1


def test_the_picture_has_a_place_for_every_point() -> None:
    picture = probes.picture(made_up(4.0), points=60)
    assert np.array(picture["place"]).shape == (60, 2)
    assert set(picture["terrain"]) <= {0, 1, 2, 3}


def test_the_page_names_policies_and_sources() -> None:
    figures = {"title": "HIM", "policy": "aliengo"} | probes.figures(made_up(4.0))
    page = latent.markdown({"robot": "aliengo", "policies": {"him": figures}})
    assert "| HIM | latent |" in page
    assert "| HIM | history |" in page


@pytest.mark.parametrize("wrong", [{"robots": 2}, {"instants": 0}, {"seconds": 0.5}])
def test_too_little_to_look_at_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(HimError, match="at least 4 robots"):
        LatentSettings(**wrong)
