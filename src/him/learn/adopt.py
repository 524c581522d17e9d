"""Weights of a policy file, to go on learning from: the way back of an export.

The file holds what a robot needs. What only training needs, such as the critic, is not in it and begins anew;
`TrainSettings.wait` lets it catch up first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from him.errors import HimError
from him.learn.export import WITHIN, read
from him.learn.light import SHORT
from him.learn.method import Method, phases
from him.learn.networks import SymmetricLinear
from him.policy.contract import Contract


@torch.no_grad()
def adopt(method: Method, name: str, path: Path) -> Contract:
    """Give a method, called `name`, the weights of a policy file; returns the file's contract."""
    model, contract = read(path)
    weights = _weights(model)
    if contract.method != name:
        raise HimError(f"{path} was trained by {contract.method}: go on with --method {contract.method}, not {name}")
    if len(phases(method)) > 1:
        raise HimError(f"{path} does not hold what the first phase of {name} needs; train it from the beginning")
    layers = dict(method.named_modules())
    places = {id(parameter): place for place, parameter in method.named_parameters()}
    for parameter in method.acting_parameters():
        place = places[id(parameter)]
        layer, _, which = place.rpartition(".")
        found = weights.get(place)
        if found is not None:
            found = _whole(layers[layer], which, found)
        if found is None or found.shape != parameter.shape:
            has = "nothing" if found is None else "x".join(map(str, found.shape))
            wanted = "x".join(map(str, parameter.shape))
            raise HimError(
                f"{path} does not fit these networks: {place} is {wanted} here and {has} there. Give the widths, the "
                "history and the symmetry that it was trained with"
            )
        parameter.copy_(found)
        owner = layers[layer]
        if isinstance(owner, SymmetricLinear) and not torch.equal(_mirrored(owner, which), found):
            raise HimError(f"{path} was trained without symmetry: give --no-symmetry")
    return contract


def _mirrored(layer: SymmetricLinear, which: str) -> Tensor:
    """What a symmetric layer makes of its weight or bias."""
    return dict(zip(("weight", "bias"), layer.both(), strict=True))[which]


def _weights(model: Any) -> dict[str, Tensor]:
    """By their names within the method."""
    from onnx import numpy_helper

    names = {weight.name.removeprefix(WITHIN).removesuffix(SHORT): weight for weight in model.graph.initializer}
    return {name: torch.tensor(numpy_helper.to_array(weight)).float() for name, weight in names.items()}


def _whole(layer: nn.Module, which: str, found: Tensor) -> Tensor:
    """A weight or bias of which a file may hold one half (`him.learn.compact`)."""
    if not isinstance(layer, SymmetricLinear) or 2 * len(found) != layer.out_features:
        return found
    if which == "bias":
        return torch.cat([found, found])
    place, sign = layer.in_place.to(found.device), layer.in_sign.to(found.device)
    return torch.cat([found, found.index_select(1, place) * sign])
