"""The policy that knows everything: a history of whole observations, encoded and trained by PPO. Not deployable."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from him.env.protocol import Sizes
from him.learn.method import Method
from him.learn.networks import mlp
from him.learn.settings import TrainSettings


class Oracle(Method):
    """Sees what the critic sees, now and in the past (paper: "a history of full observations").

    The paper prints no network. The history goes through an encoder of HIM's widths to as many numbers as HIM's
    embedding has, and the actor sees them beside the newest whole observation.
    """

    privileged = True
    frozen_features = False

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        him, spaces = settings.him, sizes.spaces(settings.symmetry)
        whole = spaces.frame + spaces.extra
        embedding = spaces.velocity + spaces.velocity.pairs(him.latent)
        super().__init__(sizes, settings, whole + embedding)
        self.encoder = mlp(whole * him.history, him.encoder, embedding)

    def features(self, context: Tensor) -> Tensor:
        return torch.cat([context[:, 0], self.encoder(context.flatten(1))], -1)

    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        return {"action": self.actor(self.features(context))}

    def policy_parameters(self) -> list[nn.Parameter]:
        return [*super().policy_parameters(), *self.encoder.parameters()]
