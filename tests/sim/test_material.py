"""Friction and restitution against an independent little simulation of one contact."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from him.env import randomisation
from him.sim import material
from him.sim.engine import SUBSTEP


def test_coefficients_are_averaged_with_the_ground() -> None:
    assert [material.friction(mu, 1.0) for mu in (0.2, 1.0, 2.75)] == pytest.approx([0.6, 1.0, 1.875])
    assert [material.restitution(e) for e in (0.0, 0.5, 1.0)] == pytest.approx([0.0, 0.25, 0.5])


def test_a_dead_contact_is_damped_as_much_as_a_substep_allows() -> None:
    """Beyond the critical for its grip, but not so that its damping alone would throw it back."""
    stiffness, damping = material.solref(0.0)
    assert stiffness == -(material.FREQUENCY**2)
    assert damping == pytest.approx(-2 * material.FREQUENCY * (1 + material.GRIP), rel=0.02)
    assert -damping * SUBSTEP < 1


@given(st.floats(0, 1), st.floats(0, 1))
def test_more_restitution_is_less_damping(a: float, b: float) -> None:
    (_, low), (_, high) = material.solref(min(a, b)), material.solref(max(a, b))
    assert low <= high < 0


@settings(deadline=None)
@given(st.lists(st.floats(0, 1, width=32), min_size=1, max_size=20))
def test_batches_are_the_same_row_by_row(restitutions: list[float]) -> None:
    rows = randomisation.solref(torch.tensor(restitutions))
    expected = torch.tensor([material.solref(e) for e in restitutions])
    torch.testing.assert_close(rows, expected, rtol=1e-4, atol=1e-3)


def bounce(e: float, speed: float, height: float) -> float:
    """Speed after a bounce over speed before: a unit mass on the contact's spring, which never pulls.

    MuJoCo's contact for one mass: the constraint moves the acceleration towards its reference by the
    impedance, and the step is semi-implicit.
    """
    stiffness, damping = (-x for x in material.solref(e))
    z, v = height, -speed
    for _ in range(400):
        a = free = -9.81
        if z < 0:
            wanted = -damping * v - stiffness * z
            a = free + material.IMPEDANCE * max(wanted - free, 0.0)
        v += SUBSTEP * a
        z += SUBSTEP * v
        if z > 0 and v > 0:
            return v / speed
    return 0.0


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.7, 0.9, 0.95])
def test_a_bounce_returns_its_share_whatever_the_phase(e: float) -> None:
    """Drops from 0.1 to 1 m that meet the ground anywhere within a substep."""
    for speed in np.sqrt(2 * 9.81 * np.linspace(0.1, 1.0, 10)):
        ratios = [bounce(e, speed, phase * speed * SUBSTEP) for phase in np.linspace(0.0, 0.99, 12)]
        assert np.mean(ratios) == pytest.approx(e, abs=0.1)
        assert max(ratios) < 1.0
