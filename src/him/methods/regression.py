"""The internal model learned by regression: predict the successor frame instead of telling successors apart.

The paper cites DreamWaQ for it. HIM's encoder, labels and schedule stay; prototypes, target encoder and Sinkhorn go,
and a decoder comes. `Regression` is variational as DreamWaQ is, `PlainRegression` is not.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from him.env.protocol import VELOCITY_SIZE, Sizes
from him.learn.method import Logs, Method
from him.learn.networks import mlp
from him.learn.rollout import View
from him.learn.settings import TrainSettings

DECODER = (64, 128)
"""Hidden widths of DreamWaQ's decoder; its output is the successor frame."""

BETA = 0.35
"""Weight of the KL, all terms as means. DreamWaQ prints none; at 1 the latent was seen to collapse under domain
randomisation, at 0.35 it stayed alive."""

LOG_VARIANCE = (-5.0, 5.0)
"""Bounds of the logarithm of the variance."""


class PlainRegression(Method):
    """Velocity and successor by mean squared error, the latent free."""

    heads = 1

    def __init__(self, sizes: Sizes, settings: TrainSettings) -> None:
        him, spaces = settings.him, sizes.spaces(settings.symmetry)
        latent = spaces.velocity.pairs(him.latent)
        super().__init__(sizes, settings, spaces.frame + spaces.velocity + latent)
        self.encoder = mlp(spaces.frame * him.history, him.encoder, spaces.velocity + latent * self.heads)
        self.decoder = mlp(spaces.velocity + latent, DECODER, spaces.frame)

    def embed(self, context: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Velocity, latent, and what else the encoder says of the latent."""
        said, end = self.encoder(context.flatten(1)), VELOCITY_SIZE + self.settings.him.latent
        return said[:, :VELOCITY_SIZE], said[:, VELOCITY_SIZE:end], said[:, end:]

    def features(self, context: Tensor) -> Tensor:
        velocity, latent, _ = self.embed(context)
        return torch.cat([context[:, 0], velocity, latent], -1)

    def outputs(self, context: Tensor) -> dict[str, Tensor]:
        velocity, latent, _ = self.embed(context)
        action = self.actor(torch.cat([context[:, 0], velocity, latent], -1))
        return {"action": action, "velocity": velocity / self.settings.him.velocity_scale, "latent": latent}

    def auxiliary_parameters(self) -> list[nn.Parameter]:
        return [*self.encoder.parameters(), *self.decoder.parameters()]

    def auxiliary_inputs(self, view: View) -> tuple[Tensor, ...]:
        history = view.history()
        noise = torch.randn_like(history[:, 0, : self.settings.him.latent])
        return history, view.successor(), self.velocity_label(view), noise

    def auxiliary_loss(self, *inputs: Tensor) -> tuple[Tensor, Logs]:
        history, successor, label, noise = inputs
        velocity, latent, rest = self.embed(history)
        code, divergence = self.code(latent, rest, noise)
        predicted = self.decoder(torch.cat([velocity, code], -1))
        losses = {
            "loss/velocity": nn.functional.mse_loss(velocity, label),
            "loss/reconstruction": nn.functional.mse_loss(predicted, successor),
            "loss/divergence": divergence,
        }
        taught = self.settings.him.velocity_weight * losses["loss/velocity"]
        total = taught + losses["loss/reconstruction"] + BETA * divergence
        return total, {name: value.detach() for name, value in losses.items()}

    def code(self, latent: Tensor, rest: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """What the decoder reads, and what it costs."""
        return latent, latent.new_zeros(())


class Regression(PlainRegression):
    """DreamWaQ's variational encoder: the policy sees the mean, the decoder a sample."""

    heads = 2

    def code(self, latent: Tensor, rest: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        log_variance = rest.clamp(*LOG_VARIANCE)
        divergence = 0.5 * (latent.square() + log_variance.exp() - 1.0 - log_variance).mean()
        return latent + noise * (0.5 * log_variance).exp(), divergence
