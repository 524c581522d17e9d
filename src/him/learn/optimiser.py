"""Adam with a learning rate that lives on the device, and which skips a step that is not finite."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from him.learn import distributed


class Optimiser:
    """One gradient step, guarded without a host read.

    The fused Adam of torch takes a device flag under which it leaves weights, moments and step count
    untouched (made for mixed precision). Here the flag says that the loss or the gradient is not finite, so
    that a single NaN costs one update and not the run.
    """

    def __init__(self, parameters: Sequence[nn.Parameter], rate: Tensor, max_gradient: float) -> None:
        self.parameters = list(parameters)
        self.max_gradient = max_gradient
        on_gpu = self.parameters[0].device.type == "cuda"
        self.adam = torch.optim.Adam(self.parameters, lr=rate, eps=1e-8, fused=True, capturable=on_gpu)
        self.skipped = torch.zeros((), device=self.parameters[0].device)
        self.held: list[nn.Parameter] = []
        self.free = torch.ones_like(self.skipped)

    def hold(self, parameters: Sequence[nn.Parameter]) -> None:
        """Name those that stay as they are while `wait` says so."""
        chosen = {id(parameter) for parameter in parameters}
        self.held = [parameter for parameter in self.parameters if id(parameter) in chosen]

    def wait(self, waiting: bool) -> None:
        """Whether those held wait; to them it is then as if there had been no step."""
        self.free.fill_(not waiting)

    def step(self, loss: Tensor) -> Tensor:
        """Descend along the mean gradient of all processes; returns its norm before clipping."""
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        distributed.average_gradients(self.parameters)
        held = [(parameter, parameter.grad) for parameter in self.held if parameter.grad is not None]
        if held:
            torch._foreach_mul_([gradient for _, gradient in held], self.free)
        norm = nn.utils.clip_grad_norm_(self.parameters, self.max_gradient)
        finite = torch.isfinite(norm) & torch.isfinite(distributed.mean(loss.detach()))
        self.adam.found_inf = (~finite).float()  # type: ignore[attr-defined]
        self.adam.step()
        if held:
            torch._foreach_mul_([self.adam.state[parameter]["step"] for parameter, _ in held], self.free)
        self.skipped += ~finite
        return norm

    def state_dict(self) -> dict[str, Tensor]:
        """Flat: the place of the parameter, then the name of its moment."""
        state = {"skipped": self.skipped}
        for place, parameter in enumerate(self.parameters):
            state |= {f"{place}.{name}": value for name, value in self.adam.state[parameter].items()}
        return state

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.adam.state.clear()
        self.skipped.copy_(state["skipped"])
        for key, value in state.items():
            place, _, name = key.partition(".")
            if name:
                parameter = self.parameters[int(place)]
                self.adam.state[parameter][name] = value.to(parameter.device, copy=True)
