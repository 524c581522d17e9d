"""HIM with one piece taken away (paper, section 4.1): each class is what differs and nothing else."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from him.env.protocol import Sizes
from him.learn.method import Him
from him.learn.settings import TrainSettings


class Baseline(Him):
    """The source encoder is kept and trained by PPO; there is no internal model to learn."""

    frozen_features = False

    def policy_parameters(self) -> list[nn.Parameter]:
        return [*super().policy_parameters(), *self.model.encoder.parameters()]

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return []


class NoVelocityInput(Him):
    """The policy sees zeros where the estimated velocity stood."""

    def join(self, context: Tensor, velocity: Tensor, latent: Tensor) -> Tensor:
        return super().join(context, torch.zeros_like(velocity), latent)


class NoLatentInput(Him):
    """The policy sees zeros where the latent stood."""

    def join(self, context: Tensor, velocity: Tensor, latent: Tensor) -> Tensor:
        return super().join(context, velocity, torch.zeros_like(latent))


class NoVelocityLoss(Him):
    """Nothing teaches the velocity head."""

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        super().__init__(sizes, replace(settings, him=replace(settings.him, velocity_weight=0.0)))


class NoLatentLoss(Him):
    """Nothing teaches the latent, the target encoder and the prototypes."""

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        super().__init__(sizes, replace(settings, him=replace(settings.him, contrastive_weight=0.0)))
