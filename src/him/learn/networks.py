"""The networks: encoder and target encoder with prototypes, actor, critic. All are small ELU perceptrons.

Where left and right can be exchanged they are built so that the mirror image of an input gives the mirror image of the
output, exactly and at no cost: the second half of each hidden layer is what the first would be in the mirror.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from him.env.symmetry import Reflection, Space
from him.learn.settings import HimSettings, Widths

ALIGNED = 8
"""Tensor cores read rows in whole words of 16 bytes; for a width of 238 a slower kernel would be taken."""


def mlp(inputs: Space, hidden: Widths, outputs: Space) -> nn.Sequential:
    """Symmetric if its inputs and outputs have mirror images."""
    spaces = (inputs, *(inputs.pairs(width) for width in hidden), outputs)
    layers: list[nn.Module] = []
    for before, after in pairwise(spaces):
        plain = before.images is None or after.images is None
        layers += [Linear(before.size, after.size) if plain else SymmetricLinear(before, after), nn.ELU()]
    return nn.Sequential(*layers[:-1])


class Linear(nn.Linear):
    """A linear layer of any width that is as fast as one of a round width."""

    def forward(self, values: Tensor) -> Tensor:
        weight, bias = self.both()
        spare = -self.in_features % ALIGNED if values.is_cuda else 0
        if spare:
            values, weight = F.pad(values, (0, spare)), F.pad(weight, (0, spare))
        return F.linear(values, weight, bias)

    def both(self) -> tuple[Tensor, Tensor]:
        """Weight and bias."""
        return self.weight, self.bias


class SymmetricLinear(Linear):
    """A linear layer W with W M x = M W x for the reflections M of inputs and outputs: the mean of V and M V M, where V
    is the parameter. That mean is a smaller matrix, so V begins larger."""

    in_place: Tensor
    in_sign: Tensor
    out_place: Tensor
    out_sign: Tensor

    def __init__(self, inputs: Space, outputs: Space) -> None:
        super().__init__(inputs.size, outputs.size)
        for name, space in (("in", inputs), ("out", outputs)):
            reflect = Reflection.of(space.images or ())
            self.register_buffer(f"{name}_place", reflect.place, persistent=False)
            self.register_buffer(f"{name}_sign", reflect.sign, persistent=False)
        with torch.no_grad():
            self.weight *= math.sqrt(2)

    def both(self) -> tuple[Tensor, Tensor]:
        rows, columns = (self.out_place, self.out_sign), (self.in_place, self.in_sign)
        return _symmetric(self.weight, *rows, *columns), _symmetric(self.bias, *rows, None, None)


class _Symmetric(torch.autograd.Function):
    """The mean of a matrix or vector and its mirror image. A projection, and so its own derivative: left to itself
    autograd would scatter what can as well be gathered."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, *mirror: Any) -> Tensor:
        ctx.save_for_backward(*mirror)
        return _mean(values, *mirror)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        return _mean(gradient, *ctx.saved_tensors), None, None, None, None


_symmetric = _Symmetric.apply


def _mean(
    values: Tensor, row_place: Tensor, row_sign: Tensor, column_place: Tensor | None, column_sign: Tensor | None
) -> Tensor:
    if column_place is None or column_sign is None:
        return 0.5 * (values + values.index_select(0, row_place) * row_sign)
    mirrored = values.index_select(1, column_place).index_select(0, row_place)
    return 0.5 * (values + mirrored * column_sign * row_sign[:, None])


class InternalModel(nn.Module):
    """History to an explicit velocity and an implicit response on the unit sphere (paper, section 3.2).

    The target encoder maps what really followed onto the same sphere; the prototypes are the clusters in
    which the two have to agree (section 3.3).
    """

    def __init__(self, frame: Space, target: Space, velocity: Space, him: HimSettings) -> None:
        """`target` is what the target encoder reads."""
        super().__init__()
        self.velocity_size = velocity.size
        made_up = velocity.pairs(him.latent)
        self.encoder = mlp(frame * him.history, him.encoder, velocity + made_up)
        self.target = mlp(target, him.target, made_up)
        self.prototypes = nn.Parameter(torch.randn(him.prototypes, him.latent))

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

    def __init__(self, inputs: Space, hidden: Widths, actions: Space, std: float, bounds: tuple[float, float]) -> None:
        super().__init__()
        self.mean = mlp(inputs, hidden, actions)
        self.log_std = nn.Parameter(torch.full((actions.size,), math.log(std)))
        self.log_bounds = (math.log(bounds[0]), math.log(bounds[1]))

    def forward(self, features: Tensor) -> Tensor:
        return self.mean(features)

    @torch.no_grad()
    def constrain(self) -> None:
        self.log_std.clamp_(*self.log_bounds)


class Critic(nn.Module):
    """Value of a privileged observation."""

    def __init__(self, inputs: Space, hidden: Widths) -> None:
        super().__init__()
        self.value = mlp(inputs, hidden, inputs.same(1))

    def forward(self, observation: Tensor) -> Tensor:
        return self.value(observation).squeeze(-1)
