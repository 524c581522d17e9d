"""Networks for a file: of a symmetric layer only one half is stored, whose mirror image is the other.

What reads the file puts the halves together once, when it loads: nothing of that depends on an input.
"""

from __future__ import annotations

from copy import deepcopy

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from him.learn.networks import SymmetricLinear


@torch.no_grad()
def compact(network: nn.Module) -> nn.Module:
    """A copy that computes the same from fewer numbers."""
    copy = deepcopy(network)
    for module in copy.modules():
        for name, layer in module.named_children():
            if isinstance(layer, SymmetricLinear):
                setattr(module, name, _half(layer) if _paired(layer) else _whole(layer))
    return copy


class _Half(nn.Module):
    """A linear layer, the second half of whose outputs is what the first would be in the mirror."""

    place: Tensor
    sign: Tensor

    def __init__(self, weight: Tensor, bias: Tensor, place: Tensor, sign: Tensor) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)
        self.register_buffer("place", place)
        self.register_buffer("sign", sign)

    def forward(self, values: Tensor) -> Tensor:
        mirrored = self.weight.index_select(1, self.place) * self.sign
        return F.linear(values, torch.cat([self.weight, mirrored]), torch.cat([self.bias, self.bias]))


def _paired(layer: SymmetricLinear) -> bool:
    size = layer.out_features
    swapped = torch.arange(size, device=layer.out_place.device).roll(size // 2)
    return size % 2 == 0 and torch.equal(layer.out_place, swapped) and bool((layer.out_sign == 1).all())


def _half(layer: SymmetricLinear) -> _Half:
    (weight, bias), half = layer.both(), layer.out_features // 2
    return _Half(weight[:half].clone(), bias[:half].clone(), layer.in_place, layer.in_sign)


def _whole(layer: SymmetricLinear) -> nn.Linear:
    linear = nn.Linear(layer.in_features, layer.out_features).to(layer.weight)
    for kept, made in zip((linear.weight, linear.bias), layer.both(), strict=True):
        kept.copy_(made)
    return linear
