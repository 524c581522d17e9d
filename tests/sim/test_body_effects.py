"""The table's rows on masses, seen in the motion: base, links, payload and centre of mass.

Numbers come from statics and from MuJoCo alone on a table that was changed by hand.
"""

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
import torch

from him import robots
from him.robots import Robot
from him.sim import material
from him.sim import model as builder
from him.sim.bodies import Bodies, Change
from him.sim.engine import Engine
from him.terrain import flat
from tests.sim import worlds
from tests.sim.worlds import GRAVITY

GO2 = robots.load("go2")


def heavier(robot: Robot, change: Change) -> Robot:
    """The robot's table changed by hand, as the row says."""
    base = change.base_scale + change.payload / robot.trunk.mass
    legs = {name: _scaled(getattr(robot.leg, name), float(change.link_scale)) for name in robots.LEGS}
    trunk = replace(robot.trunk, mass=robot.trunk.mass * base, com=robot.trunk.com + change.com_shift)
    return replace(robot, trunk=trunk, leg=replace(robot.leg, **legs))


def _scaled(leg: Any, factor: float) -> Any:
    parts = {name: getattr(leg, name) for name in ("hip", "thigh", "calf", "foot")}
    return replace(leg, **{name: replace(part, mass=part.mass * factor) for name, part in parts.items()})


CHANGES = {
    "nominal": Change(),
    "heavy base": Change(base_scale=1.2),
    "light base": Change(base_scale=0.8),
    "heavy links": Change(link_scale=1.2),
    "payload": Change(payload=3.0),
    "taken off": Change(payload=-1.0),
    "forward": Change(com_shift=(0.05, 0.0, 0.0)),
    "left": Change(com_shift=(0.0, 0.05, 0.02)),
}


@pytest.fixture(params=worlds.KINDS, scope="module")
def stood(request: pytest.FixtureRequest) -> Engine:
    """One world a changed body, each standing still by now."""
    bank = Bodies(builder.build(GO2).compile(), list(CHANGES.values()))
    engine = worlds.make(request.param, GO2, flat(4.0), len(CHANGES), bank)
    parameters = worlds.nominal(engine, GO2.stand_kp, GO2.stand_kd)
    numbers = torch.arange(len(CHANGES), dtype=torch.int32, device=engine.device)
    worlds.run(engine, worlds.stand(engine, GO2, replace(parameters, body=numbers)), 75)
    return engine


@pytest.mark.parametrize(("index", "name"), list(enumerate(CHANGES)))
def test_a_changed_body_stands_as_statics_says(stood: Engine, index: int, name: str) -> None:
    """Weight on the feet, centre of pressure below the centre of mass, and joints that sag by torque / kp."""
    robot = heavier(GO2, CHANGES[name])
    model = builder.build(robot).compile()
    data = mujoco.MjData(model)
    data.qpos[:] = stood.qpos[index].cpu()
    mujoco.mj_forward(model, data)
    feet = [i for i, collider in enumerate(stood.colliders) if collider.endswith("foot")]
    force = stood.contact_force[index, feet].cpu().double().numpy()
    at = np.array([data.geom(stood.colliders[i]).xpos for i in feet]) - [0, 0, GO2.leg.FL.foot.radius]

    weight = robot.mass * GRAVITY
    assert force[:, 2].sum() == pytest.approx(weight, rel=2e-3)
    pressure = (force[:, 2] @ at[:, :2]) / force[:, 2].sum()
    np.testing.assert_allclose(pressure, data.subtree_com[1, :2], atol=1e-3)

    load = data.qfrc_bias.copy()
    for i, f, p in zip(feet, force, at, strict=True):
        jacobian = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, p, model.geom(stood.colliders[i]).bodyid[0])
        load -= jacobian.T @ f
    sag = robot.default_joint_pos - data.qpos[7:]
    assert np.abs(robot.stand_kp * sag - load[6:]).max() < robot.frictionloss.max() + 0.1
    assert np.abs(load[6:]).max() > 3 * robot.frictionloss.max()


def test_a_heavier_base_sags_as_mujoco_alone_sags(stood: Engine) -> None:
    """Against a table with a heavier trunk on MuJoCo's own plane."""
    names = list(CHANGES)
    for name in ("heavy base", "payload", "light base"):
        sag = stood.qpos[0, 2] - stood.qpos[names.index(name), 2]
        expected = alone(CHANGES["nominal"]) - alone(CHANGES[name])
        assert abs(expected) > 1e-3
        assert float(sag) == pytest.approx(expected, abs=2e-4)


def alone(change: Change) -> float:
    """Base height after the same time."""
    spec = builder.build(heavier(GO2, change))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    model = spec.compile()
    builder.set_gains(model, GO2.stand_kp, GO2.stand_kd)
    model.geom_solimp[:], model.geom_solref[:] = material.SOLIMP, material.solref(0.0)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, 300)
    return float(data.qpos[2])
