"""Settings survive JSON, and impossible ones are refused in words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from him.errors import HimError
from him.learn.presets import PRESETS, paper, preset, release
from him.learn.settings import HimSettings, PpoSettings, TrainSettings


@pytest.mark.parametrize("name", PRESETS)
def test_settings_survive_json(name: str) -> None:
    settings = preset(name)
    assert TrainSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def test_paper_is_as_printed() -> None:
    settings = paper()
    printed = {
        "epochs": 5, "minibatches": 4, "clip": 0.2, "entropy": 0.01, "discount": 0.99, "gae": 0.95,
        "desired_kl": 0.01, "learning_rate": 1e-3, "max_gradient": 10.0,
    }  # fmt: skip
    assert {name: getattr(settings.ppo, name) for name in printed} == printed
    him = settings.him
    assert (him.prototypes, him.contrastive_weight, him.velocity_weight) == (16, 1.0, 1.0)
    assert (him.learning_rate, him.max_gradient, him.encoder, him.latent) == (1e-3, 10.0, (512, 256, 128), 16)
    assert (settings.envs, settings.rollout) == (4096, 100)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(HimError, match="choose one of default, paper, release, laptop"):
        preset("papper")
    with pytest.raises(HimError, match="has no setting colour"):
        TrainSettings.from_dict({"ppo": {"colour": 1}})


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        (PpoSettings, {"min_std": 3.0}, "min_std"),
        (PpoSettings, {"learning_rate": 1.0}, "learning_rate"),
        (PpoSettings, {"discount": 1.0}, "discount"),
        (PpoSettings, {"epochs": 0}, "epochs"),
        (PpoSettings, {"composed": 1.0}, "nobody would explore"),
        (PpoSettings, {"anchor": -1.0}, "anchor"),
        (HimSettings, {"history": 0}, "history"),
        (HimSettings, {"temperature": 0.0}, "temperature"),
        (HimSettings, {"prototypes": 1}, "prototypes"),
        (TrainSettings, {"envs": 1, "rollout": 2}, "do not fill 4 minibatches"),
        (TrainSettings, {"log_every": 0}, "log_every"),
    ],
)
def test_impossible_settings_are_refused(kind: type, changes: dict[str, float], words: str) -> None:
    with pytest.raises(HimError, match=words):
        kind(**changes)


def test_interleaving_leaves_nothing_to_re_evaluate() -> None:
    with pytest.raises(HimError, match="set ratio_reference and kl_reference to rollout"):
        replace(release(), ppo=PpoSettings())
