"""What a world is made of stays in the paper's ranges and depends on the seed alone."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
import torch

from him import robots
from him.env import randomisation
from him.env.presets import WORLDS
from him.env.settings import Randomisation
from him.errors import HimError
from him.sim import material
from him.sim import model as builder
from him.sim.bodies import BASE

ROBOT = robots.load("aliengo")
PAPER = Randomisation(bodies=32)


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return builder.build(ROBOT).compile()


def drawn(uniform: torch.Tensor, settings: Randomisation = PAPER) -> randomisation.Parameters:
    return randomisation.Randomiser(ROBOT, settings, torch.device("cpu"))(uniform)


def test_the_papers_table() -> None:
    """All of it stands in the preset `paper`; the default has less restitution and the rest."""
    s = WORLDS["paper"]().task.randomisation
    assert replace(s, restitution=(0.0, 0.2)) == Randomisation()
    factors = (s.base_mass, s.link_mass, s.strength, s.kp, s.kd)
    assert factors == ((0.8, 1.2),) * 5
    assert (s.com, s.payload, s.joints, s.delay, s.force) == (0.1, (-1.0, 3.0), (0.5, 1.5), 3, 30.0)
    assert (s.friction, s.restitution) == ((0.2, 2.75), (0.0, 1.0))


def test_parameters_fill_their_ranges() -> None:
    torch.manual_seed(0)
    p = drawn(torch.rand(20_000, randomisation.DRAWS))
    assert set(p.body.tolist()) == set(range(32))
    assert torch.bincount(p.delay).tolist() == pytest.approx([5000] * 4, rel=0.1)
    for values, low, high in (
        (p.friction, (0.2 + 1) / 2, (2.75 + 1) / 2),
        (p.kp[:, 0] / ROBOT.kp[0], 0.8 * 0.8, 1.2 * 1.2),
        (p.kd[:, 5] / ROBOT.kd[5], 0.8 * 0.8, 1.2 * 1.2),
    ):
        assert values.min() >= low - 1e-6
        assert values.max() <= high + 1e-6
        span = high - low
        assert values.min() < low + 0.05 * span
        assert values.max() > high - 0.05 * span


def test_motor_strength_scales_both_gains() -> None:
    weak, strong = torch.full((2, randomisation.DRAWS), 0.5).unbind()
    weak[3], strong[3] = 0.0, 1.0
    p = drawn(torch.stack([weak, strong]))
    torch.testing.assert_close(p.kp[1] / p.kp[0], torch.full((12,), 1.5))
    torch.testing.assert_close(p.kd[1] / p.kd[0], torch.full((12,), 1.5))


def test_contacts_bounce_as_the_material_says() -> None:
    uniform = torch.full((101, randomisation.DRAWS), 0.5)
    uniform[:, 2] = torch.linspace(0, 1, 101)
    highest = Randomisation().restitution[1]
    expected = [material.solref(material.restitution(highest * float(u))) for u in uniform[:, 2]]
    np.testing.assert_allclose(drawn(uniform).solref.numpy(), expected, rtol=1e-4)
    everything = torch.linspace(0, 1, 101)
    expected = [material.solref(float(e)) for e in everything]
    np.testing.assert_allclose(randomisation.solref(everything).numpy(), expected, rtol=1e-4)


def test_impedance_is_drawn_where_it_may_differ_and_changes_no_other_chance() -> None:
    torch.manual_seed(0)
    wide = replace(PAPER, impedance=(0.9, 0.98))
    assert randomisation.draws(wide) == randomisation.draws(PAPER) + 1
    uniform = torch.rand(1000, randomisation.draws(wide))
    some, plain = drawn(uniform, wide), drawn(uniform[:, :-1])
    assert 0.9 <= some.impedance.min() < 0.901
    assert 0.979 < some.impedance.max() <= 0.98
    assert abs(torch.corrcoef(torch.stack([some.impedance, uniform[:, -2]]))[0, 1]) < 0.1
    assert (plain.impedance == torch.tensor(material.IMPEDANCE)).all()
    assert all(torch.equal(a, b) for k, (a, b) in enumerate(zip(some.parts(), plain.parts(), strict=True)) if k != 3)


@pytest.mark.parametrize("limits", [(0.0, 0.9), (0.9, 1.0), (0.98, 0.9)])
def test_impossible_impedances_are_refused(limits: tuple[float, float]) -> None:
    with pytest.raises(HimError, match="impedance"):
        Randomisation(impedance=limits)


def test_none_is_the_nominal_robot(model: mujoco.MjModel) -> None:
    none = Randomisation.none()
    torch.manual_seed(0)
    p = drawn(torch.rand(50, randomisation.DRAWS), none)
    assert (p.body == 0).all()
    assert (p.delay == 0).all()
    assert (p.friction == 1).all()
    np.testing.assert_allclose(p.kp.numpy(), np.tile(ROBOT.kp, (50, 1)), rtol=1e-6)
    np.testing.assert_allclose(p.kd.numpy(), np.tile(ROBOT.kd, (50, 1)), rtol=1e-6)
    np.testing.assert_allclose(p.solref.numpy(), np.tile(material.solref(0.0), (50, 1)), rtol=1e-4)
    assert (none.joints, none.force, none.force_share, none.push) == ((1.0, 1.0), 0.0, 0.0, 0.0)
    bank = randomisation.bodies(model, none, seed=5)
    assert len(bank) == 1
    np.testing.assert_allclose(bank.rows["body_mass"][0], model.body_mass)
    np.testing.assert_allclose(bank.rows["body_ipos"][0], model.body_ipos)


def test_bodies_keep_to_their_ranges(model: mujoco.MjModel) -> None:
    rows = randomisation.bodies(model, PAPER, seed=0).rows
    nominal = model.body_mass
    base = rows["body_mass"][:, BASE]
    assert (base >= 0.8 * nominal[BASE] - 1).all()
    assert (base <= 1.2 * nominal[BASE] + 3).all()
    links = rows["body_mass"][:, BASE + 1 :] / nominal[BASE + 1 :]
    assert links.min() >= 0.8
    assert links.max() <= 1.2
    assert links.std(axis=1).min() > 0.05, "each link has a factor of its own"
    shift = rows["body_ipos"][:, BASE] - model.body_ipos[BASE]
    assert (np.abs(shift) <= 0.1).all()
    assert (np.abs(shift).max(axis=0) > 0.07).all()


def test_the_bank_depends_on_the_seed_alone(model: mujoco.MjModel) -> None:
    first, again, other = (randomisation.bodies(model, PAPER, seed) for seed in (3, 3, 4))
    for name, rows in first.rows.items():
        np.testing.assert_array_equal(rows, again.rows[name])
    assert not np.array_equal(first.rows["body_mass"], other.rows["body_mass"])
