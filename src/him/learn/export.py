"""A trained method as one ONNX file that needs nothing else.

The exporter of torch that works through TorchScript is used: it needs no further package, and the graph it
writes for these networks is a plain chain of matrix products, Elu and a normalisation. `onnx` itself is only needed for
the metadata.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor, nn

from him.errors import HimError, MissingExtraError
from him.learn.compact import compact
from him.learn.method import Method
from him.policy.contract import METADATA_KEY, Contract

OPSET = 17

WITHIN = "method."
"""What the names of weights in a file begin with."""


def read(path: Path) -> tuple[Any, Contract]:
    """The ONNX model of a policy file, and its contract."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("onnx", "train") from error

    model = onnx.load(str(path))
    said = {prop.key: prop.value for prop in model.metadata_props}
    if METADATA_KEY not in said:
        raise HimError(f"{path} has no contract: it was not written by `him export`")
    return model, Contract.from_json(said[METADATA_KEY])


class _Outputs(nn.Module):
    """The answers of a method in a fixed order, as the exporter wants them."""

    def __init__(self, method: Method) -> None:
        super().__init__()
        self.method = method

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        return tuple(self.method.outputs(*inputs).values())


def export(method: Method, path: Path, metadata: dict[str, Any]) -> Path:
    """Write the policy with its metadata (the contract, as JSON under the key `him`)."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("onnx", "train") from error

    weight = next(method.parameters())
    examples = {name: value.to(weight) for name, value in method.inputs().items()}
    with torch.no_grad():
        names = list(method.outputs(*examples.values()))
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        written = Path(folder) / "policy.onnx"
        warnings.simplefilter("ignore")
        torch.onnx.export(
            compact(_Outputs(method)),
            tuple(examples.values()),
            written,
            input_names=list(examples),
            output_names=names,
            dynamic_axes={name: {0: "batch"} for name in (*examples, *names)},
            opset_version=OPSET,
            do_constant_folding=False,  # else halves would be put together here
            dynamo=False,
        )
        model = onnx.load(str(written))
    onnx.helper.set_model_props(model, {METADATA_KEY: json.dumps(metadata)})
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save_model(model, str(path))
    return path
