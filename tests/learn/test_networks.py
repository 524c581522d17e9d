"""The standard deviation of the actor keeps to its bounds and can leave them inwards."""

from __future__ import annotations

import pytest
import torch

from him.env.symmetry import Reflection, Space
from him.learn.networks import Actor, mlp


@pytest.mark.parametrize(("start", "bound"), [(-50.0, 0.05), (50.0, 2.0)])
def test_standard_deviation_returns_to_its_bounds_and_keeps_a_gradient(start: float, bound: float) -> None:
    actor = Actor(Space(3), (4,), Space(2), 1.0, (0.05, 2.0))
    actor.log_std.data.fill_(start)
    actor.constrain()
    torch.testing.assert_close(actor.log_std.exp(), torch.full((2,), bound))
    actor.log_std.sum().backward()
    assert torch.equal(actor.log_std.grad, torch.ones(2))


def test_mlp_has_an_elu_between_its_layers_and_none_at_its_end() -> None:
    names = [type(layer).__name__ for layer in mlp(Space(5), (4, 3), Space(2))]
    assert names == ["Linear", "ELU", "Linear", "ELU", "Linear"]


MIRROR = {
    "frame": [(1, 1.0), (0, 1.0), (2, -1.0), (4, -1.0), (3, -1.0)],
    "action": [(0, 1.0), (2, -1.0), (1, -1.0)],
}


def test_a_symmetric_network_answers_a_mirror_image_in_kind() -> None:
    torch.manual_seed(0)
    inputs, outputs = Space.of(MIRROR["frame"]), Space.of(MIRROR["action"])
    network, values = mlp(inputs, (8, 6), outputs), torch.randn(7, 5)
    see, act = Reflection.of(MIRROR["frame"]), Reflection.of(MIRROR["action"])
    torch.testing.assert_close(network(see(values)), act(network(values)))
    assert not torch.allclose(network(see(values)), network(values))


def test_a_symmetric_network_can_be_any_symmetric_function() -> None:
    """A layer can be any matrix with W M = M W: here half of their numbers are free, as none stays in its place."""
    pairs = Space.of([(0, 1.0)]).pairs(6)
    layer = mlp(pairs, (), pairs)[0]
    made = torch.autograd.functional.jacobian(lambda v: layer(v), torch.zeros(6))
    swap = torch.eye(6)[[3, 4, 5, 0, 1, 2]]
    torch.testing.assert_close(made @ swap, swap @ made)
    assert torch.linalg.matrix_rank(made) == 6
    wanted = torch.randn(6, 6)
    wanted = wanted + swap @ wanted @ swap
    with torch.no_grad():
        layer.weight.copy_(wanted)
        layer.bias.zero_()
    torch.testing.assert_close(layer(torch.eye(6)), wanted.T)


def test_symmetric_layers_begin_as_large_as_others() -> None:
    torch.manual_seed(0)
    pairs = Space.of([(0, 1.0)]).pairs(256)
    values = torch.randn(100, 256)
    layers = mlp(pairs, (), pairs), mlp(Space(256), (), Space(256))
    spread = [layer(values).std().item() for layer in layers]
    assert spread[0] == pytest.approx(spread[1], rel=0.1)
