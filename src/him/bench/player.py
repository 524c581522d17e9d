"""A policy file as a torch function, so that thousands of robots can be driven by it on a GPU.

An exported policy is a short chain of simple operations. They are read from the file and carried out by torch:
what is measured is the file that ships.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from him.errors import HimError
from him.policy.contract import METADATA_KEY, Contract
from him.policy.find import find

Operation = Callable[..., Tensor]


def _gemm(a: Tensor, b: Tensor, c: Tensor, alpha: float = 1.0, beta: float = 1.0, transB: int = 0) -> Tensor:
    return alpha * (a @ (b.T if transB else b)) + beta * c


def _slice(x: Tensor, starts: Tensor, ends: Tensor, axes: Tensor, steps: Tensor | None = None) -> Tensor:
    for start, end, axis in zip(starts.tolist(), ends.tolist(), axes.tolist(), strict=True):
        x = x.narrow(axis, start, min(end, x.shape[axis]) - start)
    return x


def _norm(x: Tensor, axes: Tensor | None = None, keepdims: int = 1) -> Tensor:
    over = axes.tolist() if isinstance(axes, Tensor) else list(axes or [-1])
    return torch.linalg.vector_norm(x, dim=over, keepdim=bool(keepdims))


OPERATIONS: dict[str, Operation] = {
    "Gemm": _gemm,
    "Elu": lambda x, alpha=1.0: torch.nn.functional.elu(x, alpha),
    "Tanh": lambda x: torch.tanh(x),
    "Flatten": lambda x, axis=1: x.flatten(axis),
    "Gather": lambda x, i, axis=0: x.select(axis, int(i)) if i.dim() == 0 else x.index_select(axis, i),
    "Slice": _slice,
    "Concat": lambda *parts, axis: torch.cat(parts, axis),
    "ReduceL2": _norm,
    "Clip": lambda x, low=None, high=None: x.clamp(low, high),
    "Div": lambda a, b: a / b,
    "Mul": lambda a, b: a * b,
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Expand": lambda x, shape: x,
    "Shape": lambda x: torch.tensor(x.shape),
    "Identity": lambda x: x,
}


class Player:
    """Drives a batch of robots: histories (N, frames, width) in, actions and what else the policy says out."""

    def __init__(self, policy: str | Path, device: torch.device | str = "cpu") -> None:
        import onnx
        from onnx import numpy_helper

        self.path = find(policy)
        model = onnx.load(str(self.path))
        said = {prop.key: prop.value for prop in model.metadata_props}
        if METADATA_KEY not in said:
            raise HimError(f"{self.path} has no contract: it was not written by `him export`")
        self.contract = Contract.from_json(said[METADATA_KEY])
        self.weights = {w.name: torch.tensor(numpy_helper.to_array(w)).to(device) for w in model.graph.initializer}
        self.nodes = [_node(node, numpy_helper, device) for node in model.graph.node]
        self.outputs = [output.name for output in model.graph.output]
        self.input = model.graph.input[0].name

    @torch.no_grad()
    def __call__(self, history: Tensor) -> dict[str, Tensor]:
        values = self.weights | {self.input: history}
        for operation, inputs, output, attributes in self.nodes:
            values[output] = operation(*(values[name] if name else None for name in inputs), **attributes)
        return {name: values[name] for name in self.outputs}


def _node(node: Any, helper: Any, device: torch.device | str) -> tuple[Operation, list[str], str, dict[str, Any]]:
    import onnx

    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Constant":
        value = torch.tensor(helper.to_array(attributes["value"])).to(device)
        return (lambda: value), [], node.output[0], {}
    if node.op_type not in OPERATIONS:
        raise HimError(f"the policy uses {node.op_type}, which cannot be played on many robots at once")
    return OPERATIONS[node.op_type], list(node.input), node.output[0], attributes
