"""What touches the ground, and that nothing else touches anything."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from him import robots
from him.robots import LEGS
from him.sim import colliders, model

NAMES = robots.names()


@pytest.mark.parametrize("name", NAMES)
def test_the_spheres(name: str) -> None:
    built = model.build(robots.load(name)).compile()
    parts = [f"{leg}_{part}" for leg in LEGS for part in ("foot", "shank0", "shank1", "knee")]
    expected = {*parts, *(f"trunk{i}" for i in range(8))}
    assert {built.geom(i).name for i in range(built.ngeom)} == expected
    assert (built.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE).all()
    assert (built.geom_contype == 0).all()
    assert (built.geom_conaffinity == 1).all()
    assert (built.geom_condim == 3).all()
    assert (built.geom_priority == 1).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", colliders.KINDS)
def test_parts_of_a_robot_never_touch_each_other(name: str, kind: str) -> None:
    robot = robots.load(name)
    built = model.build(robot, kind, visuals=True).compile()
    data = mujoco.MjData(built)
    data.qpos[7:] = np.tile([0.0, 0.8, -2.6], 4)
    mujoco.mj_forward(built, data)
    assert data.ncon == 0


@pytest.mark.parametrize("kind", colliders.KINDS)
def test_a_robot_on_its_belly_rests_on_its_trunk(kind: str) -> None:
    robot = robots.load("aliengo")
    spec = model.build(robot, kind)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    built = spec.compile()
    data = mujoco.MjData(built)
    data.qpos[2] = robot.trunk.box[2] / 2 - 0.001
    data.qpos[7:] = np.tile([0.0, 1.6, -1.2], 4)
    mujoco.mj_forward(built, data)
    touching = {built.geom(geom).name for pair in data.contact.geom for geom in pair}
    assert any(name.startswith("trunk") for name in touching)


boxes = st.tuples(st.floats(0.15, 1.0), st.floats(0.04, 0.3), st.floats(0.04, 0.3))


@given(boxes)
def test_trunk_spheres_lie_inside_the_box_and_reach_its_ends(box: tuple[float, float, float]) -> None:
    half = np.array(box) / 2
    centres, radius = colliders.trunk_spheres(np.array(box))
    assert centres.shape == (8, 3)
    assert radius <= colliders.TRUNK_RADIUS
    assert (np.abs(centres) + radius <= half + 1e-12).all()
    reached = (np.abs(centres) + radius).max(axis=0)
    assert reached[0] == pytest.approx(half[0])
    wider = 1 if box[1] >= box[2] else 2
    assert reached[wider] == pytest.approx(half[wider])
