"""A policy file of half the size: its weights are kept with 16 bits and widened when it is loaded.

Every computation stays one of 32 bits. What the rounding does to the actions is far below the noise of the sensors.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from him.errors import HimError, MissingExtraError

SMALLEST = 64
"""Numbers from which on a tensor is worth it."""

SHORT = ".short"
"""What the name of a weight of 16 bits ends with."""


def lighten(source: Path, target: Path) -> Path:
    """Write a policy file anew with weights of 16 bits."""
    try:
        import onnx
    except ImportError as error:
        raise MissingExtraError("onnx", "train") from error

    model = onnx.load(str(source))
    graph, casts = model.graph, []
    for weight in graph.initializer:
        values = onnx.numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < SMALLEST:
            continue
        with np.errstate(over="ignore"):
            short = values.astype(np.float16)
        if not np.isfinite(short).all():
            raise HimError(f"{source}: {weight.name} has numbers that 16 bits cannot hold; keep the file as it is")
        name = weight.name
        weight.CopyFrom(onnx.numpy_helper.from_array(short, name + SHORT))
        casts.append(onnx.helper.make_node("Cast", [name + SHORT], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    target.parent.mkdir(parents=True, exist_ok=True)
    onnx.save_model(model, str(target))
    return target
