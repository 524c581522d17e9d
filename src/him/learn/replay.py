"""A function of tensors as a CUDA graph: recorded once, then replayed.

A minibatch step is some 150 small kernels, and so is what surrounds the physics of an environment step. Launched one by
one they keep the processor busier than the GPU; as a graph they are launched together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import torch
from torch import Tensor

Result = TypeVar("Result")

WARM_UP = 3
"""Calls made as usual before recording, so that everything is compiled and allocated."""


class Replay(Generic[Result]):
    """Calls a function; on a GPU, after a few calls, by replaying it.

    Everything the function reads besides its arguments must stay where it is in memory, and what it changes it must
    change in place. What it returns is overwritten by the next call.
    """

    def __init__(self, function: Callable[..., Result], enabled: bool) -> None:
        self.function, self.enabled, self.calls = function, enabled, 0
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *inputs: Tensor) -> Result:
        if not self.enabled:
            return self.function(*inputs)
        if self.graph is None and self.calls < WARM_UP:
            self.calls += 1
            return self._aside(*inputs)
        if self.graph is None:
            self.inputs = [value.clone() for value in inputs]
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.result = self.function(*self.inputs)
        for kept, given in zip(self.inputs, inputs, strict=True):
            kept.copy_(given)
        self.graph.replay()
        return self.result

    def _aside(self, *inputs: Tensor) -> Result:
        """On a stream of its own, as recording will be: gradients remember the stream they were made on."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            result = self.function(*inputs)
        torch.cuda.current_stream().wait_stream(stream)
        return result
