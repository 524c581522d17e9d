"""Forces come, act for a while and go, for the share of time asked for; a push is a jump of velocity."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from him.env import force
from him.env.settings import Randomisation

PERIOD, MASS = 0.02, 12.0


def step(before: Tensor, left: Tensor, settings: Randomisation) -> tuple[Tensor, Tensor]:
    return force.external(before, left, torch.rand(len(left), force.DRAWS), settings, MASS, PERIOD)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.8])
def test_forces_act_for_the_share_of_time_asked_for(share: float) -> None:
    """One robot for an hour: gaps until the first period in which a force begins, and forces of 0.2 to 1 s."""
    rng, period = np.random.default_rng(0), 0.02
    begin = force.rate(Randomisation(force_share=share), period)
    on = off = 0
    while on + off < 3600 / period:
        off += rng.geometric(begin) - 1
        on += round(rng.uniform(0.2, 1.0) / period)
    assert on / (on + off) == pytest.approx(share, abs=0.01)


def test_no_force_and_always_a_force() -> None:
    assert force.rate(Randomisation(force_share=0.0), 0.02) == 0.0
    assert force.rate(Randomisation(force=0.0), 0.02) == 0.0
    assert force.rate(Randomisation(force_share=1.0), 0.02) == 1.0


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7])
def test_forces_come_and_go_for_the_share_of_time_asked_for(share: float) -> None:
    settings = replace(Randomisation.none(), force=30.0, force_share=share)
    torch.manual_seed(0)
    pushing, left, on = torch.zeros(2000, 3), torch.zeros(2000), []
    for _ in range(1000):
        pushing, left = step(pushing, left, settings)
        on.append((pushing != 0).any(-1).float().mean())
    assert torch.stack(on[200:]).mean().item() == pytest.approx(share, abs=0.01)


def test_a_push_is_a_jump_of_the_base_velocity() -> None:
    settings = replace(Randomisation.none(), push=1.0, push_seconds=0.2)
    torch.manual_seed(0)
    pushing, left = step(torch.zeros(5000, 3), torch.zeros(5000), settings)
    pushed = (pushing != 0).any(-1)
    assert pushed.float().mean().item() == pytest.approx(PERIOD / 0.2, abs=0.015)
    jump = pushing[pushed] * PERIOD / MASS
    assert (jump[:, 2] == 0).all()
    assert 0.9 < jump.abs().max() <= 1.0
    assert (left[pushed] == 1).all()
