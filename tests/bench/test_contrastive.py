"""How hard the two losses pull at the encoder."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from him.bench import contrastive, trial
from him.bench.contrastive import ContrastiveSettings, bounds, look
from him.env.protocol import Sizes
from him.errors import HimError
from him.learn.him import internal_loss, swapped_prediction
from him.learn.method import Him
from him.learn.settings import HimSettings
from tests.cli import tiny
from tests.learn.conftest import small
from tests.threads import one_thread  # noqa: F401


def made(**changes: object) -> tuple[Him, tuple[torch.Tensor, ...]]:
    torch.manual_seed(0)
    settings = small()
    method = Him(Sizes(9, 6, 3), replace(settings, him=replace(settings.him, **changes)))
    history = settings.him.history
    return method, (torch.randn(256, history, 9), torch.randn(256, 9), torch.randn(256, 3))


def test_pulls_are_gradients_of_the_whole_loss_taken_apart() -> None:
    method, inputs = made()
    found = look(method, inputs)
    loss, parts = internal_loss(method.model, *inputs, method.settings.him)
    assert found["velocity_loss"] == pytest.approx(float(parts["loss/velocity"]))
    assert found["contrastive_loss"] == pytest.approx(float(parts["loss/contrastive"]))
    hidden = [p for layer in method.model.encoder[:-1] for p in layer.parameters()]
    both = torch.cat([g.flatten() for g in torch.autograd.grad(loss, hidden)]).norm()
    one, other, angle = found["velocity_pull"], found["contrastive_pull"], found["cosine"]
    assert float(both) == pytest.approx(math.sqrt(one**2 + other**2 + 2 * one * other * angle), rel=1e-4)
    assert found["share"] == pytest.approx(other / (one + other))


def test_a_weight_scales_its_pull_and_none_has_no_share() -> None:
    usual, doubled, none = (look(*made(contrastive_weight=weight))["contrastive_pull"] for weight in (1.0, 2.0, 0.0))
    assert doubled == pytest.approx(2 * usual, rel=1e-4)
    assert none == 0.0
    assert look(*made(contrastive_weight=0.0))["share"] == 0.0


def test_a_hot_softmax_hardly_pulls() -> None:
    """The release's temperature of 3 and mean over prototypes, against SwAV's."""
    release = look(*made(temperature=3.0, over_prototypes="mean"))["share"]
    swav = look(*made(temperature=0.1, over_prototypes="sum"))["share"]
    assert release < 0.2 * swav


@pytest.mark.parametrize("over", ["sum", "mean"])
@pytest.mark.parametrize("temperature", [0.1, 1.0, 3.0])
def test_bounds_are_bounds(temperature: float, over: str) -> None:
    him = HimSettings(temperature=temperature, over_prototypes=over, prototypes=32)
    limit = bounds(him)
    alike = torch.zeros(64, 32)
    assert float(swapped_prediction(alike, alike, him)) == pytest.approx(limit.uniform, rel=1e-5)
    sure = torch.full((64, 32), -1.0)
    sure[torch.arange(64), torch.arange(64) % 32] = 1.0
    assert float(swapped_prediction(sure, sure, him)) == pytest.approx(limit.floor, rel=1e-4, abs=1e-6)
    torch.manual_seed(0)
    assert float(swapped_prediction(*(2 * torch.rand(2, 64, 32) - 1), him)) >= limit.floor


def test_agreement_and_use_of_prototypes() -> None:
    method, (history, successor, _) = made(prototypes=8)
    found = contrastive.prototypes(method, history, successor)
    assert 0 <= found["agreement"] < 0.6
    assert 1 <= found["chosen"] <= 8
    with torch.no_grad():
        method.model.prototypes[1:] = -method.model.prototypes[0]
        for layer in (method.model.encoder[-1], method.model.target[-1]):
            layer.weight.zero_()
            layer.bias[-method.settings.him.latent :] = method.model.prototypes[0]
    alike = contrastive.prototypes(method, history, successor)
    assert (alike["agreement"], alike["chosen"]) == (1.0, pytest.approx(1.0))


@pytest.fixture(autouse=True)
def small_arenas(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever walks for a second does not need 50 metres."""
    monkeypatch.setattr(trial, "ARENA", 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "go1-him-0"
    assert tiny.train(path, 3) == 0
    return path


def test_a_run_is_looked_at_fresh_and_trained(folder: Path) -> None:
    found = contrastive.measure(folder, ContrastiveSettings(robots=4, rollouts=1), "cpu")
    assert (found["run"], found["samples"], found["prototypes"]) == ("go1-him-0", 3 * tiny.ENVS * tiny.ROLLOUT, 16)
    assert found["start"]["velocity_loss"] != found["end"]["velocity_loss"]
    for state in ("start", "end"):
        assert 0 < found[state]["share"] < 1
    assert found["uniform"] == pytest.approx(math.log(16))


def test_a_method_without_the_loss_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "go1-baseline-0"
    assert tiny.train(path, 1, "--method", "baseline") == 0
    with pytest.raises(HimError, match="trained baseline, which has no contrastive loss"):
        contrastive.measure(path, ContrastiveSettings(robots=2, rollouts=0), "cpu")
