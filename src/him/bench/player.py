"""A policy file as a torch function, so that thousands of robots can be driven by it on a GPU.

An exported policy is a short chain of simple operations. They are read from the file and carried out by torch:
what is measured is the file that ships.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from him import robots
from him.errors import HimError
from him.learn.export import read
from him.policy.find import find
from him.robots import Robot

Operation = Callable[..., Tensor]

Node = tuple[Operation, list[str], str, dict[str, Any]]
"""What to do, with what, what it is called, and how."""


def _gemm(a: Tensor, b: Tensor, c: Tensor, alpha: float = 1.0, beta: float = 1.0, transB: int = 0) -> Tensor:
    return alpha * (a @ (b.T if transB else b)) + beta * c


def _slice(x: Tensor, starts: Tensor, ends: Tensor, axes: Tensor, steps: Tensor | None = None) -> Tensor:
    parts = [slice(None)] * x.dim()
    for start, end, axis in zip(starts.tolist(), ends.tolist(), axes.tolist(), strict=True):
        parts[axis] = slice(start, end)
    return x[tuple(parts)]


def _norm(x: Tensor, axes: Tensor | None = None, keepdims: int = 1) -> Tensor:
    over = axes.tolist() if isinstance(axes, Tensor) else list(axes or [-1])
    return torch.linalg.vector_norm(x, dim=over, keepdim=bool(keepdims))


def _conv(x: Tensor, weight: Tensor, bias: Tensor, strides: list[int], **_: Any) -> Tensor:
    return torch.nn.functional.conv1d(x, weight, bias, strides[0])


def _unsqueeze(x: Tensor, axes: Tensor) -> Tensor:
    for axis in axes.tolist():
        x = x.unsqueeze(axis)
    return x


TYPES = {1: torch.float32, 7: torch.int64, 9: torch.bool, 11: torch.float64}
"""By their numbers in ONNX."""

OPERATIONS: dict[str, Operation] = {
    "Gemm": _gemm,
    "MatMul": lambda a, b: a @ b,
    "Conv": _conv,
    "Transpose": lambda x, perm: x.permute(perm),
    "Elu": lambda x, alpha=1.0: torch.nn.functional.elu(x, alpha),
    "Tanh": lambda x: torch.tanh(x),
    "Sin": lambda x: torch.sin(x),
    "Floor": lambda x: torch.floor(x),
    "Less": lambda a, b: a < b,
    "Where": lambda chosen, a, b: torch.where(chosen, a, b),
    "Unsqueeze": _unsqueeze,
    "Flatten": lambda x, axis=1: x.flatten(axis),
    "Gather": lambda x, i, axis=0: x.select(axis, int(i)) if i.dim() == 0 else x.index_select(axis, i.to(x.device)),
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
    "Cast": lambda x, to: x.to(TYPES[to]),
}


class Player:
    """Drives a batch of robots: histories (N, frames, width) in, actions and what else the policy says out."""

    def __init__(self, policy: str | Path, device: torch.device | str = "cpu") -> None:
        from onnx import numpy_helper

        self.path = find(policy)
        model, self.contract = read(self.path)
        self.weights = {w.name: _tensor(numpy_helper.to_array(w), device) for w in model.graph.initializer}
        self.inputs = [tensor.name for tensor in model.graph.input]
        self.nodes = self._settle([_node(node, numpy_helper, device) for node in model.graph.node])
        self.outputs = [output.name for output in model.graph.output]
        self.behaviour = torch.tensor(self.contract.behaviour, device=device)

    @property
    def robot(self) -> Robot:
        """Which it drives."""
        return robots.near(self.contract.robot, self.path)

    @torch.no_grad()
    def _settle(self, nodes: list[Node]) -> list[Node]:
        """Carry out once what depends on no input; the others are left."""
        left = []
        for operation, inputs, output, attributes in nodes:
            if all(not name or name in self.weights for name in inputs):
                given = (self.weights[name] if name else None for name in inputs)
                self.weights[output] = operation(*given, **attributes)
            else:
                left.append((operation, inputs, output, attributes))
        return left

    @torch.no_grad()
    def __call__(self, history: Tensor, time: Tensor | None = None) -> dict[str, Tensor]:
        """`time` (N, 1) is seconds since each robot began to walk, for policies with a clock."""
        known = {"obs": history, "time": time, "behaviour": self.behaviour.expand(len(history), -1)}
        values: dict[str, Any] = self.weights | {name: known[name] for name in self.inputs}
        for operation, inputs, output, attributes in self.nodes:
            values[output] = operation(*(values[name] if name else None for name in inputs), **attributes)
        return {name: values[name] for name in self.outputs}


def _tensor(array: Any, device: torch.device | str) -> Tensor:
    """Numbers go to the device; places and shapes stay here, where they are read."""
    tensor = torch.tensor(array)
    return tensor.to(device) if tensor.is_floating_point() else tensor


def _node(node: Any, helper: Any, device: torch.device | str) -> Node:
    import onnx

    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    if node.op_type == "Constant":
        value = _tensor(helper.to_array(attributes["value"]), device)
        return (lambda: value), [], node.output[0], {}
    if node.op_type == "ConstantOfShape":
        fill = float(helper.to_array(attributes["value"])[0])
        return (lambda shape: torch.full(shape.tolist(), fill, device=device)), list(node.input), node.output[0], {}
    if node.op_type not in OPERATIONS:
        raise HimError(f"the policy uses {node.op_type}, which cannot be played on many robots at once")
    return OPERATIONS[node.op_type], list(node.input), node.output[0], attributes
