"""Sinkhorn and swapped prediction against NumPy written from SwAV's definition, and the loss of HIM."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from him.env.symmetry import Space
from him.learn.him import internal_loss, sinkhorn, swapped_prediction
from him.learn.networks import InternalModel
from him.learn.settings import HimSettings


def reference_sinkhorn(scores: np.ndarray, epsilon: float, iterations: int) -> np.ndarray:
    """Textbook form: Q of shape (prototypes, samples), marginals 1/K and 1/B, all normalisations spelt
    out."""
    q = np.exp(scores / epsilon).T
    q /= q.sum()
    prototypes, samples = q.shape
    for _ in range(iterations):
        q /= q.sum(1, keepdims=True)
        q /= prototypes
        q /= q.sum(0, keepdims=True)
        q /= samples
    return (q * samples).T


def cosines(seed: int, samples: int, prototypes: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, (samples, prototypes))


def log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(2, 20), st.floats(0.03, 1.0), st.integers(1, 5))
def test_sinkhorn_is_the_textbook_form(seed: int, samples: int, prototypes: int, epsilon: float, rounds: int) -> None:
    scores = cosines(seed, samples, prototypes)
    ours = sinkhorn(torch.tensor(scores), epsilon, rounds).numpy()
    np.testing.assert_allclose(ours, reference_sinkhorn(scores, epsilon, rounds), rtol=1e-9, atol=1e-15)


def test_sinkhorn_balances_the_prototypes() -> None:
    assignment = sinkhorn(torch.tensor(cosines(0, 200, 8)), 0.5, 50)
    torch.testing.assert_close(assignment.sum(1), torch.ones(200, dtype=torch.double))
    torch.testing.assert_close(assignment.sum(0), torch.full((8,), 25.0, dtype=torch.double))


@pytest.mark.parametrize("over", ["sum", "mean"])
def test_swapped_prediction_against_numpy(over: str) -> None:
    source, target = cosines(1, 50, 6), cosines(2, 50, 6)
    chosen = HimSettings(over_prototypes=over, temperature=0.3)
    ours = swapped_prediction(torch.tensor(source), torch.tensor(target), chosen).item()
    q_source, q_target = (reference_sinkhorn(x, 0.05, 3) for x in (source, target))
    terms = q_source * log_softmax(target / 0.3) + q_target * log_softmax(source / 0.3)
    expected = -0.5 * (terms.sum(-1).mean() if over == "sum" else terms.mean())
    assert ours == pytest.approx(expected, rel=1e-10)


def test_uniform_scores_cost_the_logarithm_of_the_prototypes() -> None:
    scores = torch.zeros(32, 16)
    assert swapped_prediction(scores, scores, HimSettings()).item() == pytest.approx(np.log(16), rel=1e-5)


def model_and_batch() -> tuple[InternalModel, tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    torch.manual_seed(0)
    small = HimSettings(latent=4, prototypes=8, encoder=(16,), target=(16,))
    model = InternalModel(Space(9), Space(9), Space(3), small)
    return model, (torch.randn(64, 6, 9), torch.randn(64, 9), torch.randn(64, 3))


def test_gradient_reaches_both_encoders_and_the_prototypes() -> None:
    model, batch = model_and_batch()
    internal_loss(model, *batch, HimSettings())[0].backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


@pytest.mark.parametrize(("weight", "rows"), [("velocity_weight", slice(0, 3)), ("contrastive_weight", slice(3, None))])
def test_a_removed_loss_leaves_its_head_without_gradient(weight: str, rows: slice) -> None:
    model, batch = model_and_batch()
    internal_loss(model, *batch, replace(HimSettings(), **{weight: 0.0}))[0].backward()
    head = model.encoder[-1]
    assert isinstance(head, torch.nn.Linear)
    assert head.weight.grad is not None
    assert head.weight.grad[rows].abs().sum() == 0
    assert head.weight.grad.abs().sum() > 0


def test_latents_lie_on_the_unit_sphere() -> None:
    model, (history, successor, _) = model_and_batch()
    for latent in (model(history)[1], model.respond(successor)):
        torch.testing.assert_close(latent.norm(dim=-1), torch.ones(64))
