"""The bank of bodies against models compiled from tables that were changed by hand."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from him import robots
from him.sim import model as builder
from him.sim.bodies import BASE, FIELDS, Bodies, Change

ALIENGO = robots.load("aliengo")
MODEL = builder.build(ALIENGO).compile()
LINKS = MODEL.nbody - 2


def changed_by_hand(change: Change) -> mujoco.MjModel:
    """The same change made in the specification, compiled from scratch."""
    spec = builder.build(ALIENGO)
    scales = np.broadcast_to(change.link_scale, LINKS)
    for body in spec.bodies[1:]:
        index = MODEL.body(body.name).id
        scale = change.base_scale + change.payload / body.mass if index == BASE else scales[index - BASE - 1]
        body.mass *= scale
        body.fullinertia = np.array(body.fullinertia) * scale
        if index == BASE:
            body.ipos = np.array(body.ipos) + change.com_shift
    return spec.compile()


CHANGES = [
    Change(),
    Change(base_scale=1.2),
    Change(link_scale=0.8),
    Change(link_scale=np.linspace(0.8, 1.2, LINKS)),
    Change(payload=3.0),
    Change(com_shift=(0.1, -0.1, 0.05)),
    Change(0.9, 1.1, -1.0, (-0.03, 0.02, 0.1)),
]


def test_rows_are_those_of_models_compiled_with_the_change() -> None:
    bank = Bodies(MODEL, CHANGES)
    assert len(bank) == len(CHANGES)
    for i, change in enumerate(CHANGES):
        model = changed_by_hand(change)
        for name in FIELDS:
            np.testing.assert_allclose(
                bank.rows[name][i], getattr(model, name), rtol=1e-6, atol=1e-12, err_msg=f"{name} {change}"
            )


def test_the_nominal_model_is_left_alone() -> None:
    before = {name: getattr(MODEL, name).copy() for name in FIELDS}
    Bodies(MODEL, CHANGES)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(MODEL, name), value)


def test_every_constant_that_a_change_moves_is_in_the_bank() -> None:
    """But for those that only the compiler and sleeping bodies use."""
    nominal, model = changed_by_hand(Change()), changed_by_hand(CHANGES[-1])
    unused = {"dof_M0", "dof_length", "actuator_acc0"}
    for name in dir(model):
        if name.startswith(("body_", "dof_", "actuator_", "jnt_")) and name not in {*FIELDS, *unused}:
            value = getattr(model, name)
            if isinstance(value, np.ndarray):
                np.testing.assert_allclose(value, getattr(nominal, name), atol=1e-12, err_msg=name)


@pytest.mark.parametrize("change", [Change(base_scale=0.0), Change(payload=-50.0), Change(link_scale=-1.0)])
def test_a_body_without_mass_is_refused(change: Change) -> None:
    with pytest.raises(ValueError, match="no mass"):
        Bodies(MODEL, [change])


def test_an_empty_bank_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        Bodies(MODEL, [])


def test_the_payload_is_added_to_the_base() -> None:
    heavy = Bodies(MODEL, [Change(payload=2.5), replace(Change(), base_scale=1.2)])
    masses = heavy.rows["body_mass"]
    assert masses[0].sum() - MODEL.body_mass.sum() == pytest.approx(2.5)
    assert masses[1, BASE] == pytest.approx(1.2 * ALIENGO.trunk.mass)
