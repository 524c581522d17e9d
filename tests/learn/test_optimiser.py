"""The guarded Adam: equal to torch's where all is finite, without effect where something is not."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from him.learn.optimiser import Optimiser


def pair() -> tuple[nn.Linear, nn.Linear]:
    torch.manual_seed(0)
    ours, theirs = nn.Linear(4, 3), nn.Linear(4, 3)
    theirs.load_state_dict(ours.state_dict())
    return ours, theirs


def test_it_is_adam_with_clipping() -> None:
    ours, theirs = pair()
    rate = torch.tensor(1e-2)
    optimiser, adam = (
        Optimiser(list(ours.parameters()), rate, 0.5),
        torch.optim.Adam(theirs.parameters(), lr=1e-2),
    )
    for turn in range(5):
        data = torch.randn(8, 4)
        if turn == 3:
            rate.fill_(1e-3)
            adam.param_groups[0]["lr"] = 1e-3
        optimiser.step(ours(data).square().sum())
        adam.zero_grad()
        theirs(data).square().sum().backward()
        nn.utils.clip_grad_norm_(theirs.parameters(), 0.5)
        adam.step()
    torch.testing.assert_close(ours.weight, theirs.weight, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_step_that_is_not_finite_changes_nothing_and_is_counted(bad: float) -> None:
    ours, theirs = pair()
    optimiser = Optimiser(list(ours.parameters()), torch.tensor(1e-2), 1.0)
    reference = Optimiser(list(theirs.parameters()), torch.tensor(1e-2), 1.0)
    data = torch.randn(8, 4)
    for _ in range(3):
        optimiser.step(ours(data).square().sum())
        optimiser.step(ours(data * bad).square().sum())
        reference.step(theirs(data).square().sum())
    assert optimiser.skipped.item() == 3
    assert reference.skipped.item() == 0
    for name, value in reference.state_dict().items():
        if name != "skipped":
            assert torch.equal(value, optimiser.state_dict()[name])
    assert torch.equal(ours.weight, theirs.weight)


def test_a_loss_that_is_not_finite_is_caught_though_its_gradient_is() -> None:
    ours, theirs = pair()
    optimiser = Optimiser(list(ours.parameters()), torch.tensor(1e-2), 1.0)
    optimiser.step(ours(torch.ones(1, 4)).sum() + float("inf"))
    assert optimiser.skipped.item() == 1
    assert torch.equal(ours.weight, theirs.weight)


def test_those_held_wait_and_then_begin_anew() -> None:
    ours, theirs = pair()
    optimiser = Optimiser(list(ours.parameters()), torch.tensor(1e-2), 10.0)
    optimiser.hold([ours.weight])
    before, data = ours.weight.clone(), torch.randn(8, 4)
    for _ in range(3):
        optimiser.wait(True)
        optimiser.step(ours(data).square().sum())
    assert torch.equal(ours.weight, before)
    assert not torch.equal(ours.bias, theirs.bias)
    theirs.load_state_dict(ours.state_dict())
    fresh = Optimiser(list(theirs.parameters()), torch.tensor(1e-2), 10.0)
    optimiser.wait(False)
    optimiser.step(ours(data).square().sum())
    fresh.step(theirs(data).square().sum())
    assert torch.equal(ours.weight, theirs.weight), "as a first step"
