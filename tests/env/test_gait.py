"""Phases, clocks, contact schedule and footholds, against figures worked out by hand and Python's own statistics."""

from statistics import NormalDist

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from him.env import factors, gait
from him.env.behaviour import GAITS
from him.env.symmetry import Reflection, standard
from him.policy.terms import BEHAVIOUR

PRONK, TROT, BOUND, PACE = GAITS
turns = st.floats(0.0, 0.999)


def behaviour(offsets: tuple[float, float, float] = TROT, **changes: float) -> torch.Tensor:
    values = {"height": 0.0, "frequency": 3.0, "duty": 0.5, "swing": 0.08, "pitch": 0.0, "roll": 0.0}
    values |= {"width": 0.25, "length": 0.4} | dict(zip(("phase", "offset", "bound"), offsets, strict=True)) | changes
    return torch.tensor([[values[name] for name in BEHAVIOUR]])


def phases(turn: float, offsets: tuple[float, float, float]) -> list[float]:
    return gait.foot_phases(torch.tensor([turn]), behaviour(offsets))[0].tolist()


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        (PRONK, [0.1, 0.1, 0.1, 0.1]),
        (TROT, [0.6, 0.1, 0.1, 0.6]),
        (BOUND, [0.6, 0.6, 0.1, 0.1]),
        (PACE, [0.6, 0.1, 0.6, 0.1]),
    ],
)
def test_feet_go_together_as_the_gait_has_it(offsets: tuple[float, float, float], expected: list[float]) -> None:
    assert phases(0.1, offsets) == pytest.approx(expected)


@given(turns)
def test_in_a_trot_diagonal_feet_are_in_phase_and_the_pairs_half_a_step_apart(turn: float) -> None:
    fl, fr, rl, rr = phases(turn, TROT)
    assert (fl, fr) == (rr, rl)
    assert abs(fl - fr) == pytest.approx(0.5, abs=1e-6)
    contact = gait.desired_contact(gait.foot_phases(torch.tensor([turn]), behaviour(TROT)))[0]
    assert contact.sum().item() == pytest.approx(2.0, abs=1e-3), "two feet stand at any time"


def test_clocks_of_a_trot() -> None:
    clocks = gait.clocks(torch.tensor([0.1]), behaviour(TROT))[0]
    np.testing.assert_allclose(clocks.numpy(), [-0.5878, 0.5878, 0.5878, -0.5878], atol=1e-4)


def test_the_contact_schedule_is_a_soft_step() -> None:
    known = {0: 0.5, 0.05: 0.76247, 0.1: 0.92344, 0.15: 0.98394, 0.25: 0.99964, 0.4: 0.92344, 0.5: 0.5}
    known |= {0.55: 0.23753, 0.6: 0.07656, 0.75: 0.00036, 0.9: 0.07656, 0.95: 0.23753}
    got = gait.desired_contact(torch.tensor(list(known), dtype=torch.float64))
    np.testing.assert_allclose(got.numpy(), list(known.values()), atol=1e-5)


@given(st.floats(0.0, 1.0))
def test_the_contact_schedule_is_made_of_normal_distributions(phase: float) -> None:
    cdf = NormalDist(0.0, 0.07).cdf
    expected = cdf(phase) * (1 - cdf(phase - 0.5)) + cdf(phase - 1) * (1 - cdf(phase - 1.5))
    assert gait.desired_contact(torch.tensor(phase, dtype=torch.float64)).item() == pytest.approx(expected, abs=1e-12)


def test_the_duty_stretches_the_time_on_the_ground() -> None:
    long = behaviour(duty=0.75)
    warped = gait.warp(torch.tensor([[0.0, 0.375, 0.75, 0.875]]), long)[0]
    np.testing.assert_allclose(warped.numpy(), [0.0, 0.25, 0.5, 0.75])
    same = torch.rand(1, 4)
    torch.testing.assert_close(gait.warp(same, behaviour()), same)


def test_a_foot_rises_to_the_middle_of_its_swing() -> None:
    at = torch.tensor([0.0, 0.3, 0.5, 0.55, 0.625, 0.75, 0.9])
    np.testing.assert_allclose(gait.swing_profile(at).numpy(), [0, 0, 0, 0.2, 0.5, 1.0, 0.4], atol=1e-6)


def test_footholds_follow_raibert() -> None:
    """1 m/s, 0.5 rad/s, three steps a second; worked out by hand. Going sideways does not enter."""
    command = torch.tensor([[1.0, 0.7, 0.5]])
    got = gait.footholds(torch.tensor([[0.6, 0.1, 0.1, 0.6]]), behaviour(TROT), command)[0]
    # a foot that just stands is ahead by 0.3 of half a stride's way, one in mid-air behind by as much
    ahead = np.array([-0.3, 0.3, 0.3, -0.3]) * 0.5 / 3
    x, y = np.array([0.2, 0.2, -0.2, -0.2]), np.array([0.125, -0.125, 0.125, -0.125])
    np.testing.assert_allclose(got.numpy(), np.stack([x + ahead * 1.0, y + ahead * 0.5 * x], -1), atol=1e-6)
    np.testing.assert_allclose(got[:2].numpy(), [[0.15, 0.12], [0.25, -0.12]], atol=1e-6)


@pytest.mark.parametrize("offsets", GAITS)
def test_the_mirror_image_of_a_gait_is_the_same_gait(offsets: tuple[float, float, float]) -> None:
    """Left and right exchanged, the clocks are those of the same offsets now or half a step later."""
    turn = torch.tensor([0.13])
    mirrored = gait.clocks(turn, behaviour(offsets))[:, [1, 0, 3, 2]]
    same = [gait.clocks(turn + late, behaviour(offsets)) for late in (0.0, 0.5)]
    assert any(torch.allclose(mirrored, clocks, atol=1e-5) for clocks in same)


def test_frames_and_factors_have_mirror_images_too() -> None:
    images = standard((17, 11), gait.TERMS, factors.MIRROR)
    mirror = {name: Reflection.of(values) for name, values in images.items()}
    frame, extra = torch.randn(5, 69), torch.randn(5, 193 + len(factors.NAMES))
    for reflect, values in ((mirror["frame"], frame), (mirror["extra"], extra)):
        assert torch.equal(reflect(reflect(values)), values)
    assert torch.equal(mirror["frame"](frame)[:, -4:], frame[:, [66, 65, 68, 67]]), "the clocks of left and right"
    told = dict(zip(factors.NAMES, mirror["extra"](extra)[:, -len(factors.NAMES) :].unbind(-1), strict=True))
    original = dict(zip(factors.NAMES, extra[:, -len(factors.NAMES) :].unbind(-1), strict=True))
    assert torch.equal(told.pop("com_y"), -original.pop("com_y"))
    assert all(torch.equal(told[name], original[name]) for name in told)
