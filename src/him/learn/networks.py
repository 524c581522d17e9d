"""The networks: encoder and target encoder with prototypes, actor, critic. All are small ELU perceptrons."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from him.learn.settings import Widths


def mlp(inputs: int, hidden: Widths, outputs: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise((inputs, *hidden)):
        layers += [nn.Linear(before, after), nn.ELU()]
    return nn.Sequential(*layers, nn.Linear((inputs, *hidden)[-1], outputs))


class InternalModel(nn.Module):
    """History to an explicit velocity and an implicit response on the unit sphere (paper, section 3.2).

    The target encoder maps what really followed onto the same sphere; the prototypes are the clusters in
    which the two have to agree (section 3.3).
    """

    def __init__(
        self,
        inputs: int,
        target_inputs: int,
        velocity: int,
        latent: int,
        prototypes: int,
        hidden: Widths,
        target: Widths,
    ) -> None:
        super().__init__()
        self.velocity_size = velocity
        self.encoder = mlp(inputs, hidden, velocity + latent)
        self.target = mlp(target_inputs, target, latent)
        self.prototypes = nn.Parameter(torch.randn(prototypes, latent))

    def forward(self, history: Tensor) -> tuple[Tensor, Tensor]:
        """Velocity and unit latent of a history (batch, frames, width)."""
        out = self.encoder(history.flatten(1))
        return out[:, : self.velocity_size], F.normalize(out[:, self.velocity_size :], dim=-1)

    def respond(self, successor: Tensor) -> Tensor:
        """Unit latent of what followed."""
        return F.normalize(self.target(successor), dim=-1)

    def scores(self, latent: Tensor) -> Tensor:
        """Cosine to each prototype."""
        return latent @ F.normalize(self.prototypes, dim=-1).t()


class Actor(nn.Module):
    """Mean action of the features, with a standard deviation of its own for each joint.

    The deviation is kept as a logarithm, so it cannot become negative, and is put back between its bounds
    after every optimiser step. A clamp inside the forward pass would not do: beyond the bound its gradient is
    zero and the parameter would never come back.
    """

    def __init__(self, inputs: int, hidden: Widths, actions: int, std: float, bounds: tuple[float, float]) -> None:
        super().__init__()
        self.mean = mlp(inputs, hidden, actions)
        self.log_std = nn.Parameter(torch.full((actions,), math.log(std)))
        self.log_bounds = (math.log(bounds[0]), math.log(bounds[1]))

    def forward(self, features: Tensor) -> Tensor:
        return self.mean(features)

    @torch.no_grad()
    def constrain(self) -> None:
        self.log_std.clamp_(*self.log_bounds)


class Critic(nn.Module):
    """Value of a privileged observation."""

    def __init__(self, inputs: int, hidden: Widths) -> None:
        super().__init__()
        self.value = mlp(inputs, hidden, 1)

    def forward(self, observation: Tensor) -> Tensor:
        return self.value(observation).squeeze(-1)
