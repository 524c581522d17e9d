"""Hybrid internal optimisation: velocity by regression, response by swapped prediction (paper, section
3.3)."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from him.learn import distributed
from him.learn.networks import InternalModel
from him.learn.settings import HimSettings


@torch.no_grad()
def sinkhorn(scores: Tensor, epsilon: float, iterations: int) -> Tensor:
    """Assign samples to prototypes so that all prototypes are used alike; each row of the result sums to 1.

    Cosines are at most 1, so subtracting 1 keeps the exponential from overflowing, and like the factors 1/K
    and 1/B of the textbook form it cancels in the normalisations. The batch is that of all processes.
    """
    assignment = torch.exp((scores - 1.0) / epsilon)
    for _ in range(iterations):
        assignment = assignment / distributed.total(assignment.sum(0, keepdim=True))
        assignment = assignment / assignment.sum(1, keepdim=True)
    return assignment


def swapped_prediction(source: Tensor, target: Tensor, settings: HimSettings) -> Tensor:
    """Each view predicts the other's assignment from its own scores (batch, prototypes)."""
    q_source = sinkhorn(source, settings.epsilon, settings.sinkhorn_iterations)
    q_target = sinkhorn(target, settings.epsilon, settings.sinkhorn_iterations)
    log_source = F.log_softmax(source / settings.temperature, -1)
    log_target = F.log_softmax(target / settings.temperature, -1)
    agreement = q_source * log_target + q_target * log_source
    over = agreement.sum(-1) if settings.over_prototypes == "sum" else agreement.mean(-1)
    return -0.5 * over.mean()


def internal_loss(
    model: InternalModel, history: Tensor, successor: Tensor, velocity: Tensor, settings: HimSettings
) -> tuple[Tensor, dict[str, Tensor]]:
    """Loss of the internal model on one minibatch, and its parts for the log."""
    estimate, latent = model(history)
    regression = F.mse_loss(estimate, velocity)
    contrast = swapped_prediction(model.scores(latent), model.scores(model.respond(successor)), settings)
    loss = settings.velocity_weight * regression + settings.contrastive_weight * contrast
    return loss, {"loss/velocity": regression.detach(), "loss/contrastive": contrast.detach()}
