"""The standard deviation of the actor keeps to its bounds and can leave them inwards."""

from __future__ import annotations

import pytest
import torch

from him.learn.networks import Actor, mlp


@pytest.mark.parametrize(("start", "bound"), [(-50.0, 0.05), (50.0, 2.0)])
def test_standard_deviation_returns_to_its_bounds_and_keeps_a_gradient(start: float, bound: float) -> None:
    actor = Actor(3, (4,), 2, 1.0, (0.05, 2.0))
    actor.log_std.data.fill_(start)
    actor.constrain()
    torch.testing.assert_close(actor.log_std.exp(), torch.full((2,), bound))
    actor.log_std.sum().backward()
    assert torch.equal(actor.log_std.grad, torch.ones(2))


def test_mlp_has_an_elu_between_its_layers_and_none_at_its_end() -> None:
    names = [type(layer).__name__ for layer in mlp(5, (4, 3), 2)]
    assert names == ["Linear", "ELU", "Linear", "ELU", "Linear"]
